// A row codec as the engine calls it: a plain function and its context (abi.h).
#pragma once

#include <memory>

#include "daedalus/schema/abi.h"
#include "daedalus/semantics/types.hpp"

namespace daedalus::semantics {

/// Borrowed: whoever made it outlives its users.
struct RowCodec {
  const void* context = nullptr;
  daedalus_store_row store_row = nullptr;
};

/// Bytes of the largest packed row of the schema, u32 size included, all columns.
[[nodiscard]] uint32_t packed_row_size_max(const Schema& schema);

/// Descriptor-driven codec for schemas that were not compiled: tests, and the twin that generated codecs are tested
/// against.
class GenericRowCodec {
 public:
  explicit GenericRowCodec(const Schema& schema);
  ~GenericRowCodec();
  GenericRowCodec(const GenericRowCodec&) = delete;
  GenericRowCodec& operator=(const GenericRowCodec&) = delete;

  /// Valid as long as this object.
  [[nodiscard]] RowCodec codec() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace daedalus::semantics
