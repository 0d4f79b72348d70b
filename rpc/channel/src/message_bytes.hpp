// Operations and results within a batch, by their bytes: put there without a batch that holds them, and found without
// one.
//
// Refuses to know what a message says beyond where its fields begin.
#pragma once

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/message_lite.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "daedalus/wire/v1/operations.pb.h"
#include "daedalus/wire/v1/results.pb.h"

namespace daedalus::rpc {

/// Tag of field 1, length-delimited: `operations` of OperationBatch and `results` of ResultBatch.
inline constexpr char kBatchEntryTag = 0x0A;
static_assert(wire::v1::OperationBatch::kOperationsFieldNumber == 1 && wire::v1::ResultBatch::kResultsFieldNumber == 1);
/// Tags of an operation's fields, and of a result's.
inline constexpr char kHeaderTag = wire::v1::Operation::kHeaderFieldNumber << 3 | 2;
inline constexpr char kBodyTag = wire::v1::Operation::kBodyFieldNumber << 3 | 2;
inline constexpr char kSequenceTag = wire::v1::Result::kSequenceFieldNumber << 3;
inline constexpr char kRowsTag = wire::v1::Result::kRowsFieldNumber << 3 | 2;
inline constexpr char kEndTag = wire::v1::Result::kEndFieldNumber << 3 | 2;

[[nodiscard]] inline size_t entry_overhead(size_t message_size) {
  return 1 + google::protobuf::io::CodedOutputStream::VarintSize32(static_cast<uint32_t>(message_size));
}

inline void append_varint(size_t value, std::string& to) {
  uint8_t bytes[10];
  const uint8_t* end = google::protobuf::io::CodedOutputStream::WriteVarint64ToArray(value, bytes);
  to.append(reinterpret_cast<const char*>(bytes), static_cast<size_t>(end - bytes));
}

/// The beginning of a field that is as long as `size`. Precondition: its number is below 16.
inline void append_length(int field, size_t size, std::string& to) {
  constexpr int kLengthDelimited = 2;
  to += static_cast<char>(field << 3 | kLengthDelimited);
  append_varint(size, to);
}

[[nodiscard]] inline bool parse_from(std::string_view bytes, google::protobuf::MessageLite& message) {
  return message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
}

/// Takes a varint off the front; nothing, and nothing taken, where there is none.
[[nodiscard]] inline std::optional<uint64_t> take_varint(std::string_view& bytes) {
  constexpr size_t kVarintSizeMax = 10;
  uint64_t value = 0;
  for (size_t at = 0; at < bytes.size() && at < kVarintSizeMax; ++at) {
    const auto byte = static_cast<uint8_t>(bytes[at]);
    value |= uint64_t{byte & 0x7Fu} << (7 * at);
    if (byte < 0x80) {
      bytes.remove_prefix(at + 1);
      return value;
    }
  }
  return std::nullopt;
}

/// Takes a length-delimited field with this tag off the front; nothing where there is none, or it is cut short.
[[nodiscard]] inline std::optional<std::string_view> take_field(char tag, std::string_view& bytes) {
  std::string_view rest = bytes;
  if (rest.empty() || rest.front() != tag) {
    return std::nullopt;
  }
  rest.remove_prefix(1);
  const auto size = take_varint(rest);
  if (!size || *size > rest.size()) {
    return std::nullopt;
  }
  bytes = rest.substr(*size);
  return rest.substr(0, *size);
}

/// A result's first field, as it is written.
[[nodiscard]] inline std::optional<uint64_t> take_sequence(std::string_view& bytes) {
  if (bytes.empty() || bytes.front() != kSequenceTag) {
    return std::nullopt;
  }
  bytes.remove_prefix(1);
  return take_varint(bytes);
}

}  // namespace daedalus::rpc
