/* reader.h - what the files of the model reader share; not for other folders, since it shows protobuf-c. */
#ifndef NORIA_ONNX_READ_READER_H
#define NORIA_ONNX_READ_READER_H

#include "onnx.pb-c.h"
#include "base/guard.h"
#include "onnx/read/model.h"

/* Where in the model we are, for messages: from the inside out. */
typedef struct NrOnnxPlace {
  const struct NrOnnxPlace *outer;
  const NrOnnxNode *node;         /* NULL, or the node that we are in ... */
  NrStr attr;                     /* ... and the attribute that we are in, or empty */
  const NrOnnxFunction *function; /* NULL, or the function that we are in */
} NrOnnxPlace;

/* Collects the errors of one call. */
typedef struct NrOnnxErrors {
  NrBuf *text;     /* may be NULL */
  NrStatus status; /* of the first */
  size_t count;
} NrOnnxErrors;

/* Adds the line "place: message". Control characters, which names from a file may hold, are shown escaped. */
void nr_onnx_error(NrOnnxErrors *errors, NrStatus status, const NrOnnxPlace *place, const char *format, ...)
    NR_PRINTF(4, 5);
/* Ends the list with the number of errors that it leaves out. */
void nr_onnx_errors_finish(NrOnnxErrors *errors);

typedef struct NrOnnxReader {
  NrOnnxModel *model;
  NrArena *arena; /* the model's */
  NrOnnxErrors *errors;
  const NrOnnxFunction *function; /* whose body is being read, or NULL */
  const uint8_t *bytes;           /* the file */
  size_t size;
  const char *folder;      /* where external data may lie; NULL: nowhere */
  const char *real_folder; /* NULL, or the folder of the model file behind a link, where it may lie too */
} NrOnnxReader;

/* decode.c: the model in the file's bytes; NULL after an error. Messages and strings are allocated in one arena, lists
 * of numbers, which are the data of tensors in typed fields, in another; bytes fields point into the file. */
Onnx__ModelProto *nr_onnx_decode(NrArena *messages, NrArena *numbers, NrOnnxErrors *errors, const uint8_t *bytes,
                                 size_t size);

/* tensor_read.c. False after an error, which names the tensor. */
bool nr_onnx_read_tensor(NrOnnxReader *r, const NrOnnxPlace *place, const Onnx__TensorProto *proto, NrOnnxTensor *out);
bool nr_onnx_read_sparse(NrOnnxReader *r, const NrOnnxPlace *place, const Onnx__SparseTensorProto *proto,
                         NrOnnxTensor *out);

/* external_data.c: the bytes that proto's external_data names, which must be `size`. They live as long as the model. */
bool nr_onnx_map_external(NrOnnxReader *r, const NrOnnxPlace *place, const Onnx__TensorProto *proto, size_t size,
                          const void **out_data);
/* Maps a whole regular file; the same file twice gives the same map. NULL with errno set when the system refuses. */
typedef struct NrOnnxMapping {
  struct NrOnnxMapping *next;
  NrStr path;
  const uint8_t *data;
  size_t size;
  bool external; /* tensors name it as their external data */
  NrHold *hold;
} NrOnnxMapping;
NrOnnxMapping *nr_onnx_map_file(NrOnnxModel *model, const char *path);
void nr_onnx_unmap_all(NrOnnxModel *model);

/* check.c: everything that the model's parts must agree on. Also fills node versions. */
bool nr_onnx_check(NrOnnxModel *model, NrOnnxErrors *errors);

#endif
