/* ml_trees_read.c - see ml_trees.h: the trees of TreeEnsembleClassifier and TreeEnsembleRegressor, whose nodes have
 * names: a tree and a number in it. */
#include "onnx/lower/ops/ml_trees.h"

#include <stdlib.h>

/* The lists of one group of attributes, such as all with names of nodes_. */
typedef struct Ids {
  const int64_t *data;
  size_t count;
} Ids;

typedef struct Name {
  int64_t tree, node;
  size_t at;       /* which of the nodes */
  int32_t link;    /* what stands for it: a node, or ~leaf */
  bool has_parent;
} Name;

typedef struct Reader {
  NrLower *l;
  Ids trees, nodes, features, yes, no, missing;
  NrMlNumbers values;
  const NrStr *modes;
  size_t count;
  Name *names; /* sorted */
} Reader;

static Ids ids(NrLower *l, const char *name) {
  Ids out = {0};
  nr_lower_attr_ints(l, name, &out.data, &out.count);
  return out;
}

static bool node_lists(Reader *r) {
  NrLower *l = r->l;
  r->trees = ids(l, "nodes_treeids");
  r->nodes = ids(l, "nodes_nodeids");
  r->features = ids(l, "nodes_featureids");
  r->yes = ids(l, "nodes_truenodeids");
  r->no = ids(l, "nodes_falsenodeids");
  r->missing = ids(l, "nodes_missing_value_tracks_true");
  r->count = r->trees.count;
  size_t num_modes;
  r->modes = nr_ml_strings(l, "nodes_modes", &num_modes);
  if (!nr_ml_numbers(l, "nodes_values", &r->values)) return false;
  if (!r->count || r->count > INT32_MAX) return nr_lower_error(l, "nodes_treeids has %zu nodes", r->count), false;
  const char *first = "nodes_treeids";
  return nr_ml_same_length(l, "nodes_nodeids", r->nodes.count, first, r->count) &&
         nr_ml_same_length(l, "nodes_featureids", r->features.count, first, r->count) &&
         nr_ml_same_length(l, "nodes_modes", num_modes, first, r->count) &&
         nr_ml_same_length(l, r->values.name, r->values.count, first, r->count) &&
         nr_ml_same_length(l, "nodes_truenodeids", r->yes.count, first, r->count) &&
         nr_ml_same_length(l, "nodes_falsenodeids", r->no.count, first, r->count) &&
         (!r->missing.count ||
          nr_ml_same_length(l, "nodes_missing_value_tracks_true", r->missing.count, first, r->count));
}

static int by_name(const void *a, const void *b) {
  const Name *x = a, *y = b;
  if (x->tree != y->tree) return x->tree < y->tree ? -1 : 1;
  return (x->node > y->node) - (x->node < y->node);
}

static Name *find(const Reader *r, int64_t tree, int64_t node) {
  Name key = {.tree = tree, .node = node};
  return bsearch(&key, r->names, r->count, sizeof key, by_name);
}

/* Gives each node its number among inner nodes or leaves. */
static bool number_nodes(Reader *r, NrMlTrees *out) {
  r->names = NR_NEW_ARRAY(&r->l->state->arena, Name, r->count);
  for (size_t i = 0; i < r->count; i++) {
    bool leaf = nr_str_is(r->modes[i], "LEAF");
    int32_t link = leaf ? ~(int32_t)out->num_leaves++ : (int32_t)out->num_nodes++;
    r->names[i] = (Name){r->trees.data[i], r->nodes.data[i], i, link, false};
  }
  qsort(r->names, r->count, sizeof *r->names, by_name);
  for (size_t i = 1; i < r->count; i++)
    if (by_name(&r->names[i - 1], &r->names[i]) == 0)
      return nr_lower_error(r->l, "node %lld of tree %lld is given twice", (long long)r->names[i].node,
                            (long long)r->names[i].tree), false;
  return true;
}

static bool read_child(Reader *r, const Name *name, bool yes, int32_t *out) {
  int64_t id = (yes ? r->yes : r->no).data[name->at];
  Name *child = find(r, name->tree, id);
  if (!child)
    return nr_lower_error(r->l, "node %lld of tree %lld goes to node %lld when its comparison %s, which does not exist",
                          (long long)name->node, (long long)name->tree, (long long)id, yes ? "holds" : "fails"), false;
  child->has_parent = true;
  *out = child->link;
  return true;
}

static bool read_node(Reader *r, const Name *name, NrMlNode *out) {
  size_t i = name->at;
  long long node = (long long)name->node, tree = (long long)name->tree;
  NrStr mode = r->modes[i], prefix = NR_STR("BRANCH_");
  bool named = mode.size > prefix.size && memcmp(mode.data, prefix.data, prefix.size) == 0;
  NrStr rest = {mode.data + (named ? prefix.size : 0), mode.size - (named ? prefix.size : 0)};
  int64_t feature = r->features.data[i];
  out->threshold = nr_ml_number(&r->values, i);
  if (!named || !nr_ml_set_mode(out, rest, r->missing.count && r->missing.data[i] != 0))
    return nr_lower_error(r->l, "node %lld of tree %lld has mode '%.*s'", node, tree, NR_STR_ARG(mode)), false;
  if (feature < 0 || feature > INT32_MAX)
    return nr_lower_error(r->l, "node %lld of tree %lld compares feature %lld", node, tree, (long long)feature), false;
  out->feature = (int32_t)feature;
  return read_child(r, name, true, &out->next[0]) && read_child(r, name, false, &out->next[1]);
}

/* The name of an inner node. */
static const Name *name_of(const Reader *r, int64_t node) {
  const Name *name = r->names;
  while (name->link != node) name++;
  return name;
}

/* A tree's root is its only node that is no child. */
static bool find_roots(Reader *r, NrMlTrees *out) {
  out->roots = NR_NEW_ARRAY(&r->l->state->arena, int32_t, r->count);
  const Name *root = NULL;
  for (size_t i = 0; i < r->count; i++) {
    const Name *name = &r->names[i];
    if (!name->has_parent && root)
      return nr_lower_error(r->l, "tree %lld has two roots: no node goes to nodes %lld and %lld",
                            (long long)name->tree, (long long)root->node, (long long)name->node), false;
    if (!name->has_parent) root = name;
    bool last = i + 1 == r->count || r->names[i + 1].tree != name->tree;
    if (!last) continue;
    assert(root); /* a tree in which all nodes have parents has a cycle */
    out->roots[out->num_trees++] = root->link;
    root = NULL;
  }
  return true;
}

static bool read_votes(Reader *r, const char *prefix, size_t num_targets, NrMlTrees *out) {
  NrLower *l = r->l;
  NrArena *arena = &l->state->arena;
  const char *names[4];
  static const char *const parts[4] = {"treeids", "nodeids", "ids", "weights"};
  for (int i = 0; i < 4; i++) names[i] = nr_arena_printf(arena, "%s_%s", prefix, parts[i]);
  Ids trees = ids(l, names[0]), nodes = ids(l, names[1]), targets = ids(l, names[2]);
  NrMlNumbers weights;
  if (!nr_ml_numbers(l, names[3], &weights) || !nr_ml_same_length(l, names[1], nodes.count, names[0], trees.count) ||
      !nr_ml_same_length(l, names[2], targets.count, names[0], trees.count) ||
      !nr_ml_same_length(l, weights.name, weights.count, names[0], trees.count))
    return false;
  if (trees.count > INT32_MAX) return nr_lower_error(l, "%s has %zu votes", names[0], trees.count), false;
  out->votes = NR_NEW_ARRAY(arena, NrMlVote, trees.count + 1);
  out->wide |= nr_ml_numbers_wide(&weights);
  for (size_t i = 0; i < trees.count; i++) {
    const Name *name = find(r, trees.data[i], nodes.data[i]);
    int64_t target = targets.data[i];
    if (!name)
      return nr_lower_error(l, "vote %zu is of node %lld of tree %lld, which does not exist", i,
                            (long long)nodes.data[i], (long long)trees.data[i]), false;
    if (target < 0 || (uint64_t)target >= num_targets)
      return nr_lower_error(l, "vote %zu, of node %lld of tree %lld, is for %s %lld of %zu", i, (long long)name->node,
                            (long long)name->tree, prefix, (long long)target, num_targets), false;
    if (name->link >= 0) continue; /* nothing ends at an inner node */
    out->votes[out->num_votes++] = (NrMlVote){nr_ml_number(&weights, i), ~name->link, (int32_t)target};
  }
  nr_ml_sort_votes(out);
  return true;
}

bool nr_ml_read_trees(NrLower *l, const char *votes, size_t num_targets, NrMlTrees *out) {
  *out = (NrMlTrees){0};
  Reader r = {.l = l};
  if (!node_lists(&r) || !number_nodes(&r, out)) return false;
  out->wide = nr_ml_numbers_wide(&r.values);
  out->nodes = NR_NEW_ARRAY(&l->state->arena, NrMlNode, out->num_nodes + 1);
  for (size_t i = 0; i < r.count; i++)
    if (r.names[i].link >= 0 && !read_node(&r, &r.names[i], &out->nodes[r.names[i].link])) return false;
  int64_t cycle = nr_ml_find_cycle(l, out->nodes, out->num_nodes);
  if (cycle >= 0) {
    const Name *name = name_of(&r, cycle);
    nr_lower_error(l, "node %lld of tree %lld is below itself", (long long)name->node, (long long)name->tree);
    return false;
  }
  return find_roots(&r, out) && read_votes(&r, votes, num_targets, out);
}
