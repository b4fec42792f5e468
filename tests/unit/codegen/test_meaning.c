/* Every element-wise op of arith and math on every combination of types that its row and verifier take and on edge
 * values: machine code on scalars and on vectors, and the op's fold, give what the interpreter gives. Where it says
 * that a value is undefined, nothing is compared. Complex numbers and integers of more than 64 bits are checked in
 * parts. An argument names another CPU than this machine's: code is made and linked for it, and compared where this
 * machine can run it. */
#include <math.h>

#include "base/cpu.h"
#include "base/float_format.h"
#include "codegen_test.h"
#include "interp/interp.h"

enum { MOST_OPERANDS = 3, MOST_RESULTS = 2, MOST_EDGES = 32, MOST_CASES = 512 };

static const char *cpu; /* that code is made for; NULL: this machine's */

/* Returns whether this machine can run the code. */
static bool compile(Program *p, const char *text) {
  NrCodegenOptions options = {.cpu = cpu, .opt_level = 2, .all_functions = true};
  memset(p, 0, sizeof *p);
  program_parse(p, text);
  NrStatus status = cpu ? nr_codegen_target(p->ctx, cpu, NULL, &options.target) : NR_OK;
  if (!status) status = program_finish(p, &options);
  if (status) fail_msg("%s%s", p->messages.data ? p->messages.data : "", text);
  const char *needs = nr_compiled_module(p->compiled)->cpu;
  return nr_cpu_missing(needs ? needs : "").size == 0;
}

/* ---- types and their edge values --------------------------------------------------------------------------------- */

static const char *const types[] = {"i1",  "i3",  "i8",   "i17", "i32", "i33",    "i64",      "index",    "f16",
                                    "bf16", "f32", "f64", "f8E5M2", "f8E4M3FN", "f8E8M0FNU", "f4E2M1FN", "f8E4M3FNUZ"};

typedef struct Edges {
  uint64_t bits[MOST_EDGES];
  size_t count;
} Edges;

static uint64_t mask_of(NrType t) {
  uint32_t width = nr_type_bits(t);
  return width >= 64 ? UINT64_MAX : (1ull << width) - 1;
}

static double value_of(NrType t, uint64_t bits) {
  if (t->float_kind == NR_F64) return as_f64(scalar_bits(bits));
  return t->float_kind == NR_F32 ? as_f32(scalar_bits(bits)) : nr_float_decode(nr_float_format(t->float_kind), bits);
}

static uint64_t bits_of(NrType t, double value) {
  if (t->float_kind == NR_F64) return scalar_f64(value).bits;
  return t->float_kind == NR_F32 ? scalar_f32((float)value).bits
                                 : nr_float_encode(nr_float_format(t->float_kind), value, false);
}

static Edges edges_of(NrType t, bool few) {
  Edges e = {0};
  if (nr_type_is_float(t)) {
    const double values[] = {0.0,    -0.0,       1,          -1,     0.5,         -2.5,      INFINITY,      -INFINITY,
                             NAN,    1e-45,      0x1p-126,   3,      1.5,         -0.5,      127,           -128.5,
                             255.75, 65504,      2147483647, 0x1p31, -0x1p31 - 1, 0x1p63,    -0x1p63,       0x1p64,
                             0.1,    0.49999997, 0x1p23 + 1, 1e-3,   -1e-8,       -0x1p-149, 0x1.fffffep127};
    for (size_t i = 0; i < NR_COUNTOF(values) && i < (few ? 13 : MOST_EDGES); i++)
      e.bits[e.count++] = bits_of(t, values[i]);
    return e;
  }
  uint64_t mask = mask_of(t), sign = mask / 2 + 1, width = nr_type_bits(t);
  const uint64_t values[] = {0, 1, mask, sign, sign - 1, 2, 3, mask - 1, sign + 1, sign - 2, width, width - 1,
                             7, 0x5555555555555555, 1ull << 24 | 1, 1ull << 53 | 1};
  for (size_t i = 0; i < NR_COUNTOF(values) && i < (few ? 9 : MOST_EDGES); i++) e.bits[e.count++] = values[i] & mask;
  return e;
}

/* ---- cases ------------------------------------------------------------------------------------------------------- */

typedef struct Case {
  const char *operands[MOST_OPERANDS], *results[MOST_RESULTS];
} Case;

typedef struct Sweep {
  const NrOpInfo *info;
  const char *attrs; /* "<{...}>" or "" */
  size_t num_operands, num_results;
  Case cases[MOST_CASES];
  size_t num_cases;
  double ulps;     /* of elementary functions */
  bool open_zeros; /* which of two zeros it gives is open */
} Sweep;

static void typed_list(NrBuf *text, const char *const *list, size_t count, const char *before, const char *after) {
  for (size_t i = 0; i < count; i++) nr_buf_printf(text, "%s%s%s%s", i ? ", " : "", before, list[i], after);
}

static void op_text(NrBuf *text, const Sweep *s, const Case *c, const char *names, const char *before,
                    const char *after) {
  nr_buf_printf(text, "\"%s\"(%s) %s : (", nr_op_info_name(s->info).data, names, s->attrs);
  typed_list(text, c->operands, s->num_operands, before, after);
  nr_buf_puts(text, ") -> (");
  typed_list(text, c->results, s->num_results, before, after);
  nr_buf_puts(text, ")\n");
}

static const char *const scalar_names[] = {"", "%a0", "%a0, %a1", "%a0, %a1, %a2"};
static const char *const vector_names[] = {"", "%v0", "%v0, %v1", "%v0, %v1, %v2"};

static void head(NrBuf *text, const Sweep *s, const Case *c, size_t number, const char *kind, size_t repeat) {
  nr_buf_printf(text, "func.func @%s%zu(", kind, number);
  for (size_t i = 0; i < s->num_operands; i++) nr_buf_printf(text, "%s%%a%zu: %s", i ? ", " : "", i, c->operands[i]);
  nr_buf_puts(text, ") -> (");
  for (size_t i = 0; i < s->num_results * repeat; i++)
    nr_buf_printf(text, "%s%s", i ? ", " : "", c->results[i / repeat]);
  nr_buf_puts(text, ") {\n  ");
}

/* The op on scalars, and on vectors of three lanes, of which the last is looked at. */
static void case_text(NrBuf *text, const Sweep *s, const Case *c, size_t number) {
  head(text, s, c, number, "s", 1);
  nr_buf_printf(text, "%%r:%zu = ", s->num_results);
  op_text(text, s, c, scalar_names[s->num_operands], "", "");
  nr_buf_printf(text, "  return %s : ", s->num_results == 2 ? "%r#0, %r#1" : "%r#0");
  typed_list(text, c->results, s->num_results, "", "");
  nr_buf_puts(text, "\n}\n");
  head(text, s, c, number, "v", 1);
  for (size_t i = 0; i < s->num_operands; i++) {
    const char *t = c->operands[i];
    nr_buf_printf(text, "%%one%zu = arith.constant %s : %s\n  ", i, t[0] == 'i' ? "1" : "1.0", t);
    nr_buf_printf(text, "%%v%zu = vector.from_elements %%one%zu, %%one%zu, %%a%zu : vector<3x%s>\n  ", i, i, i, i, t);
  }
  nr_buf_printf(text, "%%r:%zu = ", s->num_results);
  op_text(text, s, c, vector_names[s->num_operands], "vector<3x", ">");
  for (size_t i = 0; i < s->num_results; i++)
    nr_buf_printf(text, "  %%e%zu = vector.extract %%r#%zu[2] : %s from vector<3x%s>\n", i, i, c->results[i],
                  c->results[i]);
  nr_buf_printf(text, "  return %s : ", s->num_results == 2 ? "%e0, %e1" : "%e0");
  typed_list(text, c->results, s->num_results, "", "");
  nr_buf_puts(text, "\n}\n");
}

static void say_nothing(void *user, const NrDiag *diag) { (void)user, (void)diag; }

/* f8E8M0FNU has no sign to change, and only with it as the scale are scaling casts more than a change of type. */
static bool has_meaning(const Sweep *s, const Case *c) {
  switch (s->info->id) {
  case NR_OP_arith_negf: return strcmp(c->operands[0], "f8E8M0FNU") != 0;
  case NR_OP_arith_scaling_extf:
  case NR_OP_arith_scaling_truncf: return strcmp(c->operands[1], "f8E8M0FNU") == 0;
  default: return true;
  }
}

static bool is_valid(const Sweep *s, const Case *c) {
  if (!has_meaning(s, c)) return false;
  NrContext *ctx = nr_context_create();
  nr_context_set_diag_handler(ctx, say_nothing, NULL);
  NrBuf text = {0};
  case_text(&text, s, c, 0);
  NrModule *m = nr_parse_module(ctx, (NrStr){text.data, text.size}, nr_str("case.mlir"), NULL, NULL);
  bool ok = m && nr_verify(m->op) == NR_OK;
  if (m) nr_module_destroy(m);
  nr_context_destroy(ctx);
  nr_buf_deinit(&text);
  return ok;
}

/* Operands and results are of one type, or the first, the last or the result differs: what the rows have. */
static void find_cases(Sweep *s) {
  size_t n = NR_COUNTOF(types);
  s->num_cases = 0;
  for (size_t t = 0; t < n; t++)
    for (size_t u = 0; u < n; u++)
      for (int shape = 0; shape < 5 && s->num_cases < MOST_CASES; shape++) {
        bool same = shape == 0, needs_more = (shape == 1 || shape == 2) && s->num_operands == 1;
        if ((same && u != t) || (!same && u == t) || needs_more) continue;
        Case c;
        for (size_t i = 0; i < MOST_OPERANDS; i++) c.operands[i] = types[t];
        c.results[0] = c.results[1] = types[t];
        if (shape == 1) c.operands[0] = types[u];
        if (shape == 2) c.operands[s->num_operands - 1] = types[u];
        if (shape == 3) c.results[0] = c.results[1] = types[u];
        if (shape == 4 && s->num_results == 2) c.results[1] = types[u];
        else if (shape == 4 && s->num_operands == 2 && types[t][0] == 'f') { /* scaled by a power of two */
          c.operands[1] = "f8E8M0FNU";
          c.results[0] = types[u];
        } else if (shape == 4) continue;
        if (is_valid(s, &c)) s->cases[s->num_cases++] = c;
      }
}

/* ---- comparison -------------------------------------------------------------------------------------------------- */

static double ulp_at(NrType t, double x) {
  int exponent;
  frexp(fabs(x), &exponent);
  const NrFloatFormat *f = t->float_kind == NR_F64 || t->float_kind == NR_F32 ? NULL : nr_float_format(t->float_kind);
  int digits = f ? f->mantissa_bits + 1 : t->float_kind == NR_F64 ? 53 : 24;
  int least = f ? 2 - f->bias : t->float_kind == NR_F64 ? -1021 : -125;
  return ldexp(1, NR_MAX(exponent, least) - digits);
}

static bool agree(const Sweep *s, NrType t, uint64_t want, uint64_t got) {
  want &= mask_of(t), got &= mask_of(t);
  if (want == got) return true;
  if (!nr_type_is_float(t)) return false;
  double a = value_of(t, want), b = value_of(t, got);
  if (isnan(a) || isnan(b)) return isnan(a) && isnan(b);
  if (a == 0 && b == 0) return s->open_zeros;
  if (s->ulps == 0) return false;
  if (isinf(a) || isinf(b)) return false;
  return fabs(a - b) <= s->ulps * ulp_at(t, a);
}

/* Functions that the hardware or libm rounds in its own way. */
static double ulps_of(unsigned id) {
  switch (id) {
  case NR_OP_math_absf: case NR_OP_math_absi: case NR_OP_math_ceil: case NR_OP_math_floor: case NR_OP_math_trunc:
  case NR_OP_math_round: case NR_OP_math_roundeven: case NR_OP_math_copysign: case NR_OP_math_clampf:
  case NR_OP_math_sqrt: case NR_OP_math_fma: case NR_OP_math_isfinite: case NR_OP_math_isinf: case NR_OP_math_isnan:
  case NR_OP_math_isnormal: case NR_OP_math_ctlz: case NR_OP_math_cttz: case NR_OP_math_ctpop: case NR_OP_math_ipowi:
    return 0;
  default: return 4;
  }
}

typedef struct Run {
  const Sweep *sweep;
  const Case *c;
  Program *p;
  NrInterpProgram *interp;
  NrOp *op; /* of the scalar function */
  NoriaEntryFn scalar, vector;
  size_t compared;
} Run;

static void complain(const Run *r, const char *what, size_t i, const uint64_t *args, uint64_t want, uint64_t got) {
  NrBuf text = {0};
  op_text(&text, r->sweep, r->c, scalar_names[r->sweep->num_operands], "", "");
  for (size_t k = 0; k < r->sweep->num_operands; k++) nr_buf_printf(&text, " %#llx", (unsigned long long)args[k]);
  fail_msg("%s of %s: result %zu is %#llx, not %#llx", what, text.data, i, (unsigned long long)got,
           (unsigned long long)want);
}

static void check_code(Run *r, NoriaEntryFn code, const char *what, const uint64_t *args, const NoriaDesc *want) {
  NoriaDesc in[MOST_OPERANDS], out[MOST_RESULTS];
  for (size_t i = 0; i < r->sweep->num_operands; i++) in[i] = scalar_bits(args[i]);
  assert_int_equal(code(&r->p->run.exec, in, out), 0);
  for (size_t i = 0; i < r->sweep->num_results; i++)
    if (!agree(r->sweep, nr_result(r->op, i)->type, want[i].bits, out[i].bits))
      complain(r, what, i, args, want[i].bits, out[i].bits);
}

static void check_fold(Run *r, const uint64_t *args, const NoriaDesc *want, bool defined) {
  NrAttr constants[MOST_OPERANDS];
  NrFold folded[MOST_RESULTS] = {{0}};
  for (size_t i = 0; i < r->sweep->num_operands; i++) {
    NrType t = nr_operand(r->op, i)->type;
    constants[i] = nr_type_is_float(t) ? nr_attr_float_bits(t, args[i]) : nr_attr_int(t, (int64_t)args[i]);
  }
  if (!r->op->info->fold || !r->op->info->fold(r->op, constants, folded) || !defined) return;
  for (size_t i = 0; i < r->sweep->num_results; i++) {
    uint64_t got = 0;
    NrAttr attr = folded[i].attr;
    if (attr) got = attr->kind == NR_ATTR_FLOAT ? attr->bits : (uint64_t)attr->i;
    else if (folded[i].value)
      for (size_t k = 0; k < r->sweep->num_operands; k++)
        if (nr_operand(r->op, k) == folded[i].value) got = args[k];
    if (!agree(r->sweep, nr_result(r->op, i)->type, want[i].bits, got)) complain(r, "fold", i, args, want[i].bits, got);
  }
}

/* False where the value is undefined. */
static bool interpret(Run *r, const NoriaDesc *in, NoriaDesc *out) {
  const NoriaModule *module = nr_interp_module(r->interp);
  const void *self[] = {module->constants[0].data};
  TestExec exec = {.exec = {.api = &host_api, .constants = self, .threads = 1}, .module = module, .site = -1};
  if (module->entry(&exec.exec, in, out) == 0) return true;
  const char *why = module->sites[module->num_sites - 1].text;
  if (strstr(why, "cannot compute")) fail_msg("%s", why);
  return false;
}

static void check_values(Run *r, const uint64_t *args) {
  NoriaDesc in[MOST_OPERANDS], want[MOST_RESULTS];
  for (size_t i = 0; i < r->sweep->num_operands; i++) in[i] = scalar_bits(args[i]);
  bool defined = interpret(r, in, want);
  check_fold(r, args, want, defined);
  if (!defined) return;
  r->compared++;
  check_code(r, r->scalar, "machine code", args, want);
  check_code(r, r->vector, "vector code", args, want);
}

static void check_case(Run *r) {
  Edges edges[MOST_OPERANDS];
  size_t at[MOST_OPERANDS] = {0}, n = r->sweep->num_operands;
  for (size_t i = 0; i < n; i++) edges[i] = edges_of(nr_operand(r->op, i)->type, n > 2);
  for (size_t i = 0; i < n;) {
    uint64_t args[MOST_OPERANDS];
    for (size_t k = 0; k < n; k++) args[k] = edges[k].bits[at[k]];
    check_values(r, args);
    for (i = 0; i < n && ++at[i] == edges[i].count; i++) at[i] = 0;
  }
}

static NrOp *find_op(NrModule *module, const char *function) {
  NrOp *func = nr_symbol_lookup(module->op, nr_str(function));
  return nr_op_body(func, 0)->first;
}

static void sweep(Sweep *s, size_t *io_cases, size_t *io_compared) {
  find_cases(s);
  if (!s->num_cases) return;
  NrBuf text = {0};
  for (size_t i = 0; i < s->num_cases; i++) case_text(&text, s, &s->cases[i], i);
  Program p;
  bool runs = compile(&p, text.data);
  Program plain = {0}; /* code generation changes its module */
  NrModule *module = program_parse(&plain, text.data);
  for (size_t i = 0; runs && i < s->num_cases; i++) {
    char names[2][32];
    snprintf(names[0], sizeof names[0], "s%zu", i);
    snprintf(names[1], sizeof names[1], "v%zu", i);
    Run run = {.sweep = s, .c = &s->cases[i], .p = &p, .op = find_op(module, names[0])};
    run.scalar = nr_codegen_function(p.compiled, names[0]);
    run.vector = nr_codegen_function(p.compiled, names[1]);
    assert_int_equal(nr_interp_create(module, names[0], NULL, &run.interp), NR_OK);
    check_case(&run);
    nr_interp_destroy(run.interp);
    *io_compared += run.compared;
  }
  *io_cases += s->num_cases;
  program_free(&plain);
  program_free(&p);
  nr_buf_deinit(&text);
}

/* ---- tests ------------------------------------------------------------------------------------------------------- */

/* The attributes of an op's variant, or NULL behind the last. */
static const char *attrs_of(unsigned id, int variant, char *text, size_t size) {
  int count = id == NR_OP_arith_cmpi ? 10 : id == NR_OP_arith_cmpf ? 16 : id == NR_OP_arith_truncf ? 5 : 1;
  if (variant >= count) return NULL;
  if (count == 1) return "";
  if (id == NR_OP_arith_truncf) snprintf(text, size, "<{roundingmode = %d : i32}>", variant);
  else snprintf(text, size, "<{predicate = %d : i64}>", variant);
  return text;
}

static void all_ops_of(const char *dialect, size_t least_cases) {
  static Sweep s;
  NrContext *ctx = nr_context_create();
  size_t cases = 0, compared = 0;
  for (unsigned id = 1; id < NR_OP_COUNT; id++) {
    const NrOpInfo *info = nr_op_infos[id];
    const NrOpSpec *spec = nr_op_spec(ctx, info);
    bool fits = spec->num_operands >= 1 && spec->num_operands <= MOST_OPERANDS && spec->num_results <= MOST_RESULTS;
    if (strcmp(info->dialect, dialect) || !(info->traits & NR_ELEMENTWISE) || !fits) continue;
    char text[64];
    for (int variant = 0;; variant++) {
      const char *attrs = attrs_of(id, variant, text, sizeof text);
      if (!attrs) break;
      s = (Sweep){.info = info, .attrs = attrs, .num_operands = spec->num_operands, .num_results = spec->num_results};
      s.ulps = strcmp(dialect, "math") ? 0 : ulps_of(id);
      s.open_zeros = id == NR_OP_arith_maxnumf || id == NR_OP_arith_minnumf;
      sweep(&s, &cases, &compared);
    }
  }
  nr_context_destroy(ctx);
  print_message("%zu cases, %zu values\n", cases, compared);
  assert_true(cases >= least_cases);
}

static void arith(void **state) { all_ops_of("arith", 1000); }
static void math(void **state) { all_ops_of("math", 400); }

/* Functions @f0, .. of the same two operands: their results in machine code are those of the interpreter. */
static void check_functions(const char *text, size_t count, const char *type_text, bool open_zeros) {
  Program p, plain = {0};
  bool runs = compile(&p, text);
  NrModule *module = program_parse(&plain, text);
  Edges edges = edges_of(nr_parse_type(plain.ctx, nr_str(type_text)), false);
  for (size_t f = 0; runs && f < count; f++) {
    char name[32];
    snprintf(name, sizeof name, "f%zu", f);
    Sweep s = {.num_operands = 4, .open_zeros = open_zeros};
    Run run = {.sweep = &s, .p = &p, .scalar = nr_codegen_function(p.compiled, name)};
    assert_int_equal(nr_interp_create(module, name, NULL, &run.interp), NR_OK);
    NrOp *func = nr_symbol_lookup(module->op, nr_str(name));
    NrType type = nr_op_attr(func, NR_A_function_type)->type;
    for (size_t i = 0; i < edges.count * edges.count * 4; i++) {
      size_t a = i % edges.count, b = i / 4 % edges.count;
      uint64_t bits[] = {edges.bits[a], edges.bits[(a * 7 + i) % edges.count], edges.bits[b],
                         edges.bits[(b * 5 + i / 7) % edges.count]};
      NoriaDesc in[4], want[2], got[2];
      for (size_t k = 0; k < 4; k++) in[k] = scalar_bits(bits[k]);
      if (!interpret(&run, in, want)) continue;
      assert_int_equal(run.scalar(&p.run.exec, in, got), 0);
      for (size_t k = 0; k < type->num_results; k++)
        if (!agree(&s, type->results[k], want[k].bits, got[k].bits))
          fail_msg("@%s of %#llx %#llx %#llx %#llx: result %zu is %#llx, not %#llx in\n%s", name,
                   (unsigned long long)bits[0], (unsigned long long)bits[1], (unsigned long long)bits[2],
                   (unsigned long long)bits[3], k, (unsigned long long)got[k].bits, (unsigned long long)want[k].bits,
                   text);
    }
    nr_interp_destroy(run.interp);
  }
  program_free(&plain);
  program_free(&p);
}

static void complex(void **state) {
  static const char *const two[] = {"add", "sub", "mul", "div"}, *const one[] = {"neg", "conj"};
  static const char *const parts[] = {"f32", "f64", "f16", "bf16"};
  for (size_t t = 0; t < NR_COUNTOF(parts); t++) {
    NrBuf text = {0};
    const char *part = parts[t];
    for (size_t i = 0; i < NR_COUNTOF(two) + NR_COUNTOF(one); i++) {
      bool unary = i >= NR_COUNTOF(two);
      nr_buf_printf(&text,
                    "func.func @f%zu(%%a: %s, %%b: %s, %%c: %s, %%d: %s) -> (%s, %s) {\n"
                    "  %%x = complex.create %%a, %%b : complex<%s>\n  %%y = complex.create %%c, %%d : complex<%s>\n"
                    "  %%z = complex.%s %%x%s : complex<%s>\n  %%re = complex.re %%z : complex<%s>\n"
                    "  %%im = complex.im %%z : complex<%s>\n  return %%re, %%im : %s, %s\n}\n",
                    i, part, part, part, part, part, part, part, part, unary ? one[i - NR_COUNTOF(two)] : two[i],
                    unary ? "" : ", %y", part, part, part, part, part);
    }
    check_functions(text.data, NR_COUNTOF(two) + NR_COUNTOF(one), part, false);
    nr_buf_deinit(&text);
  }
}

/* Integers of more than 64 bits, which pass in two parts. */
static void wide(void **state) {
  static const char *const ops[] = {"addi", "subi", "muli", "andi", "ori", "xori", "shli", "shrsi", "shrui", "divsi",
                                    "divui", "remsi", "remui", "ceildivsi", "ceildivui", "floordivsi", "maxsi", "minsi",
                                    "maxui", "minui"};
  static const char *const types_wide[] = {"i65", "i100", "i128"};
  for (size_t t = 0; t < NR_COUNTOF(types_wide); t++) {
    NrBuf text = {0};
    const char *type = types_wide[t];
    for (size_t i = 0; i < NR_COUNTOF(ops); i++) {
      nr_buf_printf(&text, "func.func @f%zu(%%a: i64, %%b: i64, %%c: i64, %%d: i64) -> (i64, i64) {\n"
                    "  %%n = arith.constant 64 : %s\n", i, type);
      for (size_t k = 0; k < 2; k++)
        nr_buf_printf(&text, "  %%l%zu = arith.extui %%%c : i64 to %s\n  %%h%zu = arith.extui %%%c : i64 to %s\n"
                      "  %%s%zu = arith.shli %%h%zu, %%n : %s\n  %%x%zu = arith.ori %%s%zu, %%l%zu : %s\n",
                      k, k ? 'c' : 'a', type, k, k ? 'd' : 'b', type, k, k, type, k, k, k, type);
      nr_buf_printf(&text, "  %%r = arith.%s %%x0, %%x1 : %s\n  %%low = arith.trunci %%r : %s to i64\n"
                    "  %%up = arith.shrui %%r, %%n : %s\n  %%high = arith.trunci %%up : %s to i64\n"
                    "  return %%low, %%high : i64, i64\n}\n", ops[i], type, type, type, type);
    }
    check_functions(text.data, NR_COUNTOF(ops), "i64", false);
    nr_buf_deinit(&text);
  }
}

/* Integers of 128 bits, which pass in two parts, to floats and back. */
static void wide_casts(void **state) {
  static const char *const parts[] = {"f16", "bf16", "f32", "f64"};
  for (size_t t = 0; t < NR_COUNTOF(parts); t++) {
    NrBuf text = {0};
    for (size_t i = 0; i < 2; i++)
      nr_buf_printf(&text,
                    "func.func @f%zu(%%a: %s, %%b: %s, %%c: %s, %%d: %s) -> (%s, i64) {\n"
                    "  %%n = arith.constant 64 : i128\n  %%i = arith.fpto%ci %%a : %s to i128\n"
                    "  %%f = arith.%citofp %%i : i128 to %s\n  %%h = arith.shrui %%i, %%n : i128\n"
                    "  %%p = arith.trunci %%h : i128 to i64\n  return %%f, %%p : %s, i64\n}\n",
                    i, parts[t], parts[t], parts[t], parts[t], parts[t], i ? 'u' : 's', parts[t], i ? 'u' : 's',
                    parts[t], parts[t]);
    check_functions(text.data, 2, parts[t], false);
    nr_buf_deinit(&text);
  }
}

/* Reductions of vectors by each kind, and atomic updates of memory by each of theirs. */
static void reductions_of(const char *type, const char *const *kinds, const char *const *updates, bool open_zeros) {
  NrBuf text = {0};
  size_t count = 0;
  for (; *kinds; kinds++)
    nr_buf_printf(&text,
                  "func.func @f%zu(%%a: %s, %%b: %s, %%c: %s, %%d: %s) -> (%s, %s) {\n"
                  "  %%v = vector.from_elements %%a, %%b, %%c : vector<3x%s>\n"
                  "  %%x = vector.reduction <%s>, %%v : vector<3x%s> into %s\n"
                  "  %%y = vector.reduction <%s>, %%v, %%d : vector<3x%s> into %s\n  return %%x, %%y : %s, %s\n}\n",
                  count++, type, type, type, type, type, type, type, *kinds, type, type, *kinds, type, type, type,
                  type);
  for (; *updates; updates++)
    nr_buf_printf(&text,
                  "func.func @f%zu(%%a: %s, %%b: %s, %%c: %s, %%d: %s) -> (%s, %s) {\n"
                  "  %%m = memref.alloca() : memref<%s>\n  memref.store %%a, %%m[] : memref<%s>\n"
                  "  %%x = memref.atomic_rmw %s %%b, %%m[] : (%s, memref<%s>) -> %s\n"
                  "  %%y = memref.load %%m[] : memref<%s>\n  return %%x, %%y : %s, %s\n}\n",
                  count++, type, type, type, type, type, type, type, type, *updates, type, type, type, type, type,
                  type);
  check_functions(text.data, count, type, open_zeros);
  nr_buf_deinit(&text);
}

static void reductions(void **state) {
  static const char *const of_ints[] = {"add", "mul", "and", "or", "xor", "minsi", "minui", "maxsi", "maxui", NULL};
  static const char *const on_ints[] = {"addi", "muli", "andi", "ori", "xori", "mins",
                                        "minu", "maxs", "maxu", "assign", NULL};
  static const char *const of_floats[] = {"add", "mul", "minimumf", "maximumf", NULL};
  static const char *const on_floats[] = {"addf", "mulf", "minimumf", "maximumf", "assign", NULL};
  static const char *const numbers[] = {"minnumf", "maxnumf", NULL};
  for (size_t t = 0; t < NR_COUNTOF(types); t++) {
    if (strcmp(types[t], "f8E8M0FNU") == 0 || strcmp(types[t], "index") == 0) continue;
    bool is_float = types[t][0] != 'i';
    reductions_of(types[t], is_float ? of_floats : of_ints, is_float ? on_floats : on_ints, false);
    if (is_float) reductions_of(types[t], numbers, numbers, true);
  }
}

int main(int argc, char **argv) {
  if (argc > 1) cpu = argv[1];
  const struct CMUnitTest tests[] = {cmocka_unit_test(arith), cmocka_unit_test(math), cmocka_unit_test(complex),
                                     cmocka_unit_test(wide), cmocka_unit_test(wide_casts),
                                     cmocka_unit_test(reductions)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
