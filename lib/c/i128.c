#ifndef __SIZEOF_INT128__
#error "the program has integers of more than 64 bits, which this compiler has not"
#endif
__extension__ typedef __int128 i128 NORIA_ALIAS;
__extension__ typedef unsigned __int128 u128 NORIA_ALIAS;
#define NORIA_U128(high, low) ((u128)UINT64_C(high) << 64 | UINT64_C(low))
#define NORIA_I128(high, low) ((i128)NORIA_U128(high, low))
