// Updates that a node takes and refuses, as lines of rpc/vectors/updates.tsv, and how they are made.
#pragma once

#include <fmt/format.h>

#include <cstring>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "contract_fixture.hpp"
#include "daedalus/wire/v1/results.pb.h"

namespace daedalus::contract {

using semantics::Type;
using semantics::TypeKind;

inline std::string hex(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) {
    fmt::format_to(std::back_inserter(text), "{:02x}", static_cast<uint8_t>(byte));
  }
  return text;
}

class UpdateLines : public ContractTest {
 protected:
  enum : uint32_t {
    kKey,
    kPlace,
    kBool,
    kShort,
    kLong,
    kSingle,
    kDouble,
    kMoney,
    kWide,
    kDate,
    kTime,
    kCode,
    kText,
    kClock,
    kTag,
    kColumns
  };

  UpdateLines() {
    schema_.columns = {{"key", {TypeKind::kInt}, false, {}},
                       {"place", {TypeKind::kInt}, true, {}},
                       {"bool", {TypeKind::kBool}, true, {}},
                       {"short", {TypeKind::kSmallint}, true, {}},
                       {"long", {TypeKind::kBigint}, true, {}},
                       {"single", {TypeKind::kReal}, true, {}},
                       {"double", {TypeKind::kDouble}, true, {}},
                       {"money", {TypeKind::kNumeric, 5, 2}, true, {}},
                       {"wide", {TypeKind::kNumeric, 30, 4}, true, {}},
                       {"date", {TypeKind::kDate}, true, {}},
                       {"time", {TypeKind::kTimestamp}, true, {}},
                       {"code", {TypeKind::kChar, 0, 0, 5}, true, {}},
                       {"text", {TypeKind::kVarchar, 0, 0, 20}, true, {}},
                       {"clock", {TypeKind::kTime}, true, {}},
                       {"tag", {TypeKind::kUuid}, true, {}}};
    placement_ = {{kPlace}, {}};
  }

  // ---- the file ----

  /// Adds the line of one update: `both` take it, `node` only the node does, `neither` does, `either` the writer may
  /// refuse it.
  void add(const std::string& name, const std::string& pieces, std::string_view if_taken = "both") {
    const std::string error = refusal(body_of(pieces));
    lines_.push_back(fmt::format("{}\t{}\t{}", error.empty() ? if_taken : "neither:" + error, name, pieces));
  }

  /// Pieces are separated by blanks; `N*` repeats one.
  static std::string body_of(const std::string& pieces) {
    std::string body;
    for (size_t at = 0; at < pieces.size();) {
      const size_t end = std::min(pieces.find(' ', at), pieces.size());
      const std::string piece = pieces.substr(at, end - at);
      const size_t star = piece.find('*');
      const size_t count = star == std::string::npos ? 1 : std::stoul(piece.substr(0, star));
      std::string bytes;
      for (size_t digit = star == std::string::npos ? 0 : star + 1; digit < piece.size(); digit += 2) {
        bytes.push_back(static_cast<char>(std::stoi(piece.substr(digit, 2), nullptr, 16)));
      }
      for (size_t i = 0; i < count; ++i) {
        body.append(bytes);
      }
      at = end + 1;
    }
    return body;
  }

  /// Why a node refuses what the writer, who reads and writes messages anew, would send; empty: it does not.
  std::string refusal(const std::string& bytes) const {
    wire::v1::UpdateBody body;
    if (!body.ParseFromString(bytes)) {
      return "08P01";
    }
    const std::string sent = body.SerializeAsString();
    const auto parts = to_update(schema_, placement_, sent);
    return parts ? std::string() : parts.error().sqlstate;
  }

  std::string table_line() const {
    wire::v1::DescribeReply reply;
    for (const semantics::Column& column : schema_.columns) {
      *reply.add_columns() = from_column(column);
    }
    reply.mutable_map()->set_version(1);
    reply.mutable_map()->set_distribution(wire::v1::DISTRIBUTION_HASH);
    reply.mutable_map()->add_columns(kPlace);
    reply.mutable_limits()->set_update_rows_max(kUpdateRowsMax);
    reply.mutable_limits()->set_update_bytes_max(kUpdateBytesMax);
    reply.mutable_limits()->set_literals_max(semantics::kLiteralsMax);
    return "table\t" + hex(reply.SerializeAsString());
  }

  // ---- updates ----

  static std::string insert(const std::string& rows, uint32_t row_count, uint32_t first_ordinal = 0) {
    wire::v1::UpdateBody body;
    wire::v1::InsertPart* part = body.add_parts()->mutable_insert();
    part->set_rows(rows);
    part->set_row_count(row_count);
    part->set_first_ordinal(first_ordinal);
    return hex(body.SerializeAsString());
  }

  static std::string remove(const wire::v1::Expression& filter) {
    wire::v1::UpdateBody body;
    *body.add_parts()->mutable_delete_()->mutable_filter() = filter;
    return hex(body.SerializeAsString());
  }

  static std::string modify(uint32_t column, const wire::v1::Expression& value) {
    wire::v1::UpdateBody body;
    wire::v1::Assignment* assignment = body.add_parts()->mutable_modify()->add_assignments();
    assignment->set_column(column);
    *assignment->mutable_value() = value;
    return hex(body.SerializeAsString());
  }

  /// A row of NULLs but for the key and, if it is one of `columns`, the given bytes.
  static std::string raw_row(uint32_t column, const std::string& packed) {
    std::string row(2, '\0');
    const auto is_there = [&](uint32_t at) { return at == kKey || at == column; };
    for (uint32_t at = 0; at < kColumns; ++at) {
      if (!is_there(at)) {
        row[at / 8] = static_cast<char>(static_cast<uint8_t>(row[at / 8]) | (1u << (at % 8)));
      }
    }
    row.append(std::string("\7\0\0\0", 4)).append(packed);
    std::string sized(4, '\0');
    const auto size = static_cast<uint32_t>(row.size());
    std::memcpy(sized.data(), &size, sizeof size);
    return sized + row;
  }

  static std::string text(const std::string& bytes) {
    std::string packed(2, '\0');
    packed[0] = static_cast<char>(bytes.size() & 0xff);
    packed[1] = static_cast<char>(bytes.size() >> 8);
    return packed + bytes;
  }

  template <typename T>
  static std::string raw(T value) {
    std::string bytes(sizeof value, '\0');
    std::memcpy(bytes.data(), &value, sizeof value);
    return bytes;
  }

  static wire::v1::Expression raw_constant(const Type& type, const std::string& packed) {
    wire::v1::Expression made;
    *made.mutable_constant()->mutable_type() = from_type(type);
    made.mutable_constant()->set_packed(packed);
    return made;
  }

  const Type& type_of(uint32_t column) const { return schema_.columns[column].type; }

  wire::v1::Expression compare(wire::v1::Operator op, uint32_t column_at, const wire::v1::Expression& constant) const {
    return call(op, column(column_at), constant);
  }

  static wire::v1::Expression list(wire::v1::Operator op, const std::vector<wire::v1::Expression>& arguments) {
    wire::v1::Expression made;
    made.mutable_call()->set_operator_(op);
    for (const wire::v1::Expression& argument : arguments) {
      *made.mutable_call()->add_arguments() = argument;
    }
    return made;
  }

  using Expressions = std::vector<wire::v1::Expression>;

  static wire::v1::Expression form(uint32_t number, const Expressions& arguments, TypeKind target = {}) {
    wire::v1::Expression made;
    made.mutable_call()->set_function(number);
    for (const wire::v1::Expression& argument : arguments) {
      *made.mutable_call()->add_arguments() = argument;
    }
    if (target != TypeKind{}) {
      *made.mutable_call()->mutable_type() = from_type(Type{target});
    }
    return made;
  }

  static wire::v1::Expression function(std::string_view name, bool is_operator, const std::vector<TypeKind>& kinds,
                                       const Expressions& arguments) {
    std::vector<semantics::ArgumentKind> asked;
    for (const TypeKind kind : kinds) {
      asked.push_back({kind});
    }
    return form(static_cast<uint32_t>((*semantics::resolve_function(name, is_operator, asked))->id), arguments);
  }

  static std::string remove_computed(const Expressions& residuals) {
    wire::v1::UpdateBody body;
    body.add_parts()->mutable_delete_();
    for (const wire::v1::Expression& residual : residuals) {
      *body.mutable_parts(0)->mutable_delete_()->add_residuals() = residual;
    }
    return hex(body.SerializeAsString());
  }

  PlacementColumns placement_;
  std::vector<std::string> lines_;
};

}  // namespace daedalus::contract
