/* dlpack.h - the binary interface of DLPack 1.x (github.com/dmlc/dlpack), which array libraries use to lend each other
 * memory. Declared here in our own words because distributions carry versions that lack half of the types. A program
 * that has <dlpack/dlpack.h> includes that one first: its types are then used. */
#ifndef NORIA_DLPACK_H
#define NORIA_DLPACK_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { DL_CPU = 1, DL_CUDA_HOST = 3 }; /* device types whose memory the CPU reads */

enum {
  DL_INT = 0,
  DL_UINT = 1,
  DL_FLOAT = 2,
  DL_BFLOAT = 4,
  DL_COMPLEX = 5,
  DL_BOOL = 6,
  DL_FLOAT8_E4M3FN = 10,
  DL_FLOAT8_E4M3FNUZ = 11,
  DL_FLOAT8_E5M2 = 12,
  DL_FLOAT8_E5M2FNUZ = 13,
  DL_FLOAT8_E8M0FNU = 14,
  DL_FLOAT6_E2M3FN = 15,
  DL_FLOAT6_E3M2FN = 16,
  DL_FLOAT4_E2M1FN = 17,
};

enum {
  DL_FLAG_READ_ONLY = 1,
  DL_FLAG_COPIED = 2,
  DL_FLAG_SUBBYTE_PADDED = 4, /* elements of fewer than 8 bits take a byte each, as ours do */
};

#ifndef DLPACK_DLPACK_H_

typedef struct DLDevice {
  int32_t device_type;
  int32_t device_id;
} DLDevice;

typedef struct DLDataType {
  uint8_t code, bits;
  uint16_t lanes;
} DLDataType;

typedef struct DLTensor {
  void *data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t *shape;
  int64_t *strides; /* in elements; NULL: row-major */
  uint64_t byte_offset;
} DLTensor;

typedef struct DLManagedTensor {
  DLTensor dl_tensor;
  void *manager_ctx;
  void (*deleter)(struct DLManagedTensor *self); /* may be NULL */
} DLManagedTensor;

typedef struct DLPackVersion {
  uint32_t major, minor;
} DLPackVersion;

typedef struct DLManagedTensorVersioned {
  DLPackVersion version;
  void *manager_ctx;
  void (*deleter)(struct DLManagedTensorVersioned *self); /* may be NULL */
  uint64_t flags;
  DLTensor dl_tensor;
} DLManagedTensorVersioned;

#endif

#ifdef __cplusplus
}
#endif
#endif
