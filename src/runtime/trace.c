/* trace.c - texts that a run gives beside its results, to the program's sinks or standard error: the import "trace" of
 * flow.tensor.trace, which prints tensors, and the import "warn". */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/float_format.h"
#include "runtime/imports.h"

/* ---- elements --------------------------------------------------------------------------------------------------- */

static const struct {
  const char *name;
  const NrFloatFormat *format; /* NULL: float or double */
  uint32_t width;
} floats[] = {
    {"f32", NULL, 32},
    {"f64", NULL, 64},
    {"f16", &nr_format_f16, 16},
    {"bf16", &nr_format_bf16, 16},
    {"tf32", &nr_format_tf32, 19},
    {"f8E5M2", &nr_format_f8e5m2, 8},
    {"f8E4M3", &nr_format_f8e4m3, 8},
    {"f8E4M3FN", &nr_format_f8e4m3fn, 8},
    {"f8E5M2FNUZ", &nr_format_f8e5m2fnuz, 8},
    {"f8E4M3FNUZ", &nr_format_f8e4m3fnuz, 8},
    {"f8E4M3B11FNUZ", &nr_format_f8e4m3b11fnuz, 8},
    {"f8E3M4", &nr_format_f8e3m4, 8},
    {"f8E8M0FNU", &nr_format_f8e8m0fnu, 8},
    {"f4E2M1FN", &nr_format_f4e2m1fn, 4},
    {"f6E2M3FN", &nr_format_f6e2m3fn, 6},
    {"f6E3M2FN", &nr_format_f6e3m2fn, 6},
};

/* An element type, of its name in text. */
typedef struct Element {
  int format;      /* index in floats, or -1: an integer */
  uint32_t width;  /* of an integer */
  bool is_signed, is_complex;
  size_t size; /* bytes, of a part of a complex number */
} Element;

static bool element_of(NrStr type, size_t bytes, Element *out) {
  *out = (Element){.format = -1, .is_signed = true, .size = bytes};
  if (nr_str_starts(type, "complex<")) {
    size_t prefix = strlen("complex<");
    if (!element_of((NrStr){type.data + prefix, type.size - prefix - 1}, bytes / 2, out)) return false;
    return out->is_complex = true;
  }
  for (size_t i = 0; i < NR_COUNTOF(floats); i++)
    if (nr_str_is(type, floats[i].name)) return out->format = (int)i, true;
  if (nr_str_is(type, "index")) return out->width = 64, true;
  if (type.size && (*type.data == 's' || *type.data == 'u')) {
    out->is_signed = *type.data == 's';
    type = (NrStr){type.data + 1, type.size - 1};
  }
  if (type.size < 2 || *type.data != 'i') return false;
  for (size_t i = 1; i < type.size; i++) out->width = 10 * out->width + (uint32_t)(type.data[i] - '0');
  return out->width >= 1 && out->width <= 64;
}

static void put_number(const Element *e, const unsigned char *data, NrBuf *out) {
  uint64_t bits = 0;
  memcpy(&bits, data, NR_MIN(e->size, sizeof bits));
  if (e->format >= 0) {
    char text[NR_FLOAT_TEXT];
    uint32_t width = floats[e->format].width;
    if (width < 64) bits &= (1ull << width) - 1;
    nr_buf_append(out, text, nr_float_text(text, floats[e->format].format, width, bits));
    return;
  }
  bits <<= 64 - e->width;
  if (e->width == 1) nr_buf_puts(out, bits ? "true" : "false");
  else if (e->is_signed) nr_buf_printf(out, "%lld", (long long)((int64_t)bits >> (64 - e->width)));
  else nr_buf_printf(out, "%llu", (unsigned long long)(bits >> (64 - e->width)));
}

static void put_element(const Element *e, const unsigned char *data, NrBuf *out) {
  if (!e->is_complex) {
    put_number(e, data, out);
    return;
  }
  nr_buf_putc(out, '(');
  put_number(e, data, out);
  nr_buf_putc(out, ',');
  put_number(e, data + e->size, out);
  nr_buf_putc(out, ')');
}

/* ---- tensors ---------------------------------------------------------------------------------------------------- */

/* [[1, 2], [3, 4]]. False when the run is to stop. */
static bool put_elements(NrExec *exec, const Element *e, const NoriaDesc *d, NrBuf *out) {
  int64_t at[NORIA_MAX_RANK] = {0}, count = nr_desc_count(d), rank = d->rank;
  size_t step = e->size * (e->is_complex ? 2 : 1);
  for (int64_t i = 0; i < count; i++) {
    if (nr_import_stopped(exec, i)) return false;
    int64_t depth = rank; /* of the outermost bracket that opens here */
    while (depth && at[depth - 1] == 0) depth--;
    if (i) nr_buf_puts(out, ", ");
    for (int64_t k = depth; k < rank; k++) nr_buf_putc(out, '[');
    put_element(e, (const unsigned char *)d->data + (size_t)i * step, out);
    for (int64_t k = rank; k && ++at[k - 1] == d->dims[k - 1];) {
      at[--k] = 0;
      nr_buf_putc(out, ']');
    }
  }
  return true;
}

static bool put_tensor(NrExec *exec, NrStr type, const NoriaDesc *d, NrBuf *out) {
  Element e;
  if (!element_of(type, (size_t)(d->bits & 0xff), &e)) {
    nr_exec_fail(exec, NORIA_ERROR_INTERNAL, -1, "a tensor of %.*s is traced", NR_STR_ARG(type));
    return false;
  }
  nr_buf_puts(out, "dense<");
  if (!put_elements(exec, &e, d, out)) return false;
  nr_buf_puts(out, "> : tensor<");
  for (int64_t i = 0; i < d->rank; i++) nr_buf_printf(out, "%lldx", (long long)d->dims[i]);
  nr_buf_str(out, type);
  nr_buf_puts(out, ">\n");
  return true;
}

/* ---- the imports ------------------------------------------------------------------------------------------------ */

static void write_out(void (*sink)(void *, const char *, size_t), void *user, const NrBuf *text) {
  if (sink) {
    sink(user, text->data, text->size);
    return;
  }
  for (size_t at = 0; at < text->size;) {
    ssize_t n = write(STDERR_FILENO, text->data + at, text->size - at);
    if (n < 0 && errno != EINTR) return; /* the reading end is closed */
    if (n > 0) at += (size_t)n;
  }
}

/* site, count, tensors: the text of the site is the tensors' element types, a ',' between two, then ';' and the key. */
int32_t nr_import_trace(NoriaExec *pub, const NoriaDesc *args, NoriaDesc *results) {
  NrExec *e = nr_exec(pub);
  (void)results;
  const NoriaProgram *program = atomic_load_explicit(&e->program, memory_order_relaxed);
  int32_t site = nr_arg_i32(&args[0]);
  int64_t count = nr_arg_i64(&args[1]);
  if (site < 0 || site >= program->module->num_sites)
    return nr_exec_fail(e, NORIA_ERROR_INTERNAL, -1, "a trace without a text");
  const char *at = program->module->sites[site].text, *key = strchr(at, ';');
  if (!key) return nr_exec_fail(e, NORIA_ERROR_INTERNAL, -1, "a trace without a key");
  NrBuf text = {0};
  nr_buf_printf(&text, "=== %s ===\n", key + 1);
  bool ok = true;
  for (int64_t i = 0; i < count && ok; i++) {
    size_t n = strcspn(at, ",;");
    ok = put_tensor(e, (NrStr){at, n}, &args[2 + i], &text);
    at += n + (at[n] == ',');
  }
  /* One write, so that traces of several runs do not mix. */
  if (ok) write_out(program->trace, program->trace_user, &text);
  nr_buf_deinit(&text);
  return ok ? 0 : 1;
}

int32_t nr_import_warn(NoriaExec *pub, const NoriaDesc *args, NoriaDesc *results) {
  NrExec *e = nr_exec(pub);
  (void)results;
  const NoriaProgram *program = atomic_load_explicit(&e->program, memory_order_relaxed);
  int32_t site = nr_arg_i32(&args[0]);
  if (site < 0 || site >= program->module->num_sites)
    return nr_exec_fail(e, NORIA_ERROR_INTERNAL, -1, "a warning without a text");
  int64_t values[4] = {nr_arg_i64(&args[1]), nr_arg_i64(&args[2])};
  char *message = nr_site_text(program->module->sites[site].text, values);
  if (!message) return nr_exec_fail(e, NORIA_ERROR_MEMORY, -1, "the system has no memory for a warning");
  NrBuf text = {0};
  if (program->warn) nr_buf_puts(&text, message);
  else nr_buf_printf(&text, "warning: %s\n", message);
  write_out(program->warn, program->warn_user, &text);
  nr_buf_deinit(&text);
  free(message);
  return 0;
}
