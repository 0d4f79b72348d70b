// Loads a compiled schema and believes nothing it says about itself: a wrong descriptor would corrupt memory later.
#include "daedalus/semantics/schema_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "daedalus/schema/abi.h"
#include "daedalus/semantics/packed.hpp"

namespace daedalus::semantics {
namespace {

constexpr const char* kSymbol = "daedalus_schema";
constexpr size_t kFingerprintSize = 64;
constexpr size_t kNameSizeMax = 63;  // PostgreSQL's NAMEDATALEN - 1.

using SchemaFunction = const daedalus_schema_abi* (*)();

std::string checked_name(const char* name) {
  return name == nullptr ? std::string() : std::string(name, std::min(std::string_view(name).size(), kNameSizeMax + 1));
}

bool is_name(const std::string& name) { return !name.empty() && name.size() <= kNameSizeMax; }

bool is_fingerprint(std::string_view text) {
  return text.size() == kFingerprintSize && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

/// Each check returns what is wrong, in words that follow "FILE: ".
using Fault = std::optional<std::string>;

Fault read_default(const daedalus_column_abi& abi, Column& column) {
  if (abi.has_default > 1 || abi.default_is_null > 1) {
    return fmt::format("column \"{}\": flags of the default are neither 0 nor 1", column.name);
  }
  if (abi.has_default == 0) {
    return std::nullopt;
  }
  if (abi.default_is_null == 1) {
    column.default_value = Value();
    return std::nullopt;
  }
  if (abi.default_packed == nullptr) {
    return fmt::format("column \"{}\": the default has no bytes", column.name);
  }
  const std::string_view packed(reinterpret_cast<const char*>(abi.default_packed), abi.default_packed_size);
  Result<Value> value = read_packed(column.type, packed);
  if (!value) {
    return fmt::format("column \"{}\": default: {}", column.name, value.error().message);
  }
  column.default_value = std::move(*value);
  return std::nullopt;
}

Fault read_column(const daedalus_column_abi& abi, uint32_t position, Column& column) {
  column.name = checked_name(abi.name);
  if (!is_name(column.name)) {
    return fmt::format("column {} has no name of 1 to {} bytes", position, kNameSizeMax);
  }
  column.type.kind = static_cast<TypeKind>(abi.kind);
  column.type.precision = abi.precision;
  column.type.scale = abi.scale;
  column.type.length = abi.length;
  if (column.type.kind == TypeKind::kText || column.type.kind == TypeKind::kInterval) {
    return fmt::format("column \"{}\": there is no type number {}", column.name, abi.kind);
  }
  if (const Fault fault = type_fault(column.type)) {
    return fmt::format("column \"{}\": {}", column.name, *fault);
  }
  const bool is_text = is_string(column.type.kind);
  const bool is_decimal = column.type.kind == TypeKind::kNumeric;
  if ((is_text ? abi.length == 0 : abi.length != 0) ||
      (is_decimal ? abi.precision == 0 : abi.precision != 0 || abi.scale != 0)) {
    return fmt::format("column \"{}\": length, precision or scale do not fit type {}", column.name,
                       kind_name(column.type.kind));
  }
  if (abi.plane_width != plane_width(column.type)) {
    return fmt::format("column \"{}\": plane width {} instead of {}", column.name, abi.plane_width,
                       plane_width(column.type));
  }
  if (abi.nullable > 1) {
    return fmt::format("column \"{}\": nullable is neither 0 nor 1", column.name);
  }
  column.nullable = abi.nullable == 1;
  return read_default(abi, column);
}

Fault read_primary_key(const daedalus_schema_abi& abi, Schema& schema) {
  if (abi.primary_key_count > abi.column_count || (abi.primary_key_count > 0 && abi.primary_key == nullptr)) {
    return fmt::format("the primary key has {} columns of {}", abi.primary_key_count, abi.column_count);
  }
  std::set<uint32_t> seen;
  for (uint32_t i = 0; i < abi.primary_key_count; ++i) {
    const uint32_t column = abi.primary_key[i];
    if (column >= abi.column_count || !seen.insert(column).second) {
      return fmt::format("the primary key names column {} wrongly", column);
    }
    schema.primary_key.push_back(column);
  }
  return std::nullopt;
}

Fault read_schema(const daedalus_schema_abi& abi, Schema& schema) {
  schema.table_name = checked_name(abi.table_name);
  if (!is_name(schema.table_name)) {
    return fmt::format("the table has no name of 1 to {} bytes", kNameSizeMax);
  }
  if (abi.fingerprint == nullptr || !is_fingerprint(abi.fingerprint)) {
    return std::string("the fingerprint is not 64 hexadecimal digits");
  }
  schema.fingerprint = abi.fingerprint;
  if (abi.column_count == 0 || abi.column_count > kColumnsMax || abi.columns == nullptr) {
    return fmt::format("{} columns, 1 to {} are allowed", abi.column_count, kColumnsMax);
  }
  std::set<std::string> names;
  for (uint32_t i = 0; i < abi.column_count; ++i) {
    Column column;
    if (Fault fault = read_column(abi.columns[i], i, column)) {
      return fault;
    }
    if (!names.insert(column.name).second) {
      return fmt::format("two columns are named \"{}\"", column.name);
    }
    schema.columns.push_back(std::move(column));
  }
  if (Fault fault = read_primary_key(abi, schema)) {
    return fault;
  }
  const uint32_t row_size = packed_row_size_max(schema);
  if (row_size > kRowSizeMax) {
    return fmt::format("rows of up to {} bytes, at most {} are allowed", row_size, kRowSizeMax);
  }
  if (abi.packed_row_size_max != row_size) {
    return fmt::format("packed rows of up to {} bytes instead of {}", abi.packed_row_size_max, row_size);
  }
  if (abi.store_row == nullptr) {
    return std::string("the row codec is missing");
  }
  return std::nullopt;
}

Error unusable(const std::string& path, const std::string& what) {
  return Error{ErrorCategory::kFatal, "F0000", fmt::format("schema library {}: {}", path, what),
               "compile the schema again with this release's schema compiler", 0};
}

}  // namespace

Result<SchemaLibrary> SchemaLibrary::load(const std::string& path) {
  SchemaLibrary library;
  // A name without a slash would be looked up in the system's library path.
  const std::string file = path.find('/') == std::string::npos ? "./" + path : path;
  library.handle_ = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library.handle_ == nullptr) {
    return unusable(path, dlerror());
  }
  void* symbol = dlsym(library.handle_, kSymbol);
  if (symbol == nullptr) {
    return unusable(path, fmt::format("it exports no {}()", kSymbol));
  }
  const daedalus_schema_abi* abi = reinterpret_cast<SchemaFunction>(symbol)();
  if (abi == nullptr) {
    return unusable(path, "it has no descriptor");
  }
  if (abi->abi_version != DAEDALUS_SCHEMA_ABI_VERSION) {
    return unusable(path,
                    fmt::format("interface version {} instead of {}", abi->abi_version, DAEDALUS_SCHEMA_ABI_VERSION));
  }
  library.schema_ = std::make_unique<Schema>();
  if (const Fault fault = read_schema(*abi, *library.schema_)) {
    return unusable(path, *fault);
  }
  library.codec_ = {nullptr, abi->store_row};
  return library;
}

SchemaLibrary::SchemaLibrary(SchemaLibrary&& other) noexcept
    : handle_(std::exchange(other.handle_, nullptr)), schema_(std::move(other.schema_)), codec_(other.codec_) {}

SchemaLibrary& SchemaLibrary::operator=(SchemaLibrary&& other) noexcept {
  std::swap(handle_, other.handle_);
  std::swap(schema_, other.schema_);
  std::swap(codec_, other.codec_);
  return *this;
}

SchemaLibrary::~SchemaLibrary() {
  if (handle_ != nullptr) {
    dlclose(handle_);
  }
}

}  // namespace daedalus::semantics
