/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * replay.c - a fuzz target's main where there is no libFuzzer: it tries the
 * files named, and those in the folders named.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#include "fuzz.h"

#define INPUT_MAX (1 << 20)

/* Exactly as large as the file, so that whatever checks memory sees its end. */
static int try_file(const char *path, off_t size)
{
	FILE *f = fopen(path, "re");
	uint8_t *data = malloc(size > 0 ? (size_t)size : 1);
	int r = -1;

	if (f && data && size <= INPUT_MAX && fread(data, 1, (size_t)size, f) == (size_t)size) {
		(void)printf("%s\n", path);
		(void)fflush(stdout);
		r = LLVMFuzzerTestOneInput(data, (size_t)size);
	} else {
		(void)fprintf(stderr, "%s: cannot be read\n", path);
	}
	free(data);
	if (f)
		(void)fclose(f);
	return r;
}

/* Return: inputs tried, or -1. */
static int try_path(const char *path)
{
	struct dirent **entry;
	struct stat st;
	int n, tried = 0;

	if (stat(path, &st) < 0) {
		(void)fprintf(stderr, "%s: %s\n", path, strerror(errno));
		return -1;
	}
	if (!S_ISDIR(st.st_mode))
		return try_file(path, st.st_size) < 0 ? -1 : 1;
	n = scandir(path, &entry, NULL, alphasort);
	for (int i = 0; i < n; i++) {
		char inside[PATH_MAX];
		int r = 0;

		if (entry[i]->d_name[0] != '.' && tried >= 0 &&
		    snprintf(inside, sizeof(inside), "%s/%s", path, entry[i]->d_name) < PATH_MAX)
			r = try_path(inside);
		free(entry[i]);
		tried = r < 0 || tried < 0 ? -1 : tried + r;
	}
	if (n >= 0)
		free(entry);
	return tried;
}

int main(int argc, char **argv)
{
	int all = 0;

	for (int i = 1; i < argc; i++) {
		int tried = try_path(argv[i]);

		if (tried < 0)
			return 1;
		all += tried;
	}
	(void)printf("%d inputs\n", all);
	return all > 0 ? 0 : 1;
}
