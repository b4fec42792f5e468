/* ---- what the functions below use -------------------------------------------------------------------------------- */

/* The run fails at a place of the table noria_sites. */
NORIA_COLD static int32_t noria_fail(NoriaExec *exec, int32_t site, i64 a, i64 b, i64 c, i64 d) {
  exec->api->fail(exec, site, a, b, c, d);
  return 1;
}

/* The run was stopped, or failed where no place was known. */
NORIA_COLD static int32_t noria_stop(NoriaExec *exec, int32_t site) {
  exec->api->poll(exec, 0);
  exec->api->fail(exec, site, 0, 0, 0, 0);
  return 1;
}

NORIA_NEW static void *noria_alloc(NoriaExec *exec, i64 size) { return exec->api->alloc(exec, size); }

/* The size of a buffer; one that no memory has where the count is no such number. */
NORIA_UNUSED static inline i64 noria_bytes(i64 count, i64 size) {
  return (u64)count > (u64)NORIA_MAX_ELEMENTS ? INT64_MAX : count * size;
}

NORIA_UNUSED static inline void noria_copy(void *to, const void *from, i64 size) {
  if (size > 0 && to != from) memcpy(to, from, (size_t)size);
}

/* Blocks that live until their function returns, linked by a pointer in their first bytes. */
NORIA_UNUSED static void *noria_frame(NoriaExec *exec, void **frame, i64 size, i64 align) {
  i64 extra = align > 64 ? 64 + align : 64;
  char *block = exec->api->alloc(exec, size > INT64_MAX - extra ? INT64_MAX : size + extra), *data;
  if (!block) return NULL;
  memcpy(block, frame, sizeof *frame);
  *frame = block;
  data = block + 64;
  if (align > 64) data += (size_t)(align - (i64)((uintptr_t)data % (size_t)align)) % (size_t)align;
  return data;
}

NORIA_UNUSED static void noria_free_frame(NoriaExec *exec, void *frame) {
  while (frame) {
    void *next;
    memcpy(&next, frame, sizeof next);
    exec->api->free(exec, frame);
    frame = next;
  }
}

NORIA_UNUSED static inline f32 noria_f32(u32 x) {
  float y;
  memcpy(&y, &x, sizeof y);
  return y;
}

NORIA_UNUSED static inline f64 noria_f64(u64 x) {
  double y;
  memcpy(&y, &x, sizeof y);
  return y;
}

NORIA_UNUSED static inline u32 noria_bits32(float x) {
  uint32_t y;
  memcpy(&y, &x, sizeof y);
  return y;
}

NORIA_UNUSED static inline u64 noria_bits64(double x) {
  uint64_t y;
  memcpy(&y, &x, sizeof y);
  return y;
}

/* For messages. */
NORIA_UNUSED static inline i64 noria_whole(double x) {
  return x != x ? 0 : x >= 0x1p63 ? INT64_MAX : x < -0x1p63 ? INT64_MIN : (i64)x;
}
