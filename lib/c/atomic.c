/* Atomic steps. noria_exchange: writes next if *at still is *seen, else reads it into *seen. */
#ifdef __GNUC__
#define NORIA_ATOMIC(bits) \
  NORIA_UNUSED static inline u##bits noria_atomic_load##bits(const u##bits *at) { \
    return __atomic_load_n(at, __ATOMIC_RELAXED); \
  } \
  NORIA_UNUSED static inline bool noria_exchange##bits(u##bits *at, u##bits *seen, u##bits next) { \
    return __atomic_compare_exchange_n(at, seen, next, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED); \
  }
#else
#include <stdatomic.h>
#define NORIA_ATOMIC(bits) \
  static inline u##bits noria_atomic_load##bits(const u##bits *at) { \
    return atomic_load_explicit((const _Atomic u##bits *)at, memory_order_relaxed); \
  } \
  static inline bool noria_exchange##bits(u##bits *at, u##bits *seen, u##bits next) { \
    return atomic_compare_exchange_strong((_Atomic u##bits *)at, seen, next); \
  }
#endif
