/* ml_ensemble_read.c - see ml_trees.h: the trees of TreeEnsemble, whose nodes and leaves are numbered in lists of their
 * own. A node that tests for members of a set becomes one that compares for equality for each of them. */
#include "dialect/onnx/dtype.h"
#include "onnx/lower/ops/ml_trees.h"

#include <math.h>

enum { MEMBER = 6 };

typedef struct Reader {
  NrLower *l;
  const int64_t *features, *yes, *no, *yes_leaf, *no_leaf, *missing, *roots, *targets;
  size_t count, num_missing, num_roots, num_leaves;
  NrAttr modes;
  NrMlNumbers splits, weights, members;
  size_t next_member; /* of the list of members */
} Reader;

static bool int_list(NrLower *l, const char *name, const char *other, size_t count, const int64_t **out) {
  size_t have = 0;
  nr_lower_attr_ints(l, name, out, &have);
  return nr_ml_same_length(l, name, have, other, count);
}

static bool read_lists(Reader *r) {
  NrLower *l = r->l;
  const char *first = "nodes_featureids", *leaves = "leaf_targetids";
  nr_lower_attr_ints(l, first, &r->features, &r->count);
  nr_lower_attr_ints(l, leaves, &r->targets, &r->num_leaves);
  nr_lower_attr_ints(l, "tree_roots", &r->roots, &r->num_roots);
  nr_lower_attr_ints(l, "nodes_missing_value_tracks_true", &r->missing, &r->num_missing);
  if (!r->count || r->count > INT32_MAX) return nr_lower_error(l, "%s has %zu nodes", first, r->count), false;
  if (!r->num_leaves || r->num_leaves > INT32_MAX)
    return nr_lower_error(l, "%s has %zu leaves", leaves, r->num_leaves), false;
  if (!r->num_roots) return nr_lower_error(l, "tree_roots is empty"), false;
  r->modes = nr_lower_attr(l, "nodes_modes");
  int64_t num_modes;
  if (!nr_attr_is_elements(r->modes) || nr_dtype_of(r->modes->type) != NORIA_U8 ||
      !nr_type_num_elements(r->modes->type, &num_modes))
    return nr_lower_error(l, "nodes_modes is no list of uint8"), false;
  return nr_ml_tensor_numbers(l, "nodes_splits", &r->splits) && nr_ml_tensor_numbers(l, "leaf_weights", &r->weights) &&
         nr_ml_tensor_numbers(l, "membership_values", &r->members) &&
         nr_ml_same_length(l, "nodes_modes", (size_t)num_modes, first, r->count) &&
         nr_ml_same_length(l, "nodes_splits", r->splits.count, first, r->count) &&
         nr_ml_same_length(l, "leaf_weights", r->weights.count, leaves, r->num_leaves) &&
         int_list(l, "nodes_truenodeids", first, r->count, &r->yes) &&
         int_list(l, "nodes_falsenodeids", first, r->count, &r->no) &&
         int_list(l, "nodes_trueleafs", first, r->count, &r->yes_leaf) &&
         int_list(l, "nodes_falseleafs", first, r->count, &r->no_leaf) &&
         (!r->num_missing || nr_ml_same_length(l, "nodes_missing_value_tracks_true", r->num_missing, first, r->count));
}

/* Where node i goes. A node whose both ways end in one leaf is that leaf: this is how trees without inner nodes are
 * written. */
static bool read_child(Reader *r, size_t i, bool yes, int32_t *out) {
  int64_t to = (yes ? r->yes : r->no)[i];
  bool leaf = (yes ? r->yes_leaf : r->no_leaf)[i] != 0;
  if (to < 0 || (uint64_t)to >= (leaf ? r->num_leaves : r->count))
    return nr_lower_error(r->l, "node %zu goes to %s %lld when its comparison %s, which does not exist", i,
                          leaf ? "leaf" : "node", (long long)to, yes ? "holds" : "fails"), false;
  *out = leaf ? ~(int32_t)to : (int32_t)to;
  return true;
}

/* Node i tests for the members up to the next NaN in the list: a chain of comparisons, of which the first one is the
 * node. A NaN feature goes where the node says. */
static bool read_members(Reader *r, size_t i, NrMlTrees *out, size_t *next_free) {
  NrMlNode node = out->nodes[i], *at = &out->nodes[i];
  uint32_t missing = node.by & NR_ML_MISSING;
  at->by = missing;
  at->threshold = 0;
  bool first = true;
  for (;; r->next_member++, first = false) {
    if (r->next_member >= r->members.count)
      return nr_lower_error(r->l, "membership_values has no end of the members of node %zu", i), false;
    double member = nr_ml_number(&r->members, r->next_member);
    if (isnan(member)) break;
    if (!first) { /* the one before goes on to this one */
      at->next[1] = (int32_t)*next_free;
      at = &out->nodes[(*next_free)++];
      *at = node;
    }
    at->by = NR_ML_EQUAL | missing;
    at->threshold = member;
  }
  r->next_member++;
  return true;
}

static bool read_node(Reader *r, size_t i, NrMlTrees *out, size_t *next_free) {
  static const char *const modes[] = {"LEQ", "LT", "GTE", "GT", "EQ", "NEQ", "EQ"};
  NrMlNode *node = &out->nodes[i];
  uint8_t mode = *(const uint8_t *)nr_attr_element_ptr(r->modes, (int64_t)i);
  int64_t feature = r->features[i];
  if (mode > MEMBER) return nr_lower_error(r->l, "node %zu has mode %d; modes are 0 to 6", i, mode), false;
  if (feature < 0 || feature > INT32_MAX)
    return nr_lower_error(r->l, "node %zu compares feature %lld", i, (long long)feature), false;
  node->feature = (int32_t)feature;
  node->threshold = nr_ml_number(&r->splits, i);
  nr_ml_set_mode(node, nr_str(modes[mode]), r->num_missing && r->missing[i] != 0);
  return read_child(r, i, true, &node->next[0]) && read_child(r, i, false, &node->next[1]) &&
         (mode != MEMBER || read_members(r, i, out, next_free));
}

static bool find_roots(Reader *r, NrMlTrees *out) {
  out->roots = NR_NEW_ARRAY(&r->l->state->arena, int32_t, r->num_roots);
  out->num_trees = r->num_roots;
  for (size_t i = 0; i < r->num_roots; i++) {
    int64_t root = r->roots[i];
    if (root < 0 || (uint64_t)root >= r->count)
      return nr_lower_error(r->l, "the root of tree %zu is node %lld, which does not exist", i, (long long)root), false;
    const NrMlNode *node = &out->nodes[root];
    out->roots[i] = node->next[0] == node->next[1] && node->next[0] < 0 ? node->next[0] : (int32_t)root;
  }
  return true;
}

static bool read_leaves(Reader *r, size_t num_targets, NrMlTrees *out) {
  out->votes = NR_NEW_ARRAY(&r->l->state->arena, NrMlVote, r->num_leaves);
  out->num_votes = out->num_leaves = r->num_leaves;
  for (size_t i = 0; i < r->num_leaves; i++) {
    int64_t target = r->targets[i];
    if (target < 0 || (uint64_t)target >= num_targets)
      return nr_lower_error(r->l, "leaf %zu is for target %lld of %zu", i, (long long)target, num_targets), false;
    out->votes[i] = (NrMlVote){nr_ml_number(&r->weights, i), (int32_t)i, (int32_t)target};
  }
  return true;
}

bool nr_ml_read_ensemble(NrLower *l, size_t *num_targets, NrMlTrees *out) {
  *out = (NrMlTrees){0};
  Reader r = {.l = l};
  if (!read_lists(&r)) return false;
  int64_t greatest = -1, given = nr_lower_attr_int_or(l, "n_targets", -1);
  for (size_t i = 0; i < r.num_leaves; i++) greatest = NR_MAX(greatest, r.targets[i]);
  if (given > INT32_MAX || greatest > INT32_MAX - 1 || (given < 1 && nr_lower_attr(l, "n_targets")))
    return nr_lower_error(l, "n_targets is %lld", (long long)given), false;
  *num_targets = (size_t)(given > 0 ? given : greatest + 1);
  size_t next_free = r.count;
  if (r.count + r.members.count > INT32_MAX) return nr_lower_error(l, "there are too many nodes and members"), false;
  out->nodes = NR_NEW_ARRAY(&l->state->arena, NrMlNode, r.count + r.members.count);
  for (size_t i = 0; i < r.count; i++)
    if (!read_node(&r, i, out, &next_free)) return false;
  if (r.next_member != r.members.count)
    return nr_lower_error(l, "membership_values has %zu numbers, but the nodes that test for members use %zu",
                          r.members.count, r.next_member), false;
  out->num_nodes = next_free;
  out->wide = nr_ml_numbers_wide(&r.splits) || nr_ml_numbers_wide(&r.weights);
  int64_t cycle = nr_ml_find_cycle(l, out->nodes, out->num_nodes);
  if (cycle >= 0) return nr_lower_error(l, "node %lld is below itself", (long long)cycle), false;
  return find_roots(&r, out) && read_leaves(&r, *num_targets, out);
}
