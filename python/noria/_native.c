/* _native.c - the C half of the Python package: values that share their memory, and sessions. Stable ABI of
 * Python 3.11.
 *
 * Tensors come in through the buffer protocol without a copy and go out as Value objects that export their memory, so
 * numpy.asarray(value) copies nothing. What NumPy cannot express as a buffer (bfloat16, strings, sequences) goes
 * through the functions at the end, which noria/__init__.py wraps. */
#define Py_LIMITED_API 0x030B0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "_signals.h"
#include "noria/noria.h"

typedef struct State {
  PyTypeObject *value_type, *session_type;
  PyObject *error;
  NoriaWorld *world; /* of the communicator in which this process is a rank, or NULL */
} State;

static State state; /* of the one module; all but world is set once, when it is imported */

static void *fail(NoriaError *e) {
  PyErr_SetString(state.error, e->message ? e->message : noria_status_name(e->code));
  noria_error_clear(e);
  return NULL;
}

/* ---- values ---- */

typedef struct Value {
  PyObject_HEAD
  NoriaValue *value;
  Py_ssize_t shape[NORIA_MAX_RANK], strides[NORIA_MAX_RANK];
} Value;

static PyObject *value_new(NoriaValue *value) { /* takes over the reference */
  Value *self = (Value *)PyType_GenericAlloc(state.value_type, 0);
  if (!self) noria_value_release(value);
  else self->value = value;
  return (PyObject *)self;
}

static void value_dealloc(PyObject *object) {
  PyTypeObject *type = Py_TYPE(object);
  noria_value_release(((Value *)object)->value);
  PyObject_Free(object);
  Py_DECREF(type);
}

/* The struct format of a dtype, by NoriaDType; types that struct does not know are raw bytes. */
static const char *const formats[] = {
    [NORIA_F32] = "f", [NORIA_U8] = "B",  [NORIA_I8] = "b",   [NORIA_U16] = "H", [NORIA_I16] = "h", [NORIA_I32] = "i",
    [NORIA_I64] = "q", [NORIA_BOOL] = "?", [NORIA_F16] = "e", [NORIA_F64] = "d", [NORIA_U32] = "I", [NORIA_U64] = "Q",
    [NORIA_C64] = "Zf", [NORIA_C128] = "Zd", [NORIA_BF16] = "H", [NORIA_F8E4M3FN] = "B", [NORIA_F8E4M3FNUZ] = "B",
    [NORIA_F8E5M2] = "B", [NORIA_F8E5M2FNUZ] = "B", [NORIA_U4] = "B", [NORIA_I4] = "b", [NORIA_F4E2M1FN] = "B",
    [NORIA_F8E8M0FNU] = "B", [NORIA_U2] = "B", [NORIA_I2] = "b", [NORIA_F6E2M3FN] = "B",
    [NORIA_F6E3M2FN] = "B",
};

static const char *format_of(NoriaDType t) { return (size_t)t < sizeof formats / sizeof *formats ? formats[t] : NULL; }

static int value_getbuffer(PyObject *object, Py_buffer *view, int flags) {
  Value *self = (Value *)object;
  NoriaDType dtype = noria_value_dtype(self->value);
  if (noria_value_kind(self->value) != NORIA_KIND_TENSOR || !format_of(dtype) || (flags & PyBUF_WRITABLE)) {
    void *data = (flags & PyBUF_WRITABLE) && noria_value_kind(self->value) == NORIA_KIND_TENSOR && format_of(dtype)
                     ? noria_tensor_mutable_data(self->value)
                     : NULL;
    if (!data) {
      PyErr_SetString(PyExc_BufferError, "the value has no memory of this kind to export");
      view->obj = NULL;
      return -1;
    }
  }
  static char empty[16];
  const void *data = noria_tensor_data(self->value);
  int64_t rank = noria_tensor_rank(self->value);
  const int64_t *dims = noria_tensor_dims(self->value);
  Py_ssize_t size = (Py_ssize_t)noria_dtype_size(dtype), stride = size;
  for (int64_t i = rank; i-- > 0;) {
    self->shape[i] = (Py_ssize_t)dims[i];
    self->strides[i] = stride;
    stride *= (Py_ssize_t)dims[i];
  }
  Py_INCREF(object);
  view->obj = object;
  view->buf = data ? (void *)data : empty;
  view->len = (Py_ssize_t)noria_tensor_size(self->value);
  view->itemsize = size;
  view->readonly = 0;
  view->ndim = (int)rank;
  view->format = (flags & PyBUF_FORMAT) ? (char *)format_of(dtype) : NULL;
  view->shape = (flags & PyBUF_ND) ? self->shape : NULL;
  view->strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? self->strides : NULL;
  view->suboffsets = NULL;
  view->internal = NULL;
  return 0;
}

static PyObject *value_kind(PyObject *self, void *unused) {
  (void)unused;
  return PyLong_FromLong((long)noria_value_kind(((Value *)self)->value));
}
static PyObject *value_dtype(PyObject *self, void *unused) {
  (void)unused;
  return PyLong_FromLong((long)noria_value_dtype(((Value *)self)->value));
}
static PyObject *value_shape(PyObject *self, void *unused) {
  (void)unused;
  const NoriaValue *v = ((Value *)self)->value;
  PyObject *tuple = PyTuple_New((Py_ssize_t)noria_tensor_rank(v));
  for (Py_ssize_t i = 0; tuple && i < (Py_ssize_t)noria_tensor_rank(v); i++)
    PyTuple_SetItem(tuple, i, PyLong_FromLongLong(noria_tensor_dims(v)[i]));
  return tuple;
}

/* Item i of a sequence; what an optional holds; the keys and the values of a map. */
static const NoriaValue *inner_value(const NoriaValue *v, int64_t i) {
  switch (noria_value_kind(v)) {
  case NORIA_KIND_SEQUENCE: return noria_sequence_at(v, i);
  case NORIA_KIND_OPTIONAL: return noria_optional_item(v);
  case NORIA_KIND_MAP: return i ? noria_map_values(v) : noria_map_keys(v);
  default: return NULL;
  }
}

static PyObject *string_element(const NoriaValue *v, int64_t i) {
  size_t size;
  const char *text = noria_tensor_string(v, i, &size);
  return PyUnicode_DecodeUTF8(text, (Py_ssize_t)size, "surrogateescape");
}

/* Items of a sequence or string tensor; the item of an optional in a list, or an empty list; of a map the keys and the
 * values. */
static PyObject *value_items(PyObject *self, void *unused) {
  (void)unused;
  const NoriaValue *v = ((Value *)self)->value;
  PyObject *list = PyList_New(0);
  int64_t count = 0;
  if (!list) return NULL;
  if (noria_value_kind(v) == NORIA_KIND_SEQUENCE) count = noria_sequence_length(v);
  else if (noria_value_kind(v) == NORIA_KIND_OPTIONAL) count = noria_optional_item(v) != NULL;
  else if (noria_value_kind(v) == NORIA_KIND_MAP) count = 2;
  else if (noria_value_dtype(v) == NORIA_STRING) count = noria_tensor_count(v);
  for (int64_t i = 0; i < count; i++) {
    PyObject *item;
    if (noria_value_kind(v) == NORIA_KIND_TENSOR) item = string_element(v, i);
    else item = value_new(noria_value_retain(inner_value(v, i)));
    if (!item || PyList_Append(list, item)) {
      Py_XDECREF(item);
      Py_DECREF(list);
      return NULL;
    }
    Py_DECREF(item);
  }
  return list;
}

static bool has_elements(NoriaDType dtype) {
  return dtype == NORIA_STRING || dtype == NORIA_F32 || dtype == NORIA_F64 || dtype == NORIA_I64;
}

/* Element i of a tensor of a type with has_elements. */
static PyObject *element(const NoriaValue *v, int64_t i) {
  const void *data = noria_tensor_data(v);
  switch (noria_value_dtype(v)) {
  case NORIA_STRING: return string_element(v, i);
  case NORIA_F32: return PyFloat_FromDouble(((const float *)data)[i]);
  case NORIA_F64: return PyFloat_FromDouble(((const double *)data)[i]);
  default: return PyLong_FromLongLong(((const int64_t *)data)[i]);
  }
}

/* A map as a dict; None where its values have another type, for which there is `items`. */
static PyObject *map_dict(const NoriaValue *map) {
  const NoriaValue *keys = noria_map_keys(map), *values = noria_map_values(map);
  if (!has_elements(noria_value_dtype(values))) Py_RETURN_NONE;
  PyObject *dict = PyDict_New();
  for (int64_t i = 0; dict && i < noria_tensor_count(keys); i++) {
    PyObject *key = element(keys, i), *value = key ? element(values, i) : NULL;
    if (!value || PyDict_SetItem(dict, key, value)) Py_CLEAR(dict);
    Py_XDECREF(key);
    Py_XDECREF(value);
  }
  return dict;
}

/* Of a map its dict, of a sequence of maps a list of theirs, else None; also None where values have a type that only
 * NumPy has. */
static PyObject *value_dicts(PyObject *self, void *unused) {
  (void)unused;
  const NoriaValue *v = ((Value *)self)->value;
  if (noria_value_kind(v) == NORIA_KIND_MAP) return map_dict(v);
  if (noria_value_kind(v) != NORIA_KIND_SEQUENCE || noria_value_key_dtype(v) == NORIA_UNDEFINED) Py_RETURN_NONE;
  Py_ssize_t count = (Py_ssize_t)noria_sequence_length(v);
  PyObject *list = PyList_New(count);
  for (Py_ssize_t i = 0; list && i < count; i++) {
    PyObject *dict = map_dict(noria_sequence_at(v, i));
    if (!dict || PyList_SetItem(list, i, dict)) Py_CLEAR(list);
    else if (dict == Py_None) {
      Py_DECREF(list);
      Py_RETURN_NONE;
    }
  }
  return list;
}

static PyGetSetDef value_getset[] = {
    {"kind", value_kind, NULL, "0 tensor, 1 sequence, 2 optional, 3 map", NULL},
    {"dtype", value_dtype, NULL, "element type, numbered as in ONNX", NULL},
    {"shape", value_shape, NULL, "dims of a tensor", NULL},
    {"items", value_items, NULL, "of a sequence, optional or string tensor; of a map keys and values", NULL},
    {"dicts", value_dicts, NULL, "of a map a dict, of a sequence of maps a list of dicts; None for rarer values",
     NULL},
    {NULL, NULL, NULL, NULL, NULL},
};
static PyType_Slot value_slots[] = {
    {Py_tp_dealloc, value_dealloc},
    {Py_tp_getset, value_getset},
    {Py_bf_getbuffer, value_getbuffer},
    {Py_tp_doc, "A tensor, sequence, optional or map of the runtime."},
    {0, NULL},
};
static PyType_Spec value_spec = {"noria._native.Value", sizeof(Value), 0,
                                 Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, value_slots};

/* ---- inputs ---- */

static void release_buffer(void *user) {
  PyGILState_STATE gil = PyGILState_Ensure();
  PyBuffer_Release(user);
  free(user);
  PyGILState_Release(gil);
}

/* Whether a buffer's format may carry elements of dtype. 'l' is as long as 'q' here, and NumPy uses both. */
static bool format_fits(const char *format, Py_ssize_t itemsize, NoriaDType dtype) {
  const char *want = format_of(dtype);
  if (!want || itemsize != (Py_ssize_t)noria_dtype_size(dtype)) return false;
  if (!format) return strcmp(want, "B") == 0;
  if (*format == '<' || *format == '=' || *format == '@') format++;
  if (strcmp(format, want) == 0) return true;
  if (strlen(format) != 1 || strlen(want) != 1) return false;
  return (strchr("lq", *format) && *want == 'q') || (strchr("LQ", *format) && *want == 'Q') ||
         (strchr("iIlL", *format) && strchr("iI", *want) &&
          (*format == *want || (*format == 'l' && *want == 'i') || (*format == 'L' && *want == 'I')));
}

/* A value from a Value or a buffer of elements of dtype. Memory that is not row-major is copied. */
static NoriaValue *to_value(PyObject *object, NoriaDType dtype, const char *name) {
  if (Py_TYPE(object) == state.value_type) return noria_value_retain(((Value *)object)->value);
  Py_buffer *view = malloc(sizeof *view);
  if (!view) return (NoriaValue *)PyErr_NoMemory();
  if (PyObject_GetBuffer(object, view, PyBUF_FORMAT | PyBUF_STRIDES)) {
    free(view);
    return NULL;
  }
  NoriaValue *value = NULL;
  NoriaError error = NORIA_ERROR_INIT;
  if (!format_fits(view->format, view->itemsize, dtype)) {
    PyErr_Format(state.error, "input '%s' must be %s; its elements have the format '%s'", name, noria_dtype_name(dtype),
                 view->format ? view->format : "B");
  } else if (view->ndim > NORIA_MAX_RANK) {
    PyErr_Format(state.error, "input '%s' has %d dims; at most %d are possible", name, view->ndim, NORIA_MAX_RANK);
  } else {
    int64_t dims[NORIA_MAX_RANK];
    for (int i = 0; i < view->ndim; i++) dims[i] = view->shape[i];
    if (PyBuffer_IsContiguous(view, 'C')) {
      if (!noria_tensor_wrap(dtype, view->ndim, dims, view->buf, release_buffer, view, &value, &error)) return value;
    } else {
      void *copy = malloc(view->len ? (size_t)view->len : 1);
      if (copy && !PyBuffer_ToContiguous(copy, view, view->len, 'C'))
        noria_tensor_create(dtype, view->ndim, dims, copy, &value, &error);
      free(copy);
    }
    if (error.code) fail(&error);
  }
  PyBuffer_Release(view);
  free(view);
  return value;
}

/* ---- sessions ---- */

typedef struct Session {
  PyObject_HEAD
  NoriaProgram *program;
  bool is_rank; /* its runs are those of this process' rank in state.world, under these limits */
  NoriaRunLimits limits;
} Session;

static void session_dealloc(PyObject *object) {
  PyTypeObject *type = Py_TYPE(object);
  NoriaProgram *program = ((Session *)object)->program;
  Py_BEGIN_ALLOW_THREADS /* it waits until nothing works in the background for the program */
  noria_program_destroy(program);
  Py_END_ALLOW_THREADS
  PyObject_Free(object);
  Py_DECREF(type);
}

typedef struct Run {
  NoriaProgram *program;
  const NoriaValue *const *inputs;
  NoriaValue **outputs;
  size_t num_inputs, num_outputs; /* of a rank */
  int32_t ranks;                  /* 0: a run without ranks */
  NoriaWorldOptions world;
  NoriaRunOptions as_rank; /* where as_rank.world is not NULL */
  NoriaError error;
  NoriaStatus status;
} Run;

static void run_work(void *user) {
  Run *r = user;
  r->status = r->ranks ? noria_program_run_ranks(r->program, r->ranks, r->inputs, r->num_inputs, r->outputs,
                                                 r->num_outputs, NULL, &r->world, &r->error)
                       : noria_program_run(r->program, r->inputs, r->num_inputs, r->outputs, r->num_outputs,
                                           r->as_rank.world ? &r->as_rank : NULL, &r->error);
}
static void run_stop(void *user) { noria_program_interrupt(((Run *)user)->program); }

/* False with an exception; there are no outputs then. */
static bool run_program(Run *r) {
  bool undisturbed = signals_run(run_work, run_stop, r);
  if (undisturbed && !r->status) return true;
  if (undisturbed && (r->status != NORIA_ERROR_INTERRUPTED || !signals_raise())) fail(&r->error);
  noria_error_clear(&r->error);
  for (size_t i = 0; i < r->num_outputs * (size_t)(r->ranks ? r->ranks : 1); i++) noria_value_release(r->outputs[i]);
  return false;
}

/* A list of Values that take over the outputs; NULL with an exception. */
static PyObject *list_of(NoriaValue **outputs, size_t count) {
  PyObject *list = PyList_New((Py_ssize_t)count);
  for (size_t i = 0; i < count; i++) {
    PyObject *value = value_new(outputs[i]);
    if (list) PyList_SetItem(list, (Py_ssize_t)i, value);
    else Py_XDECREF(value);
  }
  return list;
}

/* run([input, ...]) -> [Value, ...], in the order of the program's inputs and outputs */
static PyObject *session_run(PyObject *object, PyObject *inputs) {
  enum { FEW = 32 };
  NoriaProgram *program = ((Session *)object)->program;
  const NoriaModule *module = noria_program_module(program);
  if (!PyList_Check(inputs) || PyList_Size(inputs) != module->num_inputs) {
    PyErr_Format(state.error, "run takes a list of %d inputs", module->num_inputs);
    return NULL;
  }
  NoriaValue *few_in[FEW], *few_out[FEW];
  size_t n_in = (size_t)module->num_inputs, n_out = (size_t)module->num_outputs, got = 0;
  NoriaValue **in = n_in <= FEW ? few_in : calloc(n_in, sizeof *in),
             **out = n_out <= FEW ? few_out : calloc(n_out, sizeof *out);
  PyObject *result = NULL;
  if (!in || !out) {
    PyErr_NoMemory();
    goto done;
  }
  for (; got < n_in; got++) {
    in[got] = to_value(PyList_GetItem(inputs, (Py_ssize_t)got), (NoriaDType)module->inputs[got].dtype,
                       module->inputs[got].name);
    if (!in[got]) goto done;
  }
  Run run = {.program = program, .inputs = (const NoriaValue *const *)in, .num_inputs = n_in, .outputs = out,
             .num_outputs = n_out, .error = NORIA_ERROR_INIT};
  const Session *session = (Session *)object;
  if (session->is_rank) run.as_rank = (NoriaRunOptions){.limits = session->limits, .world = state.world};
  if (!run_program(&run)) goto done;
  result = list_of(out, n_out);
done:
  for (size_t i = 0; in && i < got; i++) noria_value_release(in[i]);
  if (in != few_in) free(in);
  if (out != few_out) free(out);
  return result;
}

/* run_ranks(ranks, [input of rank 0, ..., of rank 1, ...], check) -> [Value, ...], in the same order */
static PyObject *session_run_ranks(PyObject *object, PyObject *args) {
  NoriaProgram *program = ((Session *)object)->program;
  const NoriaModule *module = noria_program_module(program);
  PyObject *inputs, *result = NULL;
  int ranks, check;
  if (!PyArg_ParseTuple(args, "iO!p", &ranks, &PyList_Type, &inputs, &check)) return NULL;
  if (ranks < 1 || PyList_Size(inputs) != (Py_ssize_t)ranks * module->num_inputs)
    return PyErr_Format(state.error, "run_ranks takes %d inputs for each rank", module->num_inputs);
  size_t n_in = (size_t)PyList_Size(inputs), n_out = (size_t)ranks * (size_t)module->num_outputs, got = 0;
  NoriaValue **in = calloc(n_in + 1, sizeof *in), **out = calloc(n_out + 1, sizeof *out);
  if (!in || !out) {
    PyErr_NoMemory();
    goto done;
  }
  for (; got < n_in; got++) {
    const NoriaValueInfo *info = &module->inputs[got % (size_t)module->num_inputs];
    in[got] = to_value(PyList_GetItem(inputs, (Py_ssize_t)got), (NoriaDType)info->dtype, info->name);
    if (!in[got]) goto done;
  }
  Run run = {.program = program, .inputs = (const NoriaValue *const *)in, .num_inputs = (size_t)module->num_inputs,
             .outputs = out, .num_outputs = (size_t)module->num_outputs, .ranks = ranks, .world.check = check,
             .error = NORIA_ERROR_INIT};
  if (!run_program(&run)) goto done;
  result = list_of(out, n_out);
done:
  for (size_t i = 0; in && i < got; i++) noria_value_release(in[i]);
  free(in);
  free(out);
  return result;
}

static PyObject *infos(const NoriaValueInfo *values, int32_t count) {
  PyObject *list = PyList_New(count);
  for (int32_t i = 0; list && i < count; i++) {
    PyObject *dims = Py_None;
    if (values[i].rank >= 0 && (dims = PyList_New(values[i].rank)))
      for (int32_t d = 0; d < values[i].rank; d++) {
        const char *symbol = values[i].dim_names ? values[i].dim_names[d] : NULL;
        PyObject *dim = values[i].dims[d] >= 0 ? PyLong_FromLongLong(values[i].dims[d])
                        : symbol && *symbol    ? PyUnicode_FromString(symbol)
                                               : Py_NewRef(Py_None);
        PyList_SetItem(dims, d, dim);
      }
    else Py_XINCREF(dims);
    PyList_SetItem(list, i, Py_BuildValue("(siiiiN)", values[i].name, (int)values[i].kind, (int)values[i].item_kind,
                                           (int)values[i].key_dtype, (int)values[i].dtype, dims));
  }
  return list;
}

static PyObject *session_inputs(PyObject *self, void *unused) {
  (void)unused;
  const NoriaModule *m = noria_program_module(((Session *)self)->program);
  return infos(m->inputs, m->num_inputs);
}
static PyObject *session_outputs(PyObject *self, void *unused) {
  (void)unused;
  const NoriaModule *m = noria_program_module(((Session *)self)->program);
  return infos(m->outputs, m->num_outputs);
}

typedef struct Wait {
  NoriaProgram *program;
  double wait_s;
  NoriaTier tier;
  NoriaError error;
  atomic_bool stopped;
} Wait;

/* Waits piece by piece: an interrupt ends this wait, and nothing else. */
static void wait_work(void *user) {
  static const double piece_s = 0.1;
  Wait *w = user;
  bool forever = w->wait_s < 0;
  do {
    double now_s = forever || w->wait_s > piece_s ? piece_s : w->wait_s;
    w->tier = noria_program_tier(w->program, now_s, &w->error);
    w->wait_s -= now_s;
  } while (w->tier == NORIA_TIER_FIRST && !w->error.code && (forever || w->wait_s > 0) && !atomic_load(&w->stopped));
}

static void wait_stop(void *user) { atomic_store(&((Wait *)user)->stopped, true); }

/* wait_until_optimized(seconds) -> whether no better code is being made any more; below 0: without a limit */
static PyObject *session_wait(PyObject *object, PyObject *args) {
  Wait w = {.program = ((Session *)object)->program, .error = NORIA_ERROR_INIT};
  if (!PyArg_ParseTuple(args, "d", &w.wait_s)) return NULL;
  bool undisturbed = signals_run(wait_work, wait_stop, &w);
  bool interrupted = w.tier == NORIA_TIER_FIRST && w.error.code == NORIA_ERROR_INTERRUPTED;
  if (undisturbed && w.error.code && (!interrupted || !signals_raise())) return fail(&w.error);
  noria_error_clear(&w.error);
  if (!undisturbed || interrupted) return NULL;
  return PyBool_FromLong(w.tier != NORIA_TIER_FIRST);
}

/* trim() */
static PyObject *session_trim(PyObject *object, PyObject *unused) {
  (void)unused;
  Py_BEGIN_ALLOW_THREADS
  noria_program_trim(((Session *)object)->program);
  Py_END_ALLOW_THREADS
  Py_RETURN_NONE;
}

static PyMethodDef session_methods[] = {
    {"run", session_run, METH_O, "run(list of inputs) -> list of Value"},
    {"run_ranks", session_run_ranks, METH_VARARGS, "run_ranks(ranks, list of inputs, check) -> list of Value"},
    {"trim", session_trim, METH_NOARGS, "trim()"},
    {"wait_until_optimized", session_wait, METH_VARARGS, "wait_until_optimized(seconds) -> bool"},
    {NULL, NULL, 0, NULL},
};
static PyGetSetDef session_getset[] = {
    {"inputs", session_inputs, NULL, "[(name, kind, item kind, dtype, dims)]", NULL},
    {"outputs", session_outputs, NULL, "[(name, kind, item kind, dtype, dims)]", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};
static PyType_Slot session_slots[] = {
    {Py_tp_dealloc, session_dealloc},
    {Py_tp_methods, session_methods},
    {Py_tp_getset, session_getset},
    {Py_tp_doc, "A compiled program."},
    {0, NULL},
};
static PyType_Spec session_spec = {"noria._native.Session", sizeof(Session), 0,
                                   Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, session_slots};

/* ---- functions ---- */

typedef struct Compile {
  const char *path, *bytes, *folder;
  Py_ssize_t size;
  NoriaCompileOptions options;
  const char *out_path, *header; /* of a file */
  NoriaFileKind kind;
  NoriaProgram *program;
  NoriaError error;
  NoriaStatus status;
} Compile;

static void compile_work(void *user) {
  Compile *c = user;
  c->status = c->path ? noria_compile_file(c->path, &c->options, &c->program, &c->error)
                      : noria_compile_memory(c->bytes, (size_t)c->size, c->folder, &c->options, &c->program, &c->error);
}
static void compile_stop(void *user) {
  (void)user;
  noria_interrupt_all();
}

static void compile_file_work(void *user) {
  Compile *c = user;
  c->status = noria_compile_to_file(c->path, &c->options, c->kind, c->out_path, c->header, &c->error);
}

/* False with an exception; there is no program then. */
static bool compile_program(Compile *c) {
  bool undisturbed = signals_run(c->out_path ? compile_file_work : compile_work, compile_stop, c);
  if (undisturbed && !c->status) return true;
  if (undisturbed && (c->status != NORIA_ERROR_INTERRUPTED || !signals_raise())) fail(&c->error);
  noria_error_clear(&c->error);
  noria_program_destroy(c->program);
  return false;
}

/* The UTF-8 of a list of strings, which the list keeps. NULL after an exception. */
static const char **take_texts(PyObject *list, size_t *out_count) {
  Py_ssize_t count = PyList_Size(list);
  if (count < 0) return NULL;
  const char **texts = calloc((size_t)count + 1, sizeof *texts);
  if (!texts) return (const char **)PyErr_NoMemory();
  for (Py_ssize_t i = 0; i < count; i++) {
    if ((texts[i] = PyUnicode_AsUTF8AndSize(PyList_GetItem(list, i), NULL))) continue;
    free(texts);
    return NULL;
  }
  *out_count = (size_t)count;
  return texts;
}

/* What a run warns of becomes a RuntimeWarning. A filter that makes errors of warnings cannot end the run. */
static void warn(void *user, const char *text, size_t size) {
  (void)user, (void)size;
  PyGILState_STATE held = PyGILState_Ensure();
  if (PyErr_WarnEx(PyExc_RuntimeWarning, text, 1)) PyErr_WriteUnraisable(NULL);
  PyGILState_Release(held);
}

/* compile(path or None, bytes or None, folder or None, threads, shapes, time_s, iterations, memory, stage, sanitizer,
 *         compile_time_s, compile_memory, libraries, parameter_files, shard, format, is_rank, cache,
 *         fold_memory, tiered) -> Session */
static PyObject *compile(PyObject *module, PyObject *args) {
  (void)module;
  int threads, is_rank, tiered;
  PyObject *shapes, *libraries, *parameters;
  Compile c = {.error = NORIA_ERROR_INIT};
  NoriaRunLimits *limits = &c.options.program.limits;
  long long iterations, memory, compile_memory, fold_memory;
  if (!PyArg_ParseTuple(args, "zz#ziOdLLzzdLOOzzpzLp", &c.path, &c.bytes, &c.size, &c.folder, &threads, &shapes,
                        &limits->time_s, &iterations, &memory, &c.options.interpret_after, &c.options.sanitize,
                        &c.options.compile_time_s, &compile_memory, &libraries, &parameters, &c.options.shard,
                        &c.options.format, &is_rank, &c.options.cache, &fold_memory, &tiered))
    return NULL;
  c.options.compile_memory = compile_memory;
  c.options.fold_memory = fold_memory;
  c.options.tiered = tiered;
  c.options.program.threads = threads;
  c.options.program.warn = warn;
  limits->iterations = iterations;
  limits->memory = memory;
  c.options.shapes = take_texts(shapes, &c.options.num_shapes);
  c.options.program.libraries = take_texts(libraries, &c.options.program.num_libraries);
  c.options.program.parameter_files = take_texts(parameters, &c.options.program.num_parameter_files);
  bool taken = c.options.shapes && c.options.program.libraries && c.options.program.parameter_files;
  bool compiled = taken && compile_program(&c);
  free((void *)c.options.shapes);
  free((void *)c.options.program.libraries);
  free((void *)c.options.program.parameter_files);
  if (!compiled) return NULL;
  Session *self = (Session *)PyType_GenericAlloc(state.session_type, 0);
  if (!self) noria_program_destroy(c.program);
  else self->program = c.program, self->is_rank = is_rank, self->limits = *limits;
  return (PyObject *)self;
}

/* compile_file(path, out path, header or None, kind, shapes, cpu or None, time_s, memory, shard or None) */
static PyObject *compile_file(PyObject *module, PyObject *args) {
  (void)module;
  PyObject *shapes;
  int kind;
  long long memory;
  Compile c = {.error = NORIA_ERROR_INIT};
  if (!PyArg_ParseTuple(args, "ssziOzdLz", &c.path, &c.out_path, &c.header, &kind, &shapes, &c.options.cpu,
                        &c.options.compile_time_s, &memory, &c.options.shard))
    return NULL;
  c.kind = (NoriaFileKind)kind;
  c.options.compile_memory = memory;
  c.options.shapes = take_texts(shapes, &c.options.num_shapes);
  bool compiled = c.options.shapes && compile_program(&c);
  free((void *)c.options.shapes);
  if (!compiled) return NULL;
  Py_RETURN_NONE;
}

typedef struct Join {
  NoriaWorldOptions options;
  NoriaWorld *world;
  NoriaError error;
  NoriaStatus status;
} Join;

static void join_work(void *user) {
  Join *j = user;
  j->status = noria_world_create_mpi(&j->options, &j->world, &j->error);
}

/* join(handle, time_s, check) -> (rank, count): this process is a rank of the MPI communicator with this Fortran
 * handle. Returns when all its ranks have joined. */
static PyObject *join(PyObject *module, PyObject *args) {
  (void)module;
  int32_t handle;
  Join j = {.error = NORIA_ERROR_INIT};
  if (!PyArg_ParseTuple(args, "idp", &handle, &j.options.time_s, &j.options.check)) return NULL;
  if (state.world) return PyErr_Format(state.error, "this process is a rank already");
  j.options.communicator = &handle;
  bool undisturbed = signals_run(join_work, compile_stop, &j);
  if (undisturbed && j.status) return fail(&j.error);
  noria_error_clear(&j.error);
  state.world = j.world;
  if (!undisturbed) return NULL;
  return Py_BuildValue("(ii)", (int)noria_world_rank(j.world), (int)noria_world_count(j.world));
}

/* leave(): ends what join began; waits for the other ranks, except after a failure. */
static PyObject *leave(PyObject *module, PyObject *unused) {
  (void)module, (void)unused;
  NoriaWorld *world = state.world;
  state.world = NULL;
  Py_BEGIN_ALLOW_THREADS noria_world_destroy(world);
  Py_END_ALLOW_THREADS Py_RETURN_NONE;
}

/* tensor(buffer, dtype): a Value that shares the buffer, read as elements of dtype */
static PyObject *tensor(PyObject *module, PyObject *args) {
  (void)module;
  PyObject *object;
  int dtype;
  if (!PyArg_ParseTuple(args, "Oi", &object, &dtype)) return NULL;
  NoriaValue *value = to_value(object, (NoriaDType)dtype, "");
  return value ? value_new(value) : NULL;
}

/* The bytes of an element of a string tensor: of bytes themselves, else UTF-8 of str(item), where an escaped surrogate
 * is the byte that it stands for. They live as long as the item or as kept, a list. False after an exception. */
static bool text_of(PyObject *item, PyObject *kept, const char **out_text, size_t *out_size) {
  Py_ssize_t size;
  char *text;
  bool plain = PyUnicode_Check(item) || PyBytes_Check(item);
  PyObject *string = plain ? NULL : PyObject_Str(item);
  if (!plain && (!string || PyList_Append(kept, string))) return Py_XDECREF(string), false;
  Py_XDECREF(string); /* the list has it */
  if (string) item = string;
  if (PyUnicode_Check(item)) {
    *out_text = PyUnicode_AsUTF8AndSize(item, &size);
    *out_size = (size_t)size;
    if (*out_text) return true;
    if (!PyErr_ExceptionMatches(PyExc_UnicodeEncodeError)) return false;
    PyErr_Clear();
    item = PyUnicode_AsEncodedString(item, "utf-8", "surrogateescape");
    if (!item || PyList_Append(kept, item)) return Py_XDECREF(item), false;
    Py_DECREF(item);
  }
  if (PyBytes_AsStringAndSize(item, &text, &size)) return false;
  *out_text = text;
  *out_size = (size_t)size;
  return true;
}

/* strings(list, dims) */
static PyObject *strings(PyObject *module, PyObject *args) {
  (void)module;
  PyObject *list, *dims;
  if (!PyArg_ParseTuple(args, "OO", &list, &dims)) return NULL;
  Py_ssize_t count = PyList_Size(list), rank = PyTuple_Size(dims);
  int64_t sizes[NORIA_MAX_RANK];
  if (count < 0 || rank < 0) return NULL;
  if (rank > NORIA_MAX_RANK) return PyErr_Format(state.error, "too many dims"), NULL;
  const char **data = calloc((size_t)count + 1, sizeof *data);
  size_t *lengths = calloc((size_t)count + 1, sizeof *lengths);
  PyObject *result = NULL, *kept = PyList_New(0);
  bool ok = data && lengths && kept;
  for (Py_ssize_t i = 0; i < rank; i++) sizes[i] = PyLong_AsLongLong(PyTuple_GetItem(dims, i));
  for (Py_ssize_t i = 0; i < count && ok; i++) ok = text_of(PyList_GetItem(list, i), kept, &data[i], &lengths[i]);
  if (ok) {
    NoriaValue *value;
    NoriaError error = NORIA_ERROR_INIT;
    if (noria_tensor_create_strings(rank, sizes, data, lengths, &value, &error)) fail(&error);
    else result = value_new(value);
  }
  if (!data || !lengths) PyErr_NoMemory();
  free(data);
  free(lengths);
  Py_XDECREF(kept);
  return result;
}

/* sequence(list of Value, dtype) */
static PyObject *sequence(PyObject *module, PyObject *args) {
  (void)module;
  PyObject *list;
  int dtype;
  if (!PyArg_ParseTuple(args, "Oi", &list, &dtype)) return NULL;
  Py_ssize_t count = PyList_Size(list);
  if (count < 0) return NULL;
  const NoriaValue **items = calloc((size_t)count + 1, sizeof *items);
  if (!items) return PyErr_NoMemory();
  for (Py_ssize_t i = 0; i < count; i++) {
    PyObject *item = PyList_GetItem(list, i);
    if (Py_TYPE(item) != state.value_type) {
      free(items);
      return PyErr_Format(PyExc_TypeError, "items must be Values"), NULL;
    }
    items[i] = ((Value *)item)->value;
  }
  NoriaValue *value;
  NoriaError error = NORIA_ERROR_INIT;
  NoriaStatus status = noria_sequence_create((NoriaDType)dtype, items, count, &value, &error);
  free(items);
  return status ? fail(&error) : value_new(value);
}

/* map(Value of the keys, Value of the values) */
static PyObject *map(PyObject *module, PyObject *args) {
  (void)module;
  PyObject *keys, *values;
  if (!PyArg_ParseTuple(args, "O!O!", state.value_type, &keys, state.value_type, &values)) return NULL;
  NoriaValue *value;
  NoriaError error = NORIA_ERROR_INIT;
  if (noria_map_create(((Value *)keys)->value, ((Value *)values)->value, &value, &error)) return fail(&error);
  return value_new(value);
}

/* trim() */
static PyObject *trim(PyObject *module, PyObject *unused) {
  (void)module, (void)unused;
  Py_BEGIN_ALLOW_THREADS
  noria_trim();
  Py_END_ALLOW_THREADS
  Py_RETURN_NONE;
}

/* optional(Value or None, kind, dtype) */
static PyObject *optional(PyObject *module, PyObject *args) {
  (void)module;
  PyObject *item;
  int kind, dtype;
  if (!PyArg_ParseTuple(args, "Oii", &item, &kind, &dtype)) return NULL;
  NoriaValue *value;
  NoriaError error = NORIA_ERROR_INIT;
  const NoriaValue *inner = item == Py_None ? NULL : ((Value *)item)->value;
  if (noria_optional_create(inner, (NoriaKind)kind, (NoriaDType)dtype, &value, &error)) return fail(&error);
  return value_new(value);
}

static PyObject *version(PyObject *module, PyObject *unused) {
  (void)module;
  (void)unused;
  return PyUnicode_FromString(noria_version());
}

static PyMethodDef functions[] = {
    {"compile", compile, METH_VARARGS, NULL},   {"tensor", tensor, METH_VARARGS, NULL},
    {"strings", strings, METH_VARARGS, NULL},   {"sequence", sequence, METH_VARARGS, NULL},
    {"map", map, METH_VARARGS, NULL},
    {"trim", trim, METH_NOARGS, NULL},
    {"optional", optional, METH_VARARGS, NULL}, {"version", version, METH_NOARGS, NULL},
    {"join", join, METH_VARARGS, NULL},         {"leave", leave, METH_NOARGS, NULL},
    {"compile_file", compile_file, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};
static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "noria._native", NULL, -1, functions, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__native(void);
PyMODINIT_FUNC PyInit__native(void) {
  PyObject *module = PyModule_Create(&definition);
  if (!module) return NULL;
  state.value_type = (PyTypeObject *)PyType_FromSpec(&value_spec);
  state.session_type = (PyTypeObject *)PyType_FromSpec(&session_spec);
  state.error = PyErr_NewException("noria.Error", PyExc_RuntimeError, NULL);
  if (!state.value_type || !state.session_type || !state.error ||
      PyModule_AddObjectRef(module, "Value", (PyObject *)state.value_type) ||
      PyModule_AddObjectRef(module, "Session", (PyObject *)state.session_type) ||
      PyModule_AddObjectRef(module, "Error", state.error)) {
    Py_DECREF(module);
    return NULL;
  }
  if (!signals_init()) {
    Py_DECREF(module);
    return NULL;
  }
  return module;
}
