#include "numbered_updates.hpp"

#include <fmt/format.h>

#include <utility>

#include "daedalus/semantics/packed.hpp"
#include "daedalus/semantics/placement.hpp"
#include "daedalus/wire/v1/operations.pb.h"

namespace daedalus::node::bench {

namespace {

constexpr uint32_t kIdColumn = 0;
constexpr uint32_t kBalanceColumn = 1;
constexpr uint32_t kOwnerSize = 64;
constexpr size_t kNumberSize = 5;  ///< A varint may be longer than it must be.
constexpr uint8_t kMore = 0x80;
// Tags of what an operation is made of.
constexpr char kOperationTag = 0x0a;
constexpr char kHeaderTag = 0x0a;
constexpr char kBodyTag = 0x12;
constexpr char kSequenceTag = 0x08;
constexpr char kKindTag = 0x10;
constexpr char kMapVersionTag = 0x18;
constexpr char kUpdateTag = 0x52;
constexpr char kEpochTag = 0x08;
constexpr char kTimestampTag = 0x10;
constexpr char kDigestTag = 0x21;
constexpr char kConfirmedTag = 0x30;
constexpr size_t kUpdateSize = 3 * (1 + kNumberSize) + 1 + sizeof(uint64_t);
constexpr size_t kHeaderSize = 1 + kNumberSize + 2 + 2 + 2 + kUpdateSize;
/// Near the golden ratio's share of 2^32 and odd: keys that follow each other lie far apart.
constexpr uint64_t kStride = 2654435761;

void append_length(size_t length, std::string& out) {
  for (; length >= kMore; length >>= 7) {
    out.push_back(static_cast<char>((length & (kMore - 1)) | kMore));
  }
  out.push_back(static_cast<char>(length));
}

size_t length_size(size_t length) {
  size_t size = 1;
  for (; length >= kMore; length >>= 7) {
    ++size;
  }
  return size;
}

void append_number(char tag, uint64_t number, std::string& out) {
  out.push_back(tag);
  for (size_t byte = 0; byte < kNumberSize; ++byte) {
    const auto bits = static_cast<uint8_t>((number >> (7 * byte)) & (kMore - 1));
    out.push_back(static_cast<char>(byte + 1 < kNumberSize ? bits | kMore : bits));
  }
}

void append_fixed(char tag, uint64_t number, std::string& out) {
  out.push_back(tag);
  for (size_t byte = 0; byte < sizeof(number); ++byte) {
    out.push_back(static_cast<char>(number >> (8 * byte)));
  }
}

void set_constant(wire::v1::TypeKind kind, uint64_t value, size_t size, wire::v1::Constant& constant) {
  constant.mutable_type()->set_kind(kind);
  for (size_t byte = 0; byte < size; ++byte) {
    constant.mutable_packed()->push_back(static_cast<char>(value >> (8 * byte)));
  }
}

std::string modify_body(uint32_t key) {
  wire::v1::UpdateBody body;
  wire::v1::ModifyPart& part = *body.add_parts()->mutable_modify();
  wire::v1::Assignment& assignment = *part.add_assignments();
  assignment.set_column(kBalanceColumn);
  set_constant(wire::v1::TYPE_KIND_BIGINT, key + 1, sizeof(int64_t), *assignment.mutable_value()->mutable_constant());
  wire::v1::Call& call = *part.mutable_filter()->mutable_call();
  call.set_operator_(wire::v1::OPERATOR_EQUAL);
  call.add_arguments()->set_column(kIdColumn);
  set_constant(wire::v1::TYPE_KIND_INT, key, sizeof(int32_t), *call.add_arguments()->mutable_constant());
  return body.SerializeAsString();
}

}  // namespace

NumberedUpdates::NumberedUpdates(uint32_t rows) {
  bodies_.reserve(rows);
  for (uint32_t key = 0; key < rows; ++key) {
    std::string bytes = modify_body(key);
    const uint64_t digest = semantics::digest(bytes);
    bodies_.push_back({std::move(bytes), digest});
  }
}

void NumberedUpdates::append(const UpdateNumbers& numbers, std::string& payload) const {
  const Body& body = bodies_[numbers.timestamp * kStride % bodies_.size()];
  append_update(numbers, body.bytes, body.digest, payload);
}

std::string insert_body(uint32_t first, uint32_t last) {
  using semantics::Type;
  using semantics::TypeKind;
  const std::vector<Type> types = {Type{TypeKind::kInt, 0, 0, 0}, Type{TypeKind::kBigint, 0, 0, 0},
                                   Type{TypeKind::kChar, 0, 0, kOwnerSize}};
  wire::v1::UpdateBody body;
  wire::v1::InsertPart& part = *body.add_parts()->mutable_insert();
  for (uint32_t key = first; key <= last; ++key) {
    const std::vector<semantics::Value> values = {int64_t{key}, int64_t{0}, fmt::format("owner {:0>50}", key)};
    semantics::append_packed_row(types, values, *part.mutable_rows());
  }
  part.set_row_count(last - first + 1);
  return body.SerializeAsString();
}

void append_update(const UpdateNumbers& numbers, const std::string& body, uint64_t digest, std::string& payload) {
  payload.push_back(kOperationTag);
  append_length(1 + 1 + kHeaderSize + 1 + length_size(body.size()) + body.size(), payload);
  payload.push_back(kHeaderTag);
  append_length(kHeaderSize, payload);
  append_number(kSequenceTag, numbers.sequence, payload);
  payload.append({kKindTag, static_cast<char>(wire::v1::OPERATION_KIND_UPDATE), kMapVersionTag, 1, kUpdateTag,
                  static_cast<char>(kUpdateSize)});
  append_number(kEpochTag, numbers.epoch, payload);
  append_number(kTimestampTag, numbers.timestamp, payload);
  append_fixed(kDigestTag, digest, payload);
  append_number(kConfirmedTag, numbers.confirmed, payload);
  payload.push_back(kBodyTag);
  append_length(body.size(), payload);
  payload.append(body);
}

}  // namespace daedalus::node::bench
