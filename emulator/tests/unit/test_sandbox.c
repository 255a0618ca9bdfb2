/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the daemon may still do in its sandbox, and what kills it; in children, as it is for good.
 */
#include <fcntl.h>
#include <linux/if_tun.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sandbox.h"
#include "unit.h"

#define NO_FILTER 77

/* Return: how a child ended that did @act in the sandbox. */
static int in_sandbox(void (*act)(void))
{
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		if (!sandbox_enter())
			_exit(NO_FILTER);
		act();
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (WIFEXITED(status) && WEXITSTATUS(status) == NO_FILTER)
		skip();
	return status;
}

static void open_file(void)
{
	(void)open("/etc/passwd", O_RDONLY);
}

static void open_socket(void)
{
	(void)socket(AF_UNIX, SOCK_STREAM, 0);
}

static void run_program(void)
{
	(void)execl("/bin/true", "true", (char *)NULL);
}

static void create_device(void)
{
	(void)ioctl(0, TUNSETIFF, NULL);
}

static void become_two(void)
{
	(void)fork();
}

static void test_forbidden(void **state)
{
	static void (*const acts[])(void) = { open_file, open_socket, run_program, create_device,
		                              become_two };

	(void)state;
	for (size_t i = 0; i < COUNT(acts); i++) {
		int status = in_sandbox(acts[i]);

		assert_true(WIFSIGNALED(status));
		assert_int_equal(WTERMSIG(status), SIGSYS);
	}
}

static FILE *output;

static void work(void)
{
	struct timespec t;
	char *memory;

	for (size_t size = 1; size < 100 << 20; size *= 8) {
		memory = malloc(size);
		if (!memory)
			_exit(1);
		memory[size - 1] = 1;
		free(memory);
	}
	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	if (fprintf(output, "%ld\n", (long)t.tv_sec) < 0 || fclose(output) != 0)
		_exit(1);
}

static void give_up(void)
{
	abort();
}

static void test_allowed(void **state)
{
	int status;

	(void)state;
	output = fopen("/dev/null", "w");
	assert_non_null(output);
	status = in_sandbox(work);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	status = in_sandbox(give_up); /* an assertion is told from a forbidden call */
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGABRT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forbidden),
		cmocka_unit_test(test_allowed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
