/* vector.c - 1-D vectors: each op is a helper function, whose text says what happens to a lane. Vectors of more dims
 * exist only as elements of memrefs, of which whole rows are extracted and inserted (lower-vectors). */
#include "codegen/c/c.h"
#include "dialect/arith/arith.h"
#include "dialect/operands.h"
#include "dialect/rt/rt.h"
#include "dialect/vector/vector.h"

static int64_t lanes_of(NrType vector) { return vector->rank ? vector->dims[vector->rank - 1] : 1; }

/* Lane `at` of a vector of this type; of another type the value itself. */
static const char *lane(NrC *g, NrType type, const char *vector, const char *at) {
  if (type->kind != NR_TYPE_VECTOR) return vector;
  if (nr_c_is_gnu(type)) return nr_c_text(g, "AT%u(%s, %s)", nr_c_gnu_bytes(type), vector, at);
  return nr_c_text(g, "%s.lane[%s]", vector, at);
}

/* ---- ops on each lane ------------------------------------------------------------------------------------------- */

static const char letters[] = "abcd";

static bool all_gnu(const NrOp *op) {
  for (uint32_t i = 0; i < op->num_operands; i++)
    if (nr_operand(op, i)->type->kind != NR_TYPE_VECTOR || !nr_c_is_gnu(nr_operand(op, i)->type)) return false;
  return nr_c_is_gnu(nr_op_result(op)->type);
}

/* The bytes of the widest vector of op. */
static unsigned widest(const NrOp *op) {
  unsigned bytes = nr_c_gnu_bytes(nr_op_result(op)->type);
  for (uint32_t i = 0; i < op->num_operands; i++) bytes = NR_MAX(bytes, nr_c_gnu_bytes(nr_operand(op, i)->type));
  return bytes;
}

/* The parameters of a function that takes op's operands: "(f32x8 a, f32x8 b) {". */
static void put_parameters(NrC *g, NrBuf *out, const NrOp *op) {
  nr_buf_puts(out, "(");
  for (uint32_t i = 0; i < op->num_operands; i++)
    nr_buf_printf(out, i ? ", %s" : "%s",
                  nr_c_declare(g, nr_operand(op, i)->type, (char[]){letters[i], 0}));
  nr_buf_puts(out, ") {\n");
}

/* Lanes picked by the bits of a mask, which GCC makes a blend of; lane by lane it makes a branch for each. */
static void put_gnu_select(NrC *g, NrBuf *out, const NrOp *op) {
  NrType type = nr_op_result(op)->type;
  NrType bits = nr_type_vector(type->dims, 1, nr_type_int(g->ctx, (uint32_t)nr_c_elem_bytes(type->elem) * 8));
  const char *name = nr_c_type(g, bits);
  nr_buf_printf(out, "#if NORIA_GNU >= %u && NORIA_CONVERT\n  %s m = __builtin_convertvector(a, %s) != 0;\n",
                widest(op), name, name);
  nr_buf_printf(out, "  return (%s)(((%s)b & m) | ((%s)c & ~m));\n#else\n", nr_c_type(g, type), name, name);
}

static void put_gnu(NrC *g, NrBuf *out, const NrOp *op, const NrCRow *row) {
  if (nr_op_is(op, NR_OP_arith_select)) {
    put_gnu_select(g, out, op);
    return;
  }
  nr_buf_printf(out, "#if NORIA_GNU >= %u\n", widest(op));
  nr_buf_printf(out, op->num_operands == 1 ? "  return %sa;\n#else\n" : "  return a %s b;\n#else\n", row->gnu);
}

static const char *call(NrC *g, NrOp *op, const char *helper) {
  NrBuf text = {0};
  nr_buf_printf(&text, "%s(", helper);
  for (uint32_t i = 0; i < op->num_operands; i++)
    nr_buf_printf(&text, i ? ", %s" : "%s", nr_c_plain(g, nr_operand(op, i)));
  const char *out = nr_c_text(g, "%s)", text.data);
  nr_buf_deinit(&text);
  return out;
}

/* The call, with op's operands, of a function that gives this type; text: its parameters and body. */
static const char *call_made(NrC *g, NrOp *op, const char *base, NrType type, NrBuf *text) {
  const char *helper = nr_c_helper(g, base, nr_c_text(g, "%s ", nr_c_type(g, type)), text->data);
  nr_buf_deinit(text);
  return call(g, op, helper);
}

static const char *short_name(NrC *g, const NrOp *op) {
  NrStr name = nr_op_name(op);
  const char *dot = strchr(name.data, '.');
  return nr_c_text(g, "%s", dot ? dot + 1 : name.data);
}

const char *nr_c_lane_of(NrC *g, NrOp *op, uint32_t operand) {
  return lane(g, nr_operand(op, operand)->type, nr_c_text(g, "%c", letters[operand]), "i");
}

void nr_c_set_lanes(NrC *g, NrOp *op, NrValue *out, const char *base, const char *one, const NrCRow *gnu) {
  const char *name = nr_c_type(g, out->type);
  NrBuf text = {0};
  put_parameters(g, &text, op);
  if (gnu) put_gnu(g, &text, op, gnu);
  nr_buf_printf(&text, "  %s r = {0};\n  for (int i = 0; i < %lld; i++) %s = %s;\n  return r;\n%s}", name,
                (long long)lanes_of(out->type), lane(g, out->type, "r", "i"), one, gnu ? "#endif\n" : "");
  nr_c_set(g, out, call_made(g, op, nr_c_text(g, "%s_%s", base, name), out->type, &text));
}

NrStatus nr_c_emit_lanes(NrC *g, NrOp *op, const NrCRow *row) {
  const char *args[4];
  NrType type = nr_op_result(op)->type;
  assert(op->num_operands <= 4);
  for (uint32_t i = 0; i < op->num_operands; i++) args[i] = nr_c_lane_of(g, op, i);
  const char *one = row->lane(g, op, row, args);
  if (!one) return nr_op_error(op, "has no C for type %s", nr_type_text(g->ctx, type));
  nr_c_set_lanes(g, op, nr_op_result(op), short_name(g, op), one, row->gnu && all_gnu(op) ? row : NULL);
  return NR_OK;
}

/* ---- construction and rearrangement ------------------------------------------------------------------------------ */

/* A literal of the type, of items that `item` gives for lane i. */
static const char *literal(NrC *g, NrType type, const char *(*item)(NrC *g, int64_t i, void *user), void *user) {
  NrBuf text = {0};
  bool is_gnu = nr_c_is_gnu(type);
  nr_buf_printf(&text, "(%s)", nr_c_type(g, type));
  if (is_gnu) nr_buf_printf(&text, "LANES%u(", nr_c_gnu_bytes(type));
  else nr_buf_puts(&text, "{{");
  for (int64_t i = 0; i < lanes_of(type); i++) nr_buf_printf(&text, i ? ", %s" : "%s", item(g, i, user));
  const char *out = nr_c_text(g, is_gnu ? "%s)" : "%s}}", text.data);
  nr_buf_deinit(&text);
  return out;
}

static const char *item_same(NrC *g, int64_t i, void *user) { return user; }
static const char *item_number(NrC *g, int64_t i, void *user) { return nr_c_int(g, i); }

static NrStatus emit_broadcast(NrC *g, NrOp *op, const NrCRow *row) {
  NrType type = nr_op_result(op)->type, from = nr_vector_broadcast_source(op)->type;
  if (type->rank > 1) return nr_op_error(op, "has no C of vectors of several dims");
  const char *source = from->kind == NR_TYPE_VECTOR ? lane(g, from, "a", "0") : "a";
  NrBuf text = {0};
  put_parameters(g, &text, op);
  nr_buf_printf(&text, "  return %s;\n}", literal(g, type, item_same, (void *)source));
  nr_c_set(g, nr_op_result(op), call_made(g, op, nr_c_text(g, "splat_%s", nr_c_type(g, type)), type, &text));
  return NR_OK;
}

static NrStatus emit_step(NrC *g, NrOp *op, const NrCRow *row) {
  nr_c_set(g, nr_op_result(op), literal(g, nr_op_result(op)->type, item_number, NULL));
  return NR_OK;
}

static NrStatus emit_shuffle(NrC *g, NrOp *op, const NrCRow *row) {
  NrAttr mask = nr_op_attr(op, NR_A_mask);
  const int64_t *order = mask->data;
  int64_t count = (int64_t)(mask->data_size / sizeof *order);
  NrType type = nr_op_result(op)->type, from = nr_op_operand_type(op);
  const char *name = nr_c_type(g, type);
  bool fast = all_gnu(op) && from == nr_vector_shuffle_v2(op)->type;
  NrBuf text = {0};
  put_parameters(g, &text, op);
  if (fast) {
    nr_buf_printf(&text, "#if NORIA_GNU >= %u && NORIA_SHUFFLE\n  return __builtin_shufflevector(a, b", widest(op));
    for (int64_t i = 0; i < count; i++) nr_buf_printf(&text, ", %lld", (long long)order[i]);
    nr_buf_puts(&text, ");\n#else\n");
  }
  nr_buf_printf(&text, "  (void)a, (void)b;\n  %s r = {0};\n", name);
  for (int64_t i = 0; i < count; i++) {
    bool second = order[i] >= lanes_of(from);
    if (order[i] < 0) continue;
    NrType source = second ? nr_vector_shuffle_v2(op)->type : from;
    nr_buf_printf(&text, "  %s = %s;\n", lane(g, type, "r", nr_c_int(g, i)),
                  lane(g, source, second ? "b" : "a", nr_c_int(g, order[i] - (second ? lanes_of(from) : 0))));
  }
  nr_buf_printf(&text, "  return r;\n%s}", fast ? "#endif\n" : "");
  nr_c_set(g, nr_op_result(op), call_made(g, op, nr_c_text(g, "shuffle_%s", name), type, &text));
  return NR_OK;
}

static bool has_whole_bytes(NrType elem) {
  return nr_type_is_float(elem) ? nr_type_bits(elem) % 8 == 0 : nr_type_bits(elem) == nr_c_bits(elem);
}

/* Sets the lanes of r to the bits of those of a, one by one. */
static void put_bits(NrC *g, NrBuf *out, NrType from, NrType to) {
  uint32_t f = nr_type_bits(from->elem), t = nr_type_bits(to->elem);
  NrType bits = nr_type_is_float(from->elem) ? nr_type_int(g->ctx, f) : from->elem;
  const char *x = nr_c_bitcast(g, from->elem, bits, lane(g, from, "a", "(i * STEP + k) / FROM"));
  nr_buf_printf(out, "  enum { FROM = %u, STEP = %u };\n  for (int i = 0; i < %lld; i++) {\n    u64 x = 0;\n", f, t,
                (long long)lanes_of(to));
  nr_buf_printf(out, "    for (int k = 0; k < STEP; k++) x |= ((u64)%s >> (i * STEP + k) %% FROM & 1) << k;\n",
                nr_c_group(g, nr_c_unsigned(g, bits, nr_c_group(g, x))));
  NrType made = nr_type_is_float(to->elem) ? nr_type_int(g->ctx, t) : to->elem;
  const char *value = nr_c_bitcast(g, made, to->elem, nr_c_group(g, nr_c_wrapped(g, made, "x")));
  nr_buf_printf(out, "    %s = %s;\n  }\n", lane(g, to, "r", "i"), value);
}

/* Bits are those of the lanes, one behind the other, from the lowest on: those of the memory where that begins with the
 * lowest, or where lanes stay lanes. */
static NrStatus emit_bitcast(NrC *g, NrOp *op, const NrCRow *row) {
  NrType to = nr_op_result(op)->type, from = nr_op_operand_type(op);
  const char *name = nr_c_type(g, to);
  NrBuf text = {0};
  if (from->rank > 1 || nr_type_bits(from->elem) > 64 || nr_type_bits(to->elem) > 64)
    return nr_op_error(op, "has no C for type %s", nr_type_text(g->ctx, to));
  put_parameters(g, &text, op);
  nr_buf_printf(&text, "  %s r = {0};\n", name);
  bool in_bytes = has_whole_bytes(from->elem) && has_whole_bytes(to->elem);
  bool by_order = in_bytes && nr_type_bits(from->elem) != nr_type_bits(to->elem);
  if (by_order) nr_buf_puts(&text, "#if NORIA_LITTLE_ENDIAN\n");
  if (in_bytes) nr_buf_puts(&text, "  memcpy(&r, &a, sizeof r);\n");
  if (by_order) nr_buf_puts(&text, "#else\n");
  if (by_order || !in_bytes) put_bits(g, &text, from, to);
  if (by_order) nr_buf_puts(&text, "#endif\n");
  nr_buf_puts(&text, "  return r;\n}");
  const char *base = nr_c_text(g, "bitcast_%s_%s", nr_c_type(g, from), name);
  nr_c_set(g, nr_op_result(op), call_made(g, op, base, to, &text));
  return NR_OK;
}

/* ---- elements, and rows of arrays of rows ----------------------------------------------------------------------- */

/* The part of `vector` that op's position names: a lane, or a row; NULL: something else. dynamic: the operand with a
 * lane's number. */
static const char *part(NrC *g, NrOp *op, NrType type, const char *vector, uint32_t dynamic) {
  NrAttr statics = nr_op_attr(op, NR_A_static_position);
  size_t count = statics->data_size / sizeof(int64_t);
  const int64_t *at = statics->data;
  if (type->rank <= 1) {
    if (count && at[0] == NR_DYNAMIC)
      return lane(g, type, vector, nr_c_plain(g, nr_operand(op, dynamic)));
    return lane(g, type, vector, nr_c_int(g, count ? at[0] : 0));
  }
  int64_t row = 0;
  if (count + 1 < type->rank) return NULL;
  for (uint32_t i = 0; i + 1 < type->rank; i++) row = row * type->dims[i] + at[i];
  const char *text = nr_c_text(g, "%s.row[%lld]", vector, (long long)row);
  NrType one = nr_type_vector(type->dims + type->rank - 1, 1, type->elem);
  return count == type->rank ? lane(g, one, text, nr_c_int(g, at[count - 1])) : text;
}

static NrStatus emit_extract(NrC *g, NrOp *op, const NrCRow *row) {
  NrValue *source = nr_vector_extract_source(op);
  const char *text = part(g, op, source->type, nr_c_value(g, source), NR_VECTOR_EXTRACT_POSITION);
  if (!text) return nr_op_error(op, "takes several rows, for which there is no C");
  bool mask = nr_type_is_int_width(nr_op_result(op)->type, 1);
  nr_c_set(g, nr_op_result(op), mask ? nr_c_text(g, "%s != 0", text) : text);
  return NR_OK;
}

static NrStatus emit_insert(NrC *g, NrOp *op, const NrCRow *row) {
  NrValue *value = nr_vector_insert_value(op), *into = nr_vector_insert_dest(op), *out = nr_op_result(op);
  nr_c_define(g, out, nr_c_plain(g, into));
  const char *text = part(g, op, into->type, nr_c_name(g, out), NR_VECTOR_INSERT_POSITION);
  if (!text) return nr_op_error(op, "replaces several rows, for which there is no C");
  nr_c_line(g, "%s = %s;", text, nr_c_plain(g, value));
  return NR_OK;
}

/* Four products of bytes for each lane. */
static NrStatus emit_dot(NrC *g, NrOp *op, const NrCRow *row) {
  NrType type = nr_op_result(op)->type, bytes = nr_rt_dot_a(op)->type;
  NrBuf text = {0};
  put_parameters(g, &text, op);
  const char *x = nr_c_unsigned(g, bytes->elem, lane(g, bytes, "b", "k")), *sum = lane(g, type, "a", "i");
  nr_buf_printf(&text, "  for (int i = 0; i < %lld; i++) {\n    u32 sum = (u32)%s;\n", (long long)lanes_of(type), sum);
  nr_buf_printf(&text, "    for (int k = 4 * i; k < 4 * i + 4; k++) sum += %s * (u32)(i32)%s;\n", x,
                lane(g, bytes, "c", "k"));
  nr_buf_printf(&text, "    %s = %s;\n  }\n  return a;\n}", sum, nr_c_wrapped(g, type->elem, "sum"));
  nr_c_set(g, nr_op_result(op), call_made(g, op, nr_c_text(g, "dot_%s", nr_c_type(g, type)), type, &text));
  return NR_OK;
}

/* ---- memory ----------------------------------------------------------------------------------------------------- */

static const char *address_of(NrC *g, NrOp *op) {
  return nr_c_address(g, nr_op_base(op), nr_operand(op, nr_op_indices(op).begin));
}

static NrStatus emit_load(NrC *g, NrOp *op, const NrCRow *row) {
  NrValue *out = nr_op_result(op);
  NrType type = out->type, elem = type->elem;
  const char *name = nr_c_type(g, type), *x = nr_c_from_memory(g, elem, "p[i]"), *memory = nr_c_memory(g, elem);
  const char *behind =
      strcmp(x, "p[i]") == 0
          ? nr_c_text(g, "(const %s *p) {\n  %s r;\n  memcpy(&r, p, sizeof r);\n  return r;\n}", memory, name)
          : nr_c_text(g, "(const %s *p) {\n  %s r = {0};\n  for (int i = 0; i < %lld; i++) %s = %s;\n  return r;\n}",
                      memory, name, (long long)lanes_of(type), lane(g, type, "r", "i"), x);
  const char *helper = nr_c_helper(g, nr_c_text(g, "load_%s", name), nr_c_text(g, "%s ", name), behind);
  nr_c_set(g, out, nr_c_text(g, "%s(%s)", helper, address_of(g, op)));
  return NR_OK;
}

static NrStatus emit_store(NrC *g, NrOp *op, const NrCRow *row) {
  NrValue *value = nr_vector_store_value(op);
  NrType type = value->type, elem = type->elem;
  const char *name = nr_c_type(g, type), *item = lane(g, type, "v", "i"), *memory = nr_c_memory(g, elem);
  const char *x = nr_c_to_memory(g, elem, item);
  const char *behind =
      strcmp(x, item) == 0
          ? nr_c_text(g, "(%s *p, %s v) { memcpy(p, &v, sizeof v); }", memory, name)
          : nr_c_text(g, "(%s *p, %s v) {\n  for (int i = 0; i < %lld; i++) p[i] = %s;\n}", memory, name,
                      (long long)lanes_of(type), x);
  nr_c_line(g, "%s(%s, %s);", nr_c_helper(g, nr_c_text(g, "store_%s", name), "void ", behind), address_of(g, op),
            nr_c_plain(g, value));
  return NR_OK;
}

/* Operands: base, index, [numbers of the lanes' elements,] mask, then the values of masked lanes, or the values to
 * store. text: the element of lane i; code: whether only lanes that are on count. */
static NrStatus emit_masked(NrC *g, NrOp *op, const NrCRow *row) {
  NrValue *last = nr_operand(op, op->num_operands - 1), *mask = nr_operand(op, op->num_operands - 2);
  NrValue *numbers = nr_op_is(op, NR_OP_vector_gather)    ? nr_vector_gather_index_vec(op)
                     : nr_op_is(op, NR_OP_vector_scatter) ? nr_vector_scatter_index_vec(op) : NULL;
  NrType type = last->type, elem = type->elem;
  if (type->rank != 1) return nr_op_error(op, "has a vector of higher rank than its memref");
  bool loads = op->num_results > 0;
  const char *name = nr_c_type(g, type), *memory = nr_c_memory(g, elem);
  const char *at = numbers ? nr_c_text(g, "p[%s]", lane(g, numbers->type, "n", "i")) : row->code ? "p[k++]" : "p[i]";
  const char *item = lane(g, type, "v", "i"), *on = lane(g, mask->type, "m", "i");
  const char *step = loads ? nr_c_text(g, "%s = %s", item, nr_c_from_memory(g, elem, at))
                           : nr_c_text(g, "%s = %s", at, nr_c_to_memory(g, elem, item));
  NrBuf text = {0};
  nr_buf_printf(&text, "(%s%s *p, ", loads ? "const " : "", memory);
  if (numbers) nr_buf_printf(&text, "%s n, ", nr_c_type(g, numbers->type));
  nr_buf_printf(&text, "%s m, %s v) {\n", nr_c_type(g, mask->type), name);
  if (row->code) nr_buf_puts(&text, "  int k = 0;\n");
  nr_buf_printf(&text, "  for (int i = 0; i < %lld; i++)\n    if (%s) %s;\n%s}", (long long)lanes_of(type), on, step,
                loads ? "  return v;\n" : "");
  const char *base = nr_c_text(g, "%s_%s", short_name(g, op), name);
  const char *helper = nr_c_helper(g, base, loads ? nr_c_text(g, "%s ", name) : "void ", text.data);
  nr_buf_deinit(&text);
  const char *call =
      nr_c_text(g, "%s(%s, %s%s%s, %s)", helper, address_of(g, op), numbers ? nr_c_plain(g, numbers) : "",
                numbers ? ", " : "", nr_c_plain(g, mask), nr_c_plain(g, last));
  if (loads) nr_c_set(g, nr_op_result(op), call);
  else nr_c_line(g, "%s;", call);
  return NR_OK;
}

/* ---- reductions ------------------------------------------------------------------------------------------------- */

/* Sums and products of floats go from the first lane to the last, unless the op allows another order: then halves are
 * combined, as vector units do. */
static NrStatus emit_reduction(NrC *g, NrOp *op, const NrCRow *row) {
  NrType type = nr_vector_reduction_vector(op)->type, elem = type->elem;
  NrStr kind = nr_vector_kind(op);
  if (type->rank != 1) return nr_op_error(op, "is a reduction that C does not have");
  const char *name = nr_c_type(g, elem), *vector = nr_c_type(g, type);
  bool has_acc = op->num_operands > 1, mask = nr_type_is_int_width(elem, 1);
  bool sums = nr_type_is_float(elem) && (nr_str_is(kind, "add") || nr_str_is(kind, "mul"));
  int64_t lanes = lanes_of(type);
  bool halves = (!sums || nr_arith_fastmath_has(op, "reassoc")) && (lanes & (lanes - 1)) == 0 && lanes > 1 && !mask;
  const char *both =
      halves ? nr_c_combine(g, kind, elem, lane(g, type, "a", "i"), lane(g, type, "a", "i + n"))
             : nr_c_combine(g, kind, elem, "r",
                            mask ? nr_c_text(g, "(%s != 0)", lane(g, type, "a", "i")) : lane(g, type, "a", "i"));
  const char *with = nr_c_combine(g, kind, elem, "b", "r");
  if (!both || !with) return nr_op_error(op, "is a reduction that C does not have");
  NrBuf text = {0};
  nr_buf_printf(&text, has_acc ? "(%s a, %s b) {\n" : "(%s a) {\n", vector, name);
  bool first = has_acc && sums && !halves; /* the accumulator comes first */
  if (halves)
    nr_buf_printf(&text, "  for (int n = %lld; n; n /= 2)\n    for (int i = 0; i < n; i++) %s = %s;\n  %s r = %s;\n",
                  (long long)lanes / 2, lane(g, type, "a", "i"), both, name, lane(g, type, "a", "0"));
  else
    nr_buf_printf(&text, "  %s r = %s;\n  for (int i = %d; i < %lld; i++) r = %s;\n", name,
                  first ? "b" : lane(g, type, "a", "0"), !first, (long long)lanes, both);
  nr_buf_printf(&text, "  return %s;\n}", has_acc && !first ? with : "r");
  const char *base = nr_c_text(g, "reduce_%.*s_%s", NR_STR_ARG(kind), vector);
  nr_c_set(g, nr_op_result(op), call_made(g, op, base, elem, &text));
  return NR_OK;
}

const NrCRow nr_c_vector_rows[] = {
    {"vector.broadcast", emit_broadcast},
    {"vector.step", emit_step},
    {"vector.shuffle", emit_shuffle},
    {"vector.bitcast", emit_bitcast},
    {"vector.extract", emit_extract},
    {"vector.insert", emit_insert},
    {"vector.load", emit_load},
    {"vector.store", emit_store},
    {"vector.maskedload", emit_masked},
    {"vector.maskedstore", emit_masked},
    {"vector.gather", emit_masked},
    {"vector.scatter", emit_masked},
    {"vector.expandload", emit_masked, .code = 1},
    {"vector.compressstore", emit_masked, .code = 1},
    {"vector.reduction", emit_reduction},
    {"rt.dot", emit_dot},
    {0},
};
