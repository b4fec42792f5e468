/* syntax_access.c - the text of ops with subscripts, `%A[%i + 3, symbol(%n)]`. */
#include "dialect/affine/affine.h"
#include "dialect/operands.h"
#include "dialect/shared/shaped.h"

/* ---- subscripts -------------------------------------------------------------------------------------------------- */

typedef struct Access {
  NrOperandRef value, memref;
  NrAffineOfValues at;
} Access;

static NrStatus parse_access(NrParser *p, Access *a) {
  NR_TRY(nr_p_operand(p, &a->memref));
  NR_TRY(nr_p_expect(p, "["));
  NR_TRY(nr_p_affine_exprs(p, &a->at));
  return nr_p_expect(p, "]");
}

static NrStatus parse_memref_type(NrParser *p, NrType *out) {
  NrLoc loc = nr_p_loc(p);
  NR_TRY(nr_p_type(p, out));
  return (*out)->kind == NR_TYPE_MEMREF ? NR_OK : nr_p_error(p, loc, "expected a memref type");
}

/* Adds the memref, the attribute of its map, and the map's operands. */
static NrStatus add_access(NrParser *p, NrOpState *state, const Access *a, NrType memref, const char *map) {
  const NrAffineOfValues *at = &a->at;
  NR_TRY(nr_p_add_operand(p, state, a->memref, memref));
  nr_p_add_attr(p, state, map,
                nr_attr_affine_map(nr_p_context(p), (uint32_t)at->dims.size, (uint32_t)at->symbols.size, at->exprs.data,
                                   at->exprs.size));
  NR_TRY(nr_p_add_indices(p, state, at->dims.data, at->dims.size));
  return nr_p_add_indices(p, state, at->symbols.data, at->symbols.size);
}

/* Prints `%memref[subscripts]`; `memref` is the operand index. */
static void print_access(NrPrinter *w, NrOp *op, size_t memref, NrAttr map) {
  nr_w_value(w, nr_operand(op, memref));
  nr_w_puts(w, "[");
  for (uint32_t i = 0; i < map->num_exprs; i++) {
    if (i) nr_w_puts(w, ", ");
    nr_w_affine_expr(w, map->exprs[i], op, memref + 1, map->num_dims);
  }
  nr_w_puts(w, "]");
}

static bool is_vector(unsigned id) { return id == NR_OP_affine_vector_load || id == NR_OP_affine_vector_store; }

/* ---- load %A[..] : memref<..> (, vector<..>)?   store %v, %A[..] : memref<..> (, vector<..>)? -------------------- */

/* Parses attributes and types after the subscripts; *out_value is the type of the element or vector. */
static NrStatus parse_accessed(NrParser *p, NrOpState *state, NrType *out_memref, NrType *out_value) {
  if (!nr_p_try_attr_dict(p, state)) return NR_ERROR_INVALID;
  NR_TRY(nr_p_expect(p, ":"));
  NR_TRY(parse_memref_type(p, out_memref));
  *out_value = (*out_memref)->elem;
  if (!is_vector(state->info->id)) return NR_OK;
  NR_TRY(nr_p_expect(p, ","));
  return nr_p_type(p, out_value);
}

static NrStatus parse_load(NrParser *p, NrOpState *state, Access *a) {
  NrType memref, value;
  NR_TRY(parse_access(p, a));
  NR_TRY(parse_accessed(p, state, &memref, &value));
  nr_p_add_result(p, state, value);
  return add_access(p, state, a, memref, "map");
}

static NrStatus parse_store(NrParser *p, NrOpState *state, Access *a) {
  NrType memref, value;
  NR_TRY(nr_p_operand(p, &a->value));
  NR_TRY(nr_p_expect(p, ","));
  NR_TRY(parse_access(p, a));
  NR_TRY(parse_accessed(p, state, &memref, &value));
  NR_TRY(nr_p_add_operand(p, state, a->value, value));
  return add_access(p, state, a, memref, "map");
}

static void print_accessed(NrPrinter *w, NrOp *op, NrType value) {
  print_access(w, op, nr_op_memref_index(op), nr_op_attr(op, NR_A_map));
  nr_w_attr_dict(w, op, (const char *const[]){"map", NULL});
  nr_w_puts(w, " : ");
  nr_w_type(w, nr_op_memref(op)->type);
  if (!is_vector(op->info->id)) return;
  nr_w_puts(w, ", ");
  nr_w_type(w, value);
}

void nr_affine_load_print(NrPrinter *w, NrOp *op) {
  nr_w_puts(w, " ");
  print_accessed(w, op, nr_op_result(op)->type);
}

void nr_affine_store_print(NrPrinter *w, NrOp *op) {
  nr_w_puts(w, " ");
  nr_w_value(w, nr_op_value(op));
  nr_w_puts(w, ", ");
  print_accessed(w, op, nr_op_value(op)->type);
}

/* ---- prefetch %A[..], read, locality<3>, data {attrs} : memref<..> ----------------------------------------------- */

static NrStatus parse_prefetch(NrParser *p, NrOpState *state, Access *a) {
  NrType memref;
  NR_TRY(parse_access(p, a));
  NR_TRY(nr_p_prefetch_hints(p, state));
  if (!nr_p_try_attr_dict(p, state)) return NR_ERROR_INVALID;
  NR_TRY(nr_p_expect(p, ":"));
  NR_TRY(parse_memref_type(p, &memref));
  return add_access(p, state, a, memref, "map");
}

void nr_affine_prefetch_print(NrPrinter *w, NrOp *op) {
  static const char *const elided[] = {"map", "isWrite", "localityHint", "isDataCache", NULL};
  nr_w_puts(w, " ");
  print_access(w, op, NR_AFFINE_PREFETCH_MEMREF, nr_op_attr(op, NR_A_map));
  nr_w_prefetch_hints(w, op);
  nr_w_attr_dict(w, op, elided);
  nr_w_puts(w, " : ");
  nr_w_type(w, nr_affine_prefetch_memref(op)->type);
}

/* ---- dma_start %source[..], %target[..], %tag[..], %n (, %stride, %run)? : memref<..>, memref<..>, memref<..> -----
 *      dma_wait %tag[..], %n : memref<..> */

enum { MAX_NUMBERS = 3 };

/* Parses `count` memrefs with subscripts, up to three numbers (n, stride, run), and the memrefs' types. */
static NrStatus parse_transfer(NrParser *p, NrOpState *state, Access *accesses, const char *const *maps, size_t count) {
  NrOperandRef numbers[MAX_NUMBERS];
  NrType types[NR_AFFINE_DMA_PLACES];
  size_t num_numbers = 0;
  for (size_t i = 0; i < count; i++) {
    NR_TRY(parse_access(p, &accesses[i]));
    NR_TRY(nr_p_expect(p, ","));
  }
  do NR_TRY(nr_p_operand(p, &numbers[num_numbers++]));
  while (num_numbers < MAX_NUMBERS && nr_p_try(p, ","));
  if (num_numbers == 2) return nr_p_error(p, nr_p_loc(p), "expected two stride related operands");
  if (!nr_p_try_attr_dict(p, state)) return NR_ERROR_INVALID;
  for (size_t i = 0; i < count; i++) {
    NR_TRY(nr_p_expect(p, i ? "," : ":"));
    NR_TRY(parse_memref_type(p, &types[i]));
  }
  for (size_t i = 0; i < count; i++) NR_TRY(add_access(p, state, &accesses[i], types[i], maps[i]));
  return nr_p_add_indices(p, state, numbers, num_numbers);
}

static void print_transfer(NrPrinter *w, NrOp *op, const char *const *maps, size_t count) {
  size_t memrefs[NR_AFFINE_DMA_PLACES], at = 0;
  nr_w_puts(w, " ");
  for (size_t i = 0; i < count; i++) {
    NrAttr map = nr_op_attr_named(op, maps[i]);
    memrefs[i] = at;
    print_access(w, op, at, map);
    nr_w_puts(w, ", ");
    at += 1 + nr_affine_num_inputs(map);
  }
  nr_w_values(w, op, at, op->num_operands - at);
  nr_w_attr_dict(w, op, nr_affine_dma_maps);
  for (size_t i = 0; i < count; i++) {
    nr_w_puts(w, i ? ", " : " : ");
    nr_w_type(w, nr_operand(op, memrefs[i])->type);
  }
}

void nr_affine_dma_start_print(NrPrinter *w, NrOp *op) {
  print_transfer(w, op, nr_affine_dma_maps, NR_AFFINE_DMA_PLACES);
}
void nr_affine_dma_wait_print(NrPrinter *w, NrOp *op) {
  print_transfer(w, op, nr_affine_dma_maps + NR_AFFINE_DMA_PLACES - 1, 1);
}

/* ---- the hooks --------------------------------------------------------------------------------------------------- */

NrStatus nr_affine_access_parse(NrParser *p, NrOpState *state) {
  static const char *const *maps = nr_affine_dma_maps;
  Access a[NR_AFFINE_DMA_PLACES] = {0};
  NrStatus status;
  switch (state->info->id) {
  case NR_OP_affine_load:
  case NR_OP_affine_vector_load: status = parse_load(p, state, a); break;
  case NR_OP_affine_store:
  case NR_OP_affine_vector_store: status = parse_store(p, state, a); break;
  case NR_OP_affine_prefetch: status = parse_prefetch(p, state, a); break;
  case NR_OP_affine_dma_start: status = parse_transfer(p, state, a, maps, NR_AFFINE_DMA_PLACES); break;
  default: status = parse_transfer(p, state, a, maps + NR_AFFINE_DMA_PLACES - 1, 1); break;
  }
  for (size_t i = 0; i < NR_COUNTOF(a); i++) nr_p_affine_deinit(&a[i].at);
  return status;
}
