// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * search_tree - what the static libelf.a of elfutils 0.192 and later asks for
 * and does not bring.
 *
 * Since 0.192 libelf keeps the pieces that it has read in search trees of
 * elfutils' internal libeu.a. Distributions package libelf.a without libeu.a
 * (Debian 13), so nothing links against it. These are the functions that are
 * missing, on tsearch(3) of the C library. A program of ours uses libelf in one
 * thread, so they take no lock: of the tree only its first member is used.
 *
 * Where libelf asks for none of this, the linker leaves it out, so that programs
 * keep their bytes there.
 *
 * Source: elfutils 0.192, lib/eu-search.h
 */
#define _GNU_SOURCE
#include <search.h>
#include <stddef.h>

#include "search_tree.h"

void *eu_tsearch(const void *key, struct search_tree *tree, compare_fn compare)
{
	return tsearch(key, &tree->root, compare);
}

void *eu_tfind(const void *key, struct search_tree *tree, compare_fn compare)
{
	return tfind(key, &tree->root, compare);
}

void *eu_tdelete(const void *key, struct search_tree *tree, compare_fn compare)
{
	return tdelete(key, &tree->root, compare);
}

void eu_tdestroy(struct search_tree *tree, free_fn free_node)
{
	tdestroy(tree->root, free_node);
	tree->root = NULL;
}

void eu_search_tree_init(struct search_tree *tree)
{
	tree->root = NULL;
}

void eu_search_tree_fini(struct search_tree *tree, free_fn free_node)
{
	eu_tdestroy(tree, free_node);
}
