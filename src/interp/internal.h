/* internal.h - values, frames and the op table of the interpreter; for src/interp only. */
#ifndef NORIA_INTERP_INTERNAL_H
#define NORIA_INTERP_INTERNAL_H

#include "dialect/arith/combine.h"
#include "dialect/arith/eval.h"
#include "interp/interp.h"

/* Memory that several views may share. */
typedef struct NrIBuffer {
  size_t refs, size;
  unsigned char *data;
  NoriaExec *charged; /* the run that counts it against its memory limit, or NULL */
  bool freed;         /* memref.dealloc was called */
  bool borrowed;      /* data belongs to a constant or an input; never written */
} NrIBuffer;

/* A tensor, vector or memref: a strided view of a buffer. Strides and offset in elements. */
typedef struct NrIView {
  size_t refs;
  NrIBuffer *buffer;
  NrType elem;
  size_t elem_size, rank;
  int64_t offset, dims[NR_MAX_RANK], strides[NR_MAX_RANK];
  int64_t origin; /* the element at offset 0 of the memref; not 0 for a memref.view */
} NrIView;

/* A value of a run. Scalars of at most 64 bits are raw bits, zero-extended; wider ones and complex numbers are
 * attributes. */
typedef struct NrIValue {
  uint64_t bits;
  NrAttr attr;
  NrIView *view;
  void *handle; /* sequences, optionals: the runtime's NoriaValue* */
  NrOp *func;   /* func.constant */
} NrIValue;

typedef struct NrInterp {
  NrContext *ctx;
  NrModule *module;
  NoriaExec *exec; /* NULL while folding constants */
  NrArena arena;   /* of one run */
  NrMap cells;     /* NrValue* -> NrIValue*, of the running function */
  NrMap loop_indices; /* region of a structured op -> int64_t[], its loop indices */
  NrMap globals;   /* memref.global op -> NrIView* */
  NR_VEC(NrIView *) global_views; /* the views in globals, to be released */
  NrMap values;    /* util.global op -> NrIValue* */
  NR_VEC(NrIValue *) global_values; /* those in values, to be released */
  bool initialized; /* the initializers have run */
  NrMap scalar_forms; /* op -> a detached copy of it on scalars */
  NrMap sites;     /* op that may fail (rt.check, ..) -> site + 1 */
  NrMap expansions;   /* op that the interpreter does not know -> an op whose region holds simpler ones */
  NrMap parameters; /* #flow.parameter.named -> its index in exec->constants */
  NrMap imports;   /* op that calls an import -> index + 1 */
  int64_t steps, max_steps;
  bool hostile; /* of NrInterpOptions */
  struct NrInterpProgram *program; /* NULL while folding constants */
  int64_t workgroup[3], grid[3]; /* of the running dispatch */
  NrOp *exit;             /* the break or continue that is leaving regions up to its loop */
  NrIValue *exit_values;  /* its operands, each with a reference */
  NrOp *ended_by;         /* the terminator of the region that ended last; after a run, the entry's return */
  NrOp *failed_at;
  char message[256]; /* of the first failure */
  NrOp *running;     /* the innermost op that runs, at which out of memory is reported */
  bool failed;
} NrInterp;

/* ---- values (value.c) ---- */
/* A new dense view filled with zeros, which counts against the run's memory limit. NULL after failing at the running
 * op: out of memory, over the limit, or a negative dim; the caller then returns. */
NrIView *nr_iview_new(NrInterp *in, NrType elem, const int64_t *dims, size_t rank);
/* The same with undefined contents: garbage in a hostile run. */
NrIView *nr_iview_open(NrInterp *in, NrType elem, const int64_t *dims, size_t rank);
NrIView *nr_iview_alias(NrIView *of);                                /* another view of the same buffer */
NrIView *nr_iview_borrow(NrType elem, const int64_t *dims, size_t rank, const void *data);
bool nr_iview_is_dense(const NrIView *view); /* row-major, without gaps */
NrIView *nr_iview_dense_copy(NrInterp *in, const NrIView *view); /* NULL as above */
void nr_iview_copy_out(const NrInterp *in, const NrIView *view,
                       unsigned char *to); /* copies the elements in row-major order */
void nr_iview_fill(const NrInterp *in, NrIView *view, NrIValue v);
/* Copies value, which an op with a slice inserts, into the slice of a view of the destination. */
bool nr_insert_part(NrInterp *in, NrOp *op, NrValue *value, NrIView *into);
void nr_iview_release(NrIView *view);
void nr_ibuffer_discharge(NrIBuffer *buffer); /* stops counting it against a run's limit */
size_t nr_iview_elem_size(NrType elem); /* size of an element: a number, a handle, or a dense vector */
int64_t nr_iview_bytes(NrType elem, const int64_t *dims, size_t rank); /* INT64_MAX on overflow */
int64_t nr_iview_count(const NrIView *view);
unsigned char *nr_iview_at(const NrIView *view, const int64_t *indices); /* no checks */
bool nr_iview_inside(const NrIView *view, const int64_t *indices);
bool nr_next_index(const int64_t *dims, size_t rank, int64_t *indices);  /* row-major; false behind the last */
/* Whether the run must stop. An op over many elements may then end early without failing; the run stops before the next
 * op. */
static inline bool nr_interp_is_stopped(const NrInterp *in) { return in->exec && in->exec->stop; }
/* Like nr_next_index, but also false when the run must stop. */
bool nr_interp_next(const NrInterp *in, const int64_t *dims, size_t rank, int64_t *indices);
/* Loads an element; a vector becomes a new view, owned by the value. Only vectors allocate: false after failing. */
bool nr_ivalue_load_any(NrInterp *in, NrType elem, const unsigned char *p, NrIValue *out);
NrIValue nr_ivalue_load(NrType elem, const unsigned char *p); /* elem must not be a vector */
void nr_ivalue_store(NrType elem, unsigned char *p, NrIValue v);
NrIValue nr_ivalue_of_attr(NrInterp *in, NrAttr attr); /* elements: no view when out of memory, after failing */
NrAttr nr_ivalue_to_attr(NrInterp *in, NrType type, NrIValue v); /* NULL: no such attribute, or out of memory */
static inline int64_t nr_ivalue_int(NrType type, NrIValue v) { return nr_bits_to_int(type, v.bits); }
static inline double nr_ivalue_float(NrType type, NrIValue v) { return nr_bits_to_float(type, v.bits); }
static inline NrIValue nr_ivalue_from_float(NrType type, double d) {
  return (NrIValue){.bits = nr_bits_from_float(type, d)};
}
static inline NrIValue nr_ivalue_from_int(NrType type, int64_t i) {
  return (NrIValue){.bits = nr_bits_from_int(type, i)};
}

/* ---- running (interp.c) ---- */
bool nr_interp_fail(NrInterp *in, NrOp *op, const char *format, ...) NR_PRINTF(3, 4); /* returns false */
/* Fails where the runtime has the message already and only gets the location; returns false. */
bool nr_interp_fail_reported(NrInterp *in, NrOp *op);
/* Fails because a buffer cannot be allocated or has a negative dim; returns false. */
bool nr_interp_fail_size(NrInterp *in, NrOp *op, NrType elem, const int64_t *dims, size_t rank);
/* Whether op's vector results are below the size limit; else fails. */
bool nr_interp_has_room(NrInterp *in, NrOp *op);
NrIValue nr_get(NrInterp *in, NrValue *value);
int64_t nr_get_index(NrInterp *in, NrValue *value);
void nr_set(NrInterp *in, NrValue *value, NrIValue v);          /* takes the view's reference */
/* The operand's view for writing: moved out of its cell if this is its last use, else a dense copy. NULL after
 * failing. */
NrIView *nr_take_view(NrInterp *in, NrOp *user, size_t operand);
/* Runs a region's single block with arguments; out gets its terminator's num_out operands. */
bool nr_run_region(NrInterp *in, NrRegion *region, const NrIValue *args, size_t num_args, NrIValue *out,
                   size_t num_out);
bool nr_run_region_flow(NrInterp *in, NrOp *op); /* ops_region_flow.c: an op that .region_flow describes whole */
bool nr_run_func(NrInterp *in, NrOp *func, const NrIValue *args, size_t num_args, NrIValue *out, size_t num_out);

/* Runs the module's initializers unless they have run; false after failing, with no initialized global. */
bool nr_interp_initialize(NrInterp *in);
void nr_interp_drop_globals(NrInterp *in); /* of dialect util */
/* Calls import number `index` of the program; false after it failed. Other runs of the program go on meanwhile, because
 * a collective waits for them where they are other ranks. */
bool nr_interp_import(NrInterp *in, size_t index, const NoriaDesc *args, NoriaDesc *results);

/* Checks that the dims that a flow op declares for its operands are theirs. */
bool nr_interp_flow_dims(NrInterp *in, NrOp *op);
/* The dims of a result of a dispatch or call; *next_dim is the operand with the first dynamic one, and is advanced. */
void nr_interp_result_dims(NrInterp *in, NrOp *op, size_t result, size_t *next_dim, int64_t *out);
/* Changes a tied result from the argument's type to its own; false when the sizes in bytes differ. */
bool nr_interp_retype(NrIView *view, NrType t, const int64_t *dims);
/* The elements of a parameter, borrowed from the run. NULL after failing at op: no run, or more than memory holds. */
NrIView *nr_interp_parameter(NrInterp *in, NrOp *op, NrAttr parameter);
/* Runs an rt.call of a user's function (ops_call.c). */
bool nr_run_user_call(NrInterp *in, NrOp *op);
/* The buffer or tensor of an access to elements or vectors: operand `memref` or `base`. */
NrValue *nr_interp_accessed(const NrOp *op);
/* The element that an access is to; checks bounds and use after free. */
bool nr_interp_element(NrInterp *in, NrOp *op, unsigned char **out, NrIView **out_view);
/* Whether the indices are in bounds; else fails. */
bool nr_interp_in_bounds(NrInterp *in, NrOp *op, const NrIView *view, const int64_t *indices);
/* The indices of an access: its operands `indices`, through its affine map if it has one. */
bool nr_interp_indices(NrInterp *in, NrOp *op, size_t rank, int64_t *out);
/* The indices from the operands from number `first` on, through map unless it is NULL. */
bool nr_interp_mapped_indices(NrInterp *in, NrOp *op, size_t first, NrAttr map, size_t rank, int64_t *out);
/* a and b combined by a kind of memref.atomic_rmw; false for types beyond 64 bits. */
bool nr_interp_combine(int64_t kind, NrType type, NrIValue a, NrIValue b, NrIValue *out);
bool nr_interp_alive(NrInterp *in, NrOp *op, const NrIView *view);    /* fails for freed memory */
bool nr_interp_writable(NrInterp *in, NrOp *op, const NrIView *view); /* fails for a constant or an input */

/* Runs one op; false after failing. */
typedef bool (*NrInterpFn)(NrInterp *in, NrOp *op);
NrInterpFn nr_interp_find(unsigned op_id);
bool nr_interp_scalar(NrInterp *in, NrOp *op); /* scalar.c: elementwise ops, on shaped values element by element */
/* a and b combined; false for types beyond 64 bits, and where combine is NULL. */
bool nr_scalar_combine(const NrCombine *combine, NrType type, NrIValue a, NrIValue b, NrIValue *out);

#endif
