/* value.c - the interpreter's values: views of buffers, and scalars as bits. */
#include "interp/internal.h"


/* ---- views ---- */

size_t nr_iview_elem_size(NrType elem) {
  int64_t size;
  if (elem->kind == NR_TYPE_VECTOR) {
    bool fits = nr_type_num_elements(elem, &size) && nr_mul_i64(size, (int64_t)nr_type_byte_size(elem->elem), &size);
    return fits ? (size_t)size : INT64_MAX;
  }
  size = (int64_t)nr_type_byte_size(elem);
  return size ? (size_t)size : sizeof(void *); /* handles and strings in tensors */
}

static NrIView *view_new(NrType elem, const int64_t *dims, size_t rank) {
  NrIView *v = nr_calloc(1, sizeof *v);
  v->refs = 1;
  v->elem = elem;
  v->elem_size = nr_iview_elem_size(elem);
  v->rank = rank;
  int64_t stride = 1;
  for (size_t i = rank; i-- > 0;) {
    v->dims[i] = dims[i];
    v->strides[i] = stride;
    stride = (int64_t)((uint64_t)stride * (uint64_t)dims[i]); /* does not fit beside a dim of 0 only */
  }
  return v;
}

int64_t nr_iview_bytes(NrType elem, const int64_t *dims, size_t rank) {
  int64_t n = 1, bytes; /* n: the product of the dims that are not 0 */
  bool empty = false;
  for (size_t i = 0; i < rank; i++) {
    if (dims[i] < 0 || !nr_mul_i64(n, NR_MAX(dims[i], 1), &n) || n > NORIA_MAX_ELEMENTS) return INT64_MAX;
    empty |= dims[i] == 0;
  }
  if (empty) return 0;
  return nr_mul_i64(n, (int64_t)nr_iview_elem_size(elem), &bytes) ? bytes : INT64_MAX;
}

/* Counts a new buffer against the run's memory limit; false after failing with it. */
static bool charge(NrInterp *in, NrIBuffer *buffer) {
  if (!in->exec) return true;
  if (in->exec->api->charge(in->exec, (int64_t)buffer->size)) return nr_interp_fail_reported(in, in->running);
  buffer->charged = in->exec;
  return true;
}

void nr_ibuffer_discharge(NrIBuffer *buffer) {
  if (buffer->charged) buffer->charged->api->charge(buffer->charged, -(int64_t)buffer->size);
  buffer->charged = NULL;
}

NrIView *nr_iview_new(NrInterp *in, NrType elem, const int64_t *dims, size_t rank) {
  enum { MOST_LOG2 = 36 };
  if (nr_type_is_memref(elem)) {
    nr_interp_fail(in, in->running, "the interpreter has no buffers of buffers");
    return NULL;
  }
  int64_t size = nr_iview_bytes(elem, dims, rank);
  bool possible = size <= INT64_C(1) << MOST_LOG2;
  for (size_t i = 0; i < rank; i++) possible &= dims[i] >= 0;
  NrIBuffer buffer = {.refs = 1, .size = (size_t)size};
  if (possible && !charge(in, &buffer)) return NULL;
  if (possible) buffer.data = nr_try_calloc((size_t)size, 1);
  if (!buffer.data) {
    nr_ibuffer_discharge(&buffer);
    nr_interp_fail_size(in, in->running, elem, dims, rank);
    return NULL;
  }
  NrIView *v = view_new(elem, dims, rank);
  v->buffer = nr_malloc(sizeof *v->buffer);
  *v->buffer = buffer;
  return v;
}

NrIView *nr_iview_open(NrInterp *in, NrType elem, const int64_t *dims, size_t rank) {
  NrIView *v = nr_iview_new(in, elem, dims, rank);
  bool is_number = nr_type_byte_size(elem) || elem->kind == NR_TYPE_VECTOR;
  if (v && in->hostile && is_number) memset(v->buffer->data, 0xa5, v->buffer->size);
  return v;
}

NrIView *nr_iview_borrow(NrType elem, const int64_t *dims, size_t rank, const void *data) {
  NrIView *v = view_new(elem, dims, rank);
  size_t size = (size_t)nr_iview_bytes(elem, dims, rank);
  v->buffer = nr_calloc(1, sizeof *v->buffer);
  *v->buffer = (NrIBuffer){.refs = 1, .size = size, .data = (unsigned char *)data, .borrowed = true};
  return v;
}

NrIView *nr_iview_alias(NrIView *of) {
  NrIView *v = nr_malloc(sizeof *v);
  *v = *of;
  v->refs = 1;
  v->buffer->refs++;
  return v;
}

void nr_iview_release(NrIView *v) {
  if (!v || --v->refs) return;
  if (--v->buffer->refs == 0) {
    nr_ibuffer_discharge(v->buffer);
    if (!v->buffer->borrowed) nr_free(v->buffer->data);
    nr_free(v->buffer);
  }
  nr_free(v);
}

int64_t nr_iview_count(const NrIView *v) {
  int64_t n = 1;
  for (size_t i = 0; i < v->rank; i++) n = (int64_t)((uint64_t)n * (uint64_t)v->dims[i]); /* as above */
  return n;
}

unsigned char *nr_iview_at(const NrIView *v, const int64_t *indices) {
  int64_t at = v->offset;
  for (size_t i = 0; i < v->rank; i++) at += indices[i] * v->strides[i];
  return v->buffer->data + (size_t)at * v->elem_size;
}

bool nr_iview_inside(const NrIView *v, const int64_t *indices) {
  for (size_t i = 0; i < v->rank; i++)
    if (indices[i] < 0 || indices[i] >= v->dims[i]) return false;
  return true;
}

bool nr_next_index(const int64_t *dims, size_t rank, int64_t *indices) {
  for (size_t i = rank; i-- > 0;) {
    if (++indices[i] < dims[i]) return true;
    indices[i] = 0;
  }
  return false;
}

bool nr_interp_next(const NrInterp *in, const int64_t *dims, size_t rank, int64_t *indices) {
  return nr_next_index(dims, rank, indices) && !nr_interp_is_stopped(in);
}

bool nr_iview_is_dense(const NrIView *v) {
  int64_t stride = 1;
  for (size_t i = v->rank; i-- > 0;) {
    if (v->strides[i] != stride) return false;
    stride = (int64_t)((uint64_t)stride * (uint64_t)v->dims[i]); /* does not fit beside a dim of 0 only */
  }
  return true;
}

void nr_iview_copy_out(const NrInterp *in, const NrIView *from, unsigned char *to) {
  enum { PIECE = 1 << 24 };
  int64_t indices[NR_MAX_RANK] = {0};
  if (nr_iview_count(from) == 0) return;
  if (nr_iview_is_dense(from)) {
    const unsigned char *data = nr_iview_at(from, indices);
    size_t size = (size_t)nr_iview_count(from) * from->elem_size;
    for (size_t at = 0; at < size && !nr_interp_is_stopped(in); at += PIECE)
      memcpy(to + at, data + at, NR_MIN(PIECE, size - at));
    return;
  }
  do memcpy(to, nr_iview_at(from, indices), from->elem_size), to += from->elem_size;
  while (nr_interp_next(in, from->dims, from->rank, indices));
}

NrIView *nr_iview_dense_copy(NrInterp *in, const NrIView *from) {
  NrIView *to = nr_iview_new(in, from->elem, from->dims, from->rank);
  if (to) nr_iview_copy_out(in, from, to->buffer->data);
  return to;
}

void nr_iview_fill(const NrInterp *in, NrIView *view, NrIValue v) {
  int64_t indices[NR_MAX_RANK] = {0};
  if (nr_iview_count(view)) do nr_ivalue_store(view->elem, nr_iview_at(view, indices), v);
    while (nr_interp_next(in, view->dims, view->rank, indices));
}

/* ---- scalars ---- */

static bool is_attr_type(NrType t) { return t->kind == NR_TYPE_COMPLEX || nr_type_bits(t) > 64; }

bool nr_ivalue_load_any(NrInterp *in, NrType elem, const unsigned char *p, NrIValue *out) {
  if (elem->kind != NR_TYPE_VECTOR) {
    *out = nr_ivalue_load(elem, p);
    return true;
  }
  *out = (NrIValue){.view = nr_iview_new(in, elem->elem, elem->dims, elem->rank)};
  if (!out->view) return false;
  memcpy(out->view->buffer->data, p, out->view->buffer->size);
  return true;
}

NrIValue nr_ivalue_load(NrType elem, const unsigned char *p) {
  NrIValue v = {0};
  size_t size = nr_type_byte_size(elem);
  if (elem->kind == NR_TYPE_onnx_string || size == 0) {
    memcpy(&v.handle, p, sizeof v.handle);
    return v;
  }
  if (is_attr_type(elem)) {
    v.attr = nr_attr_element(nr_attr_dense(nr_type_tensor((int64_t[]){1}, 1, elem), p, size), 0);
    return v;
  }
  memcpy(&v.bits, p, size);
  if (nr_type_is_int(elem) && elem->width < 64) v.bits &= (1ull << elem->width) - 1;
  return v;
}

void nr_ivalue_store(NrType elem, unsigned char *p, NrIValue v) {
  size_t size = nr_type_byte_size(elem);
  if (elem->kind == NR_TYPE_VECTOR) {
    int64_t at[NR_MAX_RANK] = {0};
    do memcpy(p, nr_iview_at(v.view, at), v.view->elem_size), p += v.view->elem_size;
    while (nr_next_index(v.view->dims, v.view->rank, at));
  } else if (elem->kind == NR_TYPE_onnx_string || size == 0) {
    memcpy(p, &v.handle, sizeof v.handle);
  } else if (elem->kind == NR_TYPE_COMPLEX) {
    for (size_t i = 0; i < 2; i++) {
      NrAttr part = v.attr->items[i];
      uint64_t bits = part->kind == NR_ATTR_FLOAT ? part->bits : (uint64_t)part->i;
      memcpy(p + i * size / 2, &bits, size / 2);
    }
  } else if (v.attr) memcpy(p, v.attr->words, size);
  else if (nr_type_is_int(elem) && elem->width < 64 && elem->width > 1) {
    /* Integers narrower than their storage are sign-extended, as in the tensors of the ABI. */
    int64_t extended = nr_ivalue_int(elem, v);
    memcpy(p, &extended, size);
  } else memcpy(p, &v.bits, size);
}

/* Strings that live as long as the run, as its results need them. */
static NrIView *view_of_strings(NrInterp *in, NrAttr a) {
  NrIView *v = nr_iview_new(in, a->type->elem, a->type->dims, a->type->rank);
  for (int64_t i = 0, n = v ? nr_iview_count(v) : 0; i < n && !nr_interp_is_stopped(in); i++) {
    NrStr from = a->strings[a->size == 1 ? 0 : i];
    NoriaString *s = nr_arena_alloc(&in->arena, sizeof *s + from.size + 1);
    *s = (NoriaString){.size = (int64_t)from.size};
    memcpy(s->data, from.data, from.size);
    s->data[from.size] = 0;
    nr_ivalue_store(a->type->elem, v->buffer->data + (size_t)i * v->elem_size, (NrIValue){.handle = s});
  }
  return v;
}

NrIValue nr_ivalue_of_attr(NrInterp *in, NrAttr a) {
  switch (a->kind) {
  case NR_ATTR_INTEGER: return a->num_words ? (NrIValue){.attr = a} : nr_ivalue_from_int(a->type, a->i);
  case NR_ATTR_FLOAT: return (NrIValue){.bits = a->bits};
  case NR_ATTR_ARRAY: return (NrIValue){.attr = a}; /* complex */
  case NR_ATTR_SPARSE: {
    NrAttr dense = nr_attr_sparse_to_dense(a);
    return dense ? nr_ivalue_of_attr(in, dense) : (NrIValue){0};
  }
  case NR_ATTR_DENSE:
  case NR_ATTR_RESOURCE: {
    if (!a->splat) return (NrIValue){.view = nr_iview_borrow(a->type->elem, a->type->dims, a->type->rank, a->data)};
    NrIView *v = nr_iview_new(in, a->type->elem, a->type->dims, a->type->rank);
    for (int64_t i = 0, n = v ? nr_iview_count(v) : 0; i < n && !nr_interp_is_stopped(in); i++)
      memcpy(v->buffer->data + (size_t)i * v->elem_size, a->data, v->elem_size);
    return (NrIValue){.view = v};
  }
  case NR_ATTR_DENSE_STRINGS: return (NrIValue){.view = view_of_strings(in, a)};
  default: return (NrIValue){0};
  }
}

NrAttr nr_ivalue_to_attr(NrInterp *in, NrType type, NrIValue v) {
  if (v.attr) return v.attr;
  if (v.view) {
    NrIView *dense = nr_iview_dense_copy(in, v.view);
    if (!dense) return NULL;
    NrType shaped = nr_type_with_dims(type, dense->dims, dense->rank);
    NrAttr a = nr_attr_dense(shaped, dense->buffer->data, dense->buffer->size);
    nr_iview_release(dense);
    return a;
  }
  if (nr_type_is_float(type)) return nr_attr_float_bits(type, v.bits);
  return nr_type_is_int_or_index(type) ? nr_attr_int(type, nr_ivalue_int(type, v)) : NULL;
}
