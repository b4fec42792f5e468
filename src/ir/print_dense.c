/* print_dense.c - elements of dense constants: nested lists, one value for a splat, hexadecimal bytes when there are
 * many. */
#include "ir/print.h"

enum { MAX_LISTED = 100 }; /* elements; more are printed as bytes, as by mlir-opt */

static void put_int_bits(NrPrinter *w, NrType elem, const void *data) {
  size_t size = nr_type_byte_size(elem);
  bool is_signed = elem->kind == NR_TYPE_INDEX || elem->signedness != NR_UNSIGNED;
  if (size > 8) {
    uint64_t *words = nr_arena_copy(&w->scratch, data, size);
    nr_w_wide_int(w, words, size / 8, is_signed);
    return;
  }
  uint64_t bits = 0;
  memcpy(&bits, data, size);
  uint32_t width = nr_type_bits(elem);
  if (elem->kind == NR_TYPE_INTEGER && width == 1) { /* si1 and ui1 too, as in MLIR */
    nr_w_puts(w, bits & 1 ? "true" : "false");
  } else if (width == 0) {
    nr_w_char(w, '0');
  } else {
    bits <<= 64 - width;
    if (is_signed) nr_w_int(w, (int64_t)bits >> (64 - width));
    else nr_w_uint(w, bits >> (64 - width));
  }
}

void nr_w_element(NrPrinter *w, NrType elem, const void *data) {
  size_t size = nr_type_byte_size(elem);
  if (elem->kind == NR_TYPE_COMPLEX) {
    nr_w_char(w, '(');
    nr_w_element(w, elem->elem, data);
    nr_w_char(w, ',');
    nr_w_element(w, elem->elem, (const char *)data + size / 2);
    nr_w_char(w, ')');
  } else if (elem->kind == NR_TYPE_FLOAT) {
    uint64_t bits = 0;
    memcpy(&bits, data, NR_MIN(size, sizeof bits));
    nr_w_float(w, elem, bits);
  } else {
    put_int_bits(w, elem, data);
  }
}

static void put_nth(NrPrinter *w, NrAttr a, int64_t i) {
  if (a->kind == NR_ATTR_DENSE_STRINGS) nr_w_string(w, a->strings[a->size == 1 ? 0 : i]);
  else nr_w_element(w, a->type->elem, nr_attr_element_ptr(a, i));
}

/* [[1, 2], [3, 4]]: a bracket opens or closes wherever a counter starts or ends. */
static void put_nested(NrPrinter *w, NrAttr a, int64_t count) {
  uint32_t rank = a->type->rank;
  int64_t at[NR_MAX_RANK] = {0};
  for (int64_t i = 0; i < count; i++) {
    uint32_t depth = rank; /* of the outermost bracket that opens here */
    while (depth && at[depth - 1] == 0) depth--;
    if (i) nr_w_puts(w, ", ");
    for (uint32_t d = depth; d < rank; d++) nr_w_char(w, '[');
    put_nth(w, a, i);
    uint32_t d = rank;
    while (d && ++at[d - 1] == a->type->dims[d - 1]) {
      at[--d] = 0;
      nr_w_char(w, ']');
    }
  }
}

/* Whether the hexadecimal form is the same in all MLIR versions: it is for elements of whole bytes. */
static bool has_plain_bytes(NrType elem) {
  if (elem->kind == NR_TYPE_COMPLEX) return has_plain_bytes(elem->elem);
  if (elem->kind == NR_TYPE_INDEX) return true;
  return (elem->kind == NR_TYPE_INTEGER || elem->kind == NR_TYPE_FLOAT) &&
         (elem->width == 8 || elem->width == 16 || elem->width == 32 || elem->width == 64);
}

void nr_w_listed(NrPrinter *w, NrAttr a) {
  int64_t count = 0;
  if (nr_type_num_elements(a->type, &count)) put_nested(w, a, count);
}

void nr_w_dense(NrPrinter *w, NrAttr a) {
  int64_t count = 0;
  nr_type_num_elements(a->type, &count);
  bool splat = a->kind == NR_ATTR_DENSE ? a->splat : a->size == 1;
  nr_w_puts(w, "dense<");
  if (count == 0) {
  } else if (splat) {
    put_nth(w, a, 0);
  } else if (a->kind == NR_ATTR_DENSE && count > MAX_LISTED && !w->options.list_elements &&
             has_plain_bytes(a->type->elem)) {
    nr_w_puts(w, "\"0x");
    nr_w_hex(w, a->data, a->data_size);
    nr_w_char(w, '"');
  } else {
    put_nested(w, a, count);
  }
  nr_w_char(w, '>');
}
