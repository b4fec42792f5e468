/* gen.h - random programs in text: each ends, and means one thing only. No division by zero and no shift by the width,
 * indices within bounds, memory written before it is read, iterations of scf.parallel that do not see each other, and
 * floats whose NaNs never become bits.
 *
 * Every program has one public function @main, whose arguments and results can pass between programs. */
#ifndef NORIA_TESTS_FUZZ_PROGRAMS_GEN_H
#define NORIA_TESTS_FUZZ_PROGRAMS_GEN_H

#include "base/base.h"

/* Appends the program of this seed to out. */
void gen_loops(uint64_t seed, NrBuf *out);   /* gen_loops.c: control flow, scalars, memory */
void gen_lanes(uint64_t seed, NrBuf *out);   /* the same with loops of gen_lanes.c */
void gen_tensors(uint64_t seed, NrBuf *out); /* gen_tensors.c: tensors inside of control flow */
void gen_flow(uint64_t seed, NrBuf *out);    /* the same, with ops of flow and dispatches (gen_flow.c) */

/* ---- what the two share (gen.c) --------------------------------------------------------------------------------- */

typedef enum GenTypeId {
  GEN_I1, GEN_I3, GEN_I7, GEN_I8, GEN_I13, GEN_I16, GEN_I24, GEN_I32, GEN_I33, GEN_I64, GEN_INDEX,
  GEN_F8, GEN_F16, GEN_BF16, GEN_F32, GEN_F64,
  GEN_NUM_TYPES,
} GenTypeId;

typedef struct GenType {
  const char *name;
  int bits;
  bool is_float;
  int weight; /* how often it is picked */
} GenType;
extern const GenType gen_types[GEN_NUM_TYPES];

/* %v<id>. An integer may be known to lie in lo .. hi; lo > hi: nothing is known. */
typedef struct GenValue {
  uint32_t id;
  GenTypeId type;
  int64_t lo, hi;
} GenValue;

enum { GEN_MAX_RANK = 4, GEN_UNKNOWN = INT32_MIN };

/* A buffer or a view of one, %v<id>. Memrefs with different roots, neither 0, share no memory. */
typedef struct GenMemref {
  uint32_t id;
  GenTypeId elem;
  int rank;
  int64_t dims[GEN_MAX_RANK];    /* GEN_UNKNOWN: at least 1 */
  int64_t strides[GEN_MAX_RANK]; /* GEN_UNKNOWN: `?` */
  int64_t offset;
  uint32_t root; /* 0: may be any */
  bool owned;    /* what alloc gave: may be freed in its block */
  bool constant; /* may not be written */
} GenMemref;

/* A tensor: dims are numbers or, below 0, names of sizes that are known when the program runs (gen_tensors.c). */
typedef struct GenTensor {
  uint32_t id;
  GenTypeId elem;
  int rank;
  int64_t dims[GEN_MAX_RANK];
  double bound; /* of floats: all are integers of at most this magnitude; 0: any floats */
} GenTensor;

typedef struct GenFunc {
  uint32_t id; /* @f<id> */
  int num_params, num_results;
  GenTypeId params[4], results[3];
  bool takes_memrefs; /* two of memref<8xi32> behind the scalars; the second may be the first */
  bool has_effects;
  bool recurses; /* as often as its first argument, an index, says */
} GenFunc;

/* @f<id>: two tensors of known sizes to one of the first one's type, and an i32. */
typedef struct GenTensorFunc {
  uint32_t id;
  GenTensor params[2];
} GenTensorFunc;

/* An element that was accessed, and may be again. */
typedef struct GenPlace {
  GenMemref memref;
  uint32_t indices[GEN_MAX_RANK];
} GenPlace;

/* An scf.loop around: what its scf.break and scf.continue take. */
typedef struct GenExit {
  uint32_t token, next; /* next: what the counter, the first carried value, goes on with */
  int num_carried, num_results;
  GenTypeId carried[4], results[4];
} GenExit;

typedef struct Gen {
  NrBuf *out;
  uint64_t seed;
  uint32_t next; /* %v<next> and labels */
  int budget;    /* ops to go */
  bool has_palette;
  GenTypeId palette[8]; /* what gen_type gives, mostly */
  int indent;
  NR_VEC(GenValue) values; /* visible */
  NR_VEC(GenMemref) memrefs;
  NR_VEC(GenMemref) globals; /* @g<id> */
  NR_VEC(GenMemref) slots; /* variables: not among the memrefs, so that nothing but loads and stores sees them */
  NR_VEC(GenTensor) tensors;
  NR_VEC(GenFunc) funcs;
  NR_VEC(GenTensorFunc) tensor_funcs;
  NR_VEC(GenExit) exits;
  NR_VEC(GenPlace) places;
  NR_VEC(uint32_t) sizes; /* size name -1 - i is the index value %v<sizes[i]> */
  bool has_lanes; /* loops of gen_lanes.c come first in @main */
  bool has_flow;  /* ops of flow are generated too */
  bool in_grid;   /* in a workgroup, which dispatches nothing */
  bool has_log;   /* %log and %count are there */
  uint32_t symbol; /* an index that is an argument of the function, or 0 */
  uint32_t pure;  /* within an scf.parallel: only buffers whose id is not below this may be written; else 0 */
  int64_t trips;  /* of the loops around, together */
} Gen;

uint64_t gen_below(Gen *g, uint64_t n); /* 0 .. n-1; n = 0 gives 0 */
bool gen_one_in(Gen *g, uint64_t n);
#define GEN_PICK(g, table) ((table)[gen_below(g, NR_COUNTOF(table))])

void gen_line(Gen *g, const char *format, ...) NR_PRINTF(2, 3); /* indented, with a newline */
void gen_put(Gen *g, const char *format, ...) NR_PRINTF(2, 3);
void gen_begin(Gen *g); /* the indentation of a line that gen_put goes on with */
void gen_end(Gen *g);   /* its newline */

uint32_t gen_id(Gen *g);
void gen_define(Gen *g, uint32_t id, GenTypeId type); /* makes it visible */
void gen_define_range(Gen *g, uint32_t id, int64_t lo, int64_t hi); /* an index */
/* "%vN = <text>": a new visible value. */
uint32_t gen_emit(Gen *g, GenTypeId type, const char *format, ...) NR_PRINTF(3, 4);
GenTypeId gen_type(Gen *g);
uint32_t gen_constant(Gen *g, GenTypeId type); /* a random one */
uint32_t gen_number(Gen *g, GenTypeId type, int64_t value);
uint32_t gen_index(Gen *g, int64_t value);
uint32_t gen_use(Gen *g, GenTypeId type); /* a visible value, or a new constant */
uint32_t gen_fresh_index(Gen *g, int64_t lo, int64_t hi); /* an index in lo .. hi that is not known when compiling */
void gen_scalar_op(Gen *g); /* gen_scalars.c: one op more */
void gen_int_op(Gen *g, GenTypeId type);
void gen_float_op(Gen *g, GenTypeId type);
/* An integer of a visible float, clamped to what the type has. */
uint32_t gen_to_integer(Gen *g, GenTypeId from, GenTypeId to);

/* What is visible ends with a block. */
typedef struct GenMark {
  size_t values, memrefs, slots, tensors, sizes, exits;
  uint32_t pure;
  int64_t trips;
} GenMark;
GenMark gen_enter(Gen *g);
void gen_leave(Gen *g, GenMark mark);
void gen_deinit(Gen *g);

/* "%v1, %v2" and "i32, f32". */
void gen_put_ids(Gen *g, const uint32_t *ids, int count);
void gen_put_types(Gen *g, const GenTypeId *types, int count);
/* "%vA:2 = " or nothing; results are %vA#i, or "%vA, %vB = ". Gives the ids, which become visible by gen_publish. */
void gen_put_results(Gen *g, uint32_t *ids, int count);
void gen_publish(Gen *g, const uint32_t *ids, const GenTypeId *types, int count);
/* Values for a terminator: often those of args in another order, one twice, or what went in. */
void gen_choose(Gen *g, const GenTypeId *types, int count, const uint32_t *args, const GenTypeId *arg_types,
                int num_args, uint32_t *out);
void gen_yield(Gen *g, const char *op, const uint32_t *ids, const GenTypeId *types, int count);

/* ---- memory (gen_memory.c) -------------------------------------------------------------------------------------- */

void gen_put_memref_type(Gen *g, const GenMemref *m);
void gen_memory_op(Gen *g);                   /* one op on memory more */
void gen_view(Gen *g);                        /* gen_views.c: one more buffer that shares its memory with another */
GenMemref *gen_random_memref(Gen *g);         /* NULL: there is none */
bool gen_is_plain(const GenMemref *m);        /* its type has no layout */
uint32_t gen_dim(Gen *g, const GenMemref *m, int dim); /* the size */
GenMemref *gen_memref_like(Gen *g, const GenMemref *like); /* of the same type, as writable; random; NULL: none */
/* Filled, and visible; on_stack: perhaps there. */
GenMemref gen_alloc(Gen *g, GenTypeId elem, int rank, const int64_t *dims, bool on_stack);
void gen_store(Gen *g, const GenMemref *m, uint32_t value, const uint32_t *indices);
uint32_t gen_load(Gen *g, const GenMemref *m, const uint32_t *indices);
uint32_t gen_index_within(Gen *g, const GenMemref *m, int dim); /* a valid index of that dim, which is not empty */
bool gen_has_elements(const GenMemref *m);
void gen_digest(Gen *g, const GenMemref *m); /* gen_loops.c: its elements go into the trace, where there is one */
/* Not what iterations of an scf.parallel around would share. */
bool gen_may_write(const Gen *g, const GenMemref *m);

void gen_fill(Gen *g, const GenMemref *m);

/* gen_shared.c */
void gen_globals(Gen *g);      /* puts some at the top of a program */
void gen_get_global(Gen *g);   /* makes one visible */
void gen_fill_globals(Gen *g); /* makes those visible that are not constant: runs do not see what others left */
void gen_atomic(Gen *g);
/* Of a memref<8xi32> by one of several ops, which may come in any order where `kind` is the same. */
void gen_atomic_in_any_order(Gen *g, const GenMemref *m, size_t kind);
void gen_transfer(Gen *g);

/* ---- vectors (gen_vectors.c), complex numbers (gen_complex.c) --------------------------------------------------- */

/* Some ops on them, from scalars to scalars. */
void gen_vectors(Gen *g);
void gen_complex(Gen *g);

/* ---- tensors (gen_tensor_ops.c, gen_generic.c) ------------------------------------------------------------------ */

void gen_tensor_op(Gen *g); /* one that makes, cuts or joins tensors */
void gen_generic(Gen *g);   /* one linalg.generic */
void gen_put_tensor_type(Gen *g, const GenTensor *t);
void gen_put_index_args(Gen *g, const uint32_t *ivs, int rank); /* the head of a block with indices */
void gen_put_tensor_types(Gen *g, const GenTensor *list, int count); /* "A, B" */
/* " : FROM word TO" and a newline. */
void gen_put_change(Gen *g, const GenTensor *from, const char *word, const GenTensor *to);
GenTypeId gen_element_type(Gen *g);
GenTensor *gen_random_tensor(Gen *g);                      /* NULL: there is none */
GenTensor *gen_tensor_like(Gen *g, const GenTensor *like); /* of equal sizes and type; NULL: none */
uint32_t gen_empty(Gen *g, const GenTensor *t);            /* tensor.empty of that type: its id, not visible */
GenTensor gen_filled(Gen *g, GenTensor t);                 /* of that type; not visible */
/* Indices of an element; false when there is none for sure. */
bool gen_place_within(Gen *g, const GenTensor *t, uint32_t *indices);
GenTensor gen_by_place(Gen *g, GenTensor t); /* each element by its place; visible */
/* Sizes that are known in the run only, as dims of tensors. */
int64_t gen_size_of(Gen *g, uint32_t value);
int64_t gen_size_of_dim(Gen *g, const GenTensor *t, int dim); /* by a tensor.dim */
uint32_t gen_size_value(Gen *g, int64_t size);

/* gen_tensor_shapes.c: one op each, or none where no tensor fits */
void gen_tensor_pad(Gen *g);
void gen_tensor_concat(Gen *g);
void gen_tensor_collapse(Gen *g);
void gen_tensor_expand(Gen *g);
void gen_tensor_cast(Gen *g);

/* ---- control flow (gen_control.c) ------------------------------------------------------------------------------- */

enum { GEN_MAX_TRIPS = 300 };
typedef void (*GenBody)(Gen *g, int depth); /* some ops */
void gen_control_op(Gen *g, int depth, GenBody body);
void gen_if(Gen *g, int depth, GenBody body);
void gen_lane_loop(Gen *g);                         /* gen_lanes.c: around loops on data */
void gen_parallel(Gen *g, int depth, GenBody body); /* gen_parallel.c: iterations that do not see each other */
void gen_parallel_row(Gen *g);                      /* loops behind each other, which might be one */

/* Bounds and step of a loop over indices; its induction variable is within lo .. hi, in at most so many trips. */
typedef struct GenRange {
  uint32_t lower, upper, step;
  int64_t lo, hi, trips;
  bool runs; /* it is not empty */
} GenRange;
GenRange gen_range(Gen *g);
void gen_index_for(Gen *g, int depth, GenBody body);       /* gen_for.c: by these */
void gen_typed_for(Gen *g, int depth, GenBody body); /* by bounds of any integer type, signed or not */
/* Up to `most` types, neighbours often equal; their number. */
int gen_random_types(Gen *g, GenTypeId *types, int most);
void gen_use_all(Gen *g, const GenTypeId *types, int count, uint32_t *out);
void gen_nest(Gen *g);           /* gen_nests.c: loops over arrays, one in the other */
void gen_counting_while(Gen *g); /* an scf.while that counts */
void gen_affine(Gen *g);         /* gen_affine.c: a nest of affine.for, or an affine.parallel */
/* The rest of a region: blocks that branch to each other, and end it by this op. */
void gen_graph(Gen *g, const char *end, const GenTypeId *results, int num_results);

#endif
