/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * flows.c - what the probe counted of each flow, and whose it is, for the statistics.
 */
#define _GNU_SOURCE
#include "flows.h"

#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <dirent.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "tcpwatch.h"

/* A cgroup below the watched one by its id, which is the inode of its directory. Return: its name,
 * to be freed; NULL for the watched one itself, or one that is gone. */
static char *cgroup_name(const char *watched, __u64 id)
{
	DIR *dir = opendir(watched);
	struct dirent *entry;
	char *name = NULL;

	while (dir && !name && (entry = readdir(dir)))
		if (entry->d_type == DT_DIR && entry->d_ino == id && entry->d_name[0] != '.')
			name = strdup(entry->d_name);
	if (dir)
		(void)closedir(dir);
	return name;
}

static json_t *address_json(const struct tcpwatch_address *a)
{
	bool mapped = !a->word[0] && !a->word[1] && a->word[2] == TCPWATCH_MAPPED;
	char text[INET6_ADDRSTRLEN] = "";

	(void)inet_ntop(mapped ? AF_INET : AF_INET6, mapped ? &a->word[3] : a->word, text,
	                sizeof(text));
	return json_string(text);
}

static json_t *flow_json(const struct tcpwatch_flow_key *k, const struct tcpwatch_flow *f,
                         const char *cgroup)
{
	json_t *o = json_pack(
		"{s:s, s:o, s:i, s:o, s:i, s:I, s:I, s:I, s:I, s:I, s:I}", "protocol",
		k->protocol == IPPROTO_TCP ? "tcp" : "udp", "saddr", address_json(&k->saddr),
		"sport", k->sport, "daddr", address_json(&k->daddr), "dport", k->dport, "first_ns",
		(json_int_t)f->first_ns, "last_ns", (json_int_t)f->last_ns, "sent_pkts",
		(json_int_t)f->sent_pkts, "sent_bytes", (json_int_t)f->sent_bytes, "received_pkts",
		(json_int_t)f->received_pkts, "received_bytes", (json_int_t)f->received_bytes);
	char *command = f->owner.cgroup ? cgroup_name(cgroup, f->owner.cgroup) : NULL;

	if (f->owner.cgroup) {
		/* A program may call itself by any bytes. */
		json_t *name =
			json_stringn(f->owner.comm, strnlen(f->owner.comm, TCPWATCH_COMM_BYTES));

		json_object_set_new(o, "program", name ? name : json_string("?"));
		json_object_set_new(o, "pid", json_integer(f->owner.pid));
	}
	if (command)
		json_object_set_new(o, "command", json_string(command));
	free(command);
	return o;
}

static int by_time(const void *a, const void *b)
{
	const struct tcpwatch_flow *const *x = a, *const *y = b;

	return ((*x)->first_ns > (*y)->first_ns) - ((*x)->first_ns < (*y)->first_ns);
}

json_t *flows_json(int fd, const char *cgroup)
{
	struct entry {
		struct tcpwatch_flow flow; /* first, for by_time() */
		struct tcpwatch_flow_key key;
	} *all = calloc(TCPWATCH_FLOWS_MAX, sizeof(*all)),
	  **order = calloc(TCPWATCH_FLOWS_MAX, sizeof(*order));
	struct tcpwatch_flow_key *previous = NULL;
	json_t *list = json_array();
	size_t n = 0;

	while (all && order && n < TCPWATCH_FLOWS_MAX &&
	       bpf_map_get_next_key(fd, previous, &all[n].key) == 0) {
		previous = &all[n].key;
		if (bpf_map_lookup_elem(fd, previous, &all[n].flow) == 0) {
			order[n] = &all[n];
			n++;
		}
	}
	if (n)
		qsort(order, n, sizeof(*order), by_time);
	for (size_t i = 0; i < n; i++)
		json_array_append_new(list, flow_json(&order[i]->key, &order[i]->flow, cgroup));
	free(order);
	free(all);
	return list;
}
