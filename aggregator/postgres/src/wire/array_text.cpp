#include "array_text.hpp"

#include <fmt/format.h>

#include <optional>

#include "byte_order.hpp"
#include "daedalus/semantics/text.hpp"
#include "value_format.hpp"

namespace daedalus::postgres {

namespace {

Error malformed_array() { return rejected("22P03", "incorrect binary data format in an array"); }

/// Takes numbers and bytes from the front; nothing where there are not as many.
class Bytes {
 public:
  explicit Bytes(std::string_view bytes) : rest_(bytes) {}

  std::optional<int32_t> number() {
    const auto taken = bytes(sizeof(int32_t));
    return taken ? std::optional(read_big_endian<int32_t>(*taken)) : std::nullopt;
  }
  std::optional<std::string_view> bytes(size_t size) {
    if (rest_.size() < size) {
      return std::nullopt;
    }
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }
  [[nodiscard]] bool is_empty() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

Result<std::string> element_text(semantics::TypeKind kind, std::string_view bytes) {
  if (semantics::is_string(kind)) {
    return std::string(bytes);
  }
  return read_binary_as_text(kind, bytes);
}

void append_quoted(std::string_view text, std::string& out) {
  out.push_back('"');
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out.push_back('\\');
    }
    out.push_back(c);
  }
  out.push_back('"');
}

Result<void> append_element(semantics::TypeKind kind, Bytes& bytes, std::string& out) {
  const auto size = bytes.number();
  if (!size || *size < -1) {
    return malformed_array();
  }
  if (*size == -1) {
    out += "NULL";
    return {};
  }
  const auto element = bytes.bytes(static_cast<size_t>(*size));
  if (!element) {
    return malformed_array();
  }
  const auto text = element_text(kind, *element);
  if (!text) {
    return text.error();
  }
  append_quoted(*text, out);
  return {};
}

}  // namespace

Result<std::string> array_text(std::string_view binary) {
  Bytes bytes(binary);
  const auto dimensions = bytes.number();
  const auto has_nulls = bytes.number();
  const auto oid = bytes.number();
  if (!dimensions || !has_nulls || !oid || *dimensions < 0) {
    return malformed_array();
  }
  if (*dimensions > 1) {
    return rejected("0A000", "an array of several dimensions is not supported");
  }
  const auto kind = kind_of(static_cast<uint32_t>(*oid));
  if (!kind) {
    return rejected("0A000", fmt::format("an array of the type with OID {} is not supported", *oid),
                    "pass it as text and leave its type to the server");
  }
  const auto count = *dimensions == 0 ? std::optional(0) : bytes.number();
  if (!count || *count < 0 || (*dimensions == 1 && !bytes.number())) {
    return malformed_array();
  }
  std::string text = "{";
  for (int32_t index = 0; index < *count; ++index) {
    text += index == 0 ? "" : ",";
    if (auto appended = append_element(*kind, bytes, text); !appended) {
      return appended.error();
    }
  }
  return bytes.is_empty() ? Result<std::string>(text + "}") : malformed_array();
}

}  // namespace daedalus::postgres
