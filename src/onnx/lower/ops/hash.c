/* hash.c - MurmurHash3 of com.microsoft: a hash of 32 bits (x86_32) of each element. Numbers are hashed here, as the
 * blocks of 32 bits that they have; strings in the runtime. */
#include "onnx/lower/core/body.h"
#include "onnx/lower/ops/sequence.h"

#include "base/murmur.h"

static NrValue *u32(NrLower *l, uint32_t value) { return nr_lower_int(l, nr_type_i32(l->ctx), (int32_t)value); }

static NrValue *exclusive_or(NrLower *l, NrValue *a, NrValue *b) { return same2(l, NR_OP_arith_xori, a, b); }

static NrValue *rotated(NrLower *l, NrValue *x, uint32_t by) {
  return either(l, same2(l, NR_OP_arith_shli, x, u32(l, by)), same2(l, NR_OP_arith_shrui, x, u32(l, 32 - by)));
}

static NrValue *with_block(NrLower *l, NrValue *hash, NrValue *block) {
  NrValue *k = mul(l, rotated(l, mul(l, block, u32(l, NR_MURMUR_C1)), 15), u32(l, NR_MURMUR_C2));
  hash = rotated(l, exclusive_or(l, hash, k), 13);
  return add(l, mul(l, hash, u32(l, 5)), u32(l, NR_MURMUR_ADD));
}

static NrValue *shifted(NrLower *l, NrValue *x, uint32_t by) {
  return exclusive_or(l, x, same2(l, NR_OP_arith_shrui, x, u32(l, by)));
}

static NrValue *hash_body(NrLower *l, NrValue *const *a, void *user) {
  NrType i32 = nr_type_i32(l->ctx), i64 = nr_type_i64(l->ctx);
  NrValue *x = a[0], *hash = u32(l, *(const uint32_t *)user);
  bool wide = nr_type_bits(x->type) == 64;
  if (nr_type_is_float(x->type)) x = nr_lower_op1(l, NR_OP_arith_bitcast, wide ? i64 : i32, x);
  hash = with_block(l, hash, wide ? nr_lower_op1(l, NR_OP_arith_trunci, i32, x) : x);
  if (wide) {
    NrValue *high = same2(l, NR_OP_arith_shrui, x, nr_lower_int(l, i64, 32));
    hash = with_block(l, hash, nr_lower_op1(l, NR_OP_arith_trunci, i32, high));
  }
  hash = exclusive_or(l, hash, u32(l, wide ? 8 : 4));
  hash = mul(l, shifted(l, hash, 16), u32(l, NR_MURMUR_MIX1));
  return shifted(l, mul(l, shifted(l, hash, 13), u32(l, NR_MURMUR_MIX2)), 16);
}

NrStatus nr_lower_murmur_hash3(NrLower *l) {
  NrValue *x = nr_lower_in(l, 0);
  int64_t given = nr_lower_attr_int(l, "seed");
  uint32_t seed = (uint32_t)given;
  NoriaDType to = nr_lower_attr_int(l, "positive") ? NORIA_U32 : NORIA_I32;
  NrType i32 = nr_type_i32(l->ctx);
  if (given != (int32_t)given && given != seed)
    return nr_lower_error(l, "seed is %lld; it must have 32 bits", (long long)given);
  if (nr_lower_dtype(l, 0) != NORIA_STRING)
    return nr_lower_out(l, 0, nr_lower_map(l, &x, 1, i32, hash_body, &seed), to);
  NrShape shape = nr_lower_shape(l, x);
  NrValue *args[2] = {u32(l, seed), x};
  NrValue *open = nr_lower_call(l, "string_hash", args, 2, nr_open_tensor_type((uint32_t)shape.rank, i32));
  NrValue *hashes = nr_lower_tensor_cast(l, open, nr_shape_type(l, &shape, i32));
  for (size_t i = 0; i < shape.rank; i++) nr_lower_set_dim(l, hashes, i, shape.dims[i]);
  return nr_lower_out(l, 0, hashes, to);
}
