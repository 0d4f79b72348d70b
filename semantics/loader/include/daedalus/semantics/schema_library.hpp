// A compiled schema, loaded from its shared library.
#pragma once

#include <memory>
#include <string>

#include "daedalus/base/result.hpp"
#include "daedalus/semantics/row_codec.hpp"
#include "daedalus/semantics/types.hpp"

namespace daedalus::semantics {

/// Keeps the shared library loaded as long as it lives.
class SchemaLibrary {
 public:
  /// Loads and checks: symbol present, ABI version equal, descriptor consistent (a wrong one is refused, never
  /// trusted). Errors (F0000): name the file and what is wrong with it.
  [[nodiscard]] static Result<SchemaLibrary> load(const std::string& path);

  SchemaLibrary(SchemaLibrary&&) noexcept;
  SchemaLibrary& operator=(SchemaLibrary&&) noexcept;
  ~SchemaLibrary();

  [[nodiscard]] const Schema& schema() const { return *schema_; }
  [[nodiscard]] RowCodec codec() const { return codec_; }

 private:
  SchemaLibrary() = default;

  void* handle_ = nullptr;
  std::unique_ptr<Schema> schema_;
  RowCodec codec_;
};

}  // namespace daedalus::semantics
