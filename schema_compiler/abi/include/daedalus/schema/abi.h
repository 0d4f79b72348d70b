/* The versioned C interface of a compiled schema: a constant descriptor and a row codec.
 *
 * The schema compiler generates one C++ file against this header; storage nodes and aggregators load the shared library
 * made of it and check abi_version and fingerprint. Nothing else of Daedalus is visible to generated code. */
#ifndef DAEDALUS_SCHEMA_ABI_H_
#define DAEDALUS_SCHEMA_ABI_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DAEDALUS_SCHEMA_ABI_VERSION 3u

/* A string longer than this lies in two planes: so many of its bytes in its column's, the others, its tail, in a plane
 * of tails. What is asked of strings is mostly decided by their first bytes, which lie as close together as numbers. */
#define DAEDALUS_STRING_PREFIX_SIZE 8u

/* The numbers of daedalus.wire.v1.TypeKind. */
typedef struct daedalus_column_abi {
  const char* name;
  uint8_t kind;
  uint8_t nullable;    /* 0 or 1 */
  uint8_t has_default; /* 0 or 1 */
  uint8_t default_is_null;
  uint32_t precision;
  uint32_t scale;
  uint32_t length;               /* bytes, for char(n) and varchar(n) */
  uint32_t plane_width;          /* bytes one value takes, its tail included */
  const uint8_t* default_packed; /* packed value (docs/wire.md), when has_default and not default_is_null */
  uint32_t default_packed_size;
} daedalus_column_abi;

/* Decodes one packed row (docs/wire.md, after its u32 size) into column planes at `slot`.
 *
 * planes has twice as many entries as there are columns. planes[c] + slot * plane_width[c] receives column c: scalars
 * in native width, strings zero-padded to their declared length. Of strings declared longer than
 * DAEDALUS_STRING_PREFIX_SIZE the first so many bytes go to planes[c] + slot * DAEDALUS_STRING_PREFIX_SIZE and the
 * others to planes[column_count + c] + slot * (plane_width[c] - DAEDALUS_STRING_PREFIX_SIZE); of other columns the
 * second entry is not looked at. nulls[c] is a bitmap, bit slot % 64 of word slot / 64: set when NULL (the planes then
 * receive zeros), cleared otherwise. Returns 0, or a negative number and writes nothing of use when the row is
 * malformed: wrong size, a NULL in a column that forbids it, a string longer than declared, a boolean other than 0
 * and 1. */
typedef int32_t (*daedalus_store_row)(const void* context, const uint8_t* row, uint32_t row_size,
                                      uint8_t* const* planes, uint64_t* const* nulls, uint32_t slot);

typedef struct daedalus_schema_abi {
  uint32_t abi_version;
  uint32_t column_count;
  const char* fingerprint; /* 64 hexadecimal digits: SHA-256 of the canonical schema text */
  const char* table_name;
  const daedalus_column_abi* columns;
  const uint32_t* primary_key; /* column positions; NULL when there is none */
  uint32_t primary_key_count;
  uint32_t packed_row_size_max; /* u32 size included, all columns */
  daedalus_store_row store_row; /* context is unused */
} daedalus_schema_abi;

/* The one symbol a compiled schema exports. */
const daedalus_schema_abi* daedalus_schema(void);

#ifdef __cplusplus
}
#endif

#endif /* DAEDALUS_SCHEMA_ABI_H_ */
