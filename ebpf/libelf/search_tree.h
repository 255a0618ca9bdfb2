/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SEARCH_TREE_H
#define SEARCH_TREE_H

struct search_tree {
	void *root; /* then a lock, unless elfutils was built without */
};

typedef int (*compare_fn)(const void *, const void *);
typedef void (*free_fn)(void *);

void *eu_tsearch(const void *key, struct search_tree *tree, compare_fn compare);
void *eu_tfind(const void *key, struct search_tree *tree, compare_fn compare);
void *eu_tdelete(const void *key, struct search_tree *tree, compare_fn compare);
void eu_tdestroy(struct search_tree *tree, free_fn free_node);
void eu_search_tree_init(struct search_tree *tree);
void eu_search_tree_fini(struct search_tree *tree, free_fn free_node);

#endif
