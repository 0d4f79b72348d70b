#include "routed_queries.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace daedalus::aggregator::bench {

namespace {

/// Bytes of a sequence: a varint may be longer than it must be.
constexpr size_t kSequenceSize = 5;
constexpr uint8_t kMore = 0x80;
constexpr char kSequenceTag = 0x08;  ///< OperationHeader.sequence
constexpr char kFirstTag = 0x0a;     ///< OperationBatch.operations, Operation.header
constexpr char kBodyTag = 0x12;      ///< Operation.body

void append_length(size_t length, std::string& out) {
  for (; length >= kMore; length >>= 7) {
    out.push_back(static_cast<char>((length & (kMore - 1)) | kMore));
  }
  out.push_back(static_cast<char>(length));
}

size_t bytes_of(wire::v1::TypeKind kind) {
  switch (kind) {
    case wire::v1::TYPE_KIND_SMALLINT:
      return sizeof(int16_t);
    case wire::v1::TYPE_KIND_INT:
      return sizeof(int32_t);
    case wire::v1::TYPE_KIND_BIGINT:
      return sizeof(int64_t);
    default:
      return 0;
  }
}

void append_packed(wire::v1::TypeKind kind, uint64_t value, std::string& out) {
  for (size_t byte = 0; byte < bytes_of(kind); ++byte) {
    out.push_back(static_cast<char>(value >> (8 * byte)));
  }
}

wire::v1::Operation definition_of(const wire::v1::DescribeReply& table, const std::vector<uint32_t>& conditions) {
  wire::v1::ShapeBody body;
  wire::v1::SelectShape& shape = *body.mutable_select();
  const auto outputs = std::min(RoutedQueries::kOutputsMax, static_cast<uint32_t>(table.columns_size()));
  for (uint32_t column = 0; column < outputs; ++column) {
    wire::v1::Output& output = *shape.mutable_select()->add_outputs();
    output.set_name(table.columns(static_cast<int>(column)).name());
    output.mutable_expression()->set_column(column);
  }
  shape.mutable_select()->set_visible_outputs(outputs);
  shape.mutable_select()->set_form(wire::v1::RESULT_FORM_PARTIAL);
  for (const uint32_t column : conditions) {
    wire::v1::ShapeLiteral& literal = *shape.add_clauses()->add_literals();
    literal.set_column(column);
    literal.set_operator_(wire::v1::OPERATOR_EQUAL);
    literal.set_values(1);
  }
  wire::v1::Operation made;
  made.mutable_header()->set_kind(wire::v1::OPERATION_KIND_DEFINE);
  made.mutable_header()->set_shape_handle(RoutedQueries::kHandle);
  made.set_body(body.SerializeAsString());
  return made;
}

wire::v1::Operation query(const wire::v1::DescribeReply& table, const std::vector<uint32_t>& conditions, uint64_t key) {
  wire::v1::Operation made;
  made.mutable_header()->set_kind(wire::v1::OPERATION_KIND_SELECT);
  made.mutable_header()->set_map_version(table.map().version());
  made.mutable_header()->set_shape_handle(RoutedQueries::kHandle);
  for (const uint32_t column : conditions) {
    const wire::v1::TypeKind kind = table.columns(static_cast<int>(column)).type().kind();
    append_packed(kind, column == conditions.front() ? key : column, *made.mutable_body());
  }
  return made;
}

/// The column that partitions the table, then others with which conditions may compare.
Result<std::vector<uint32_t>> condition_columns(const wire::v1::DescribeReply& table) {
  if (table.map().distribution() != wire::v1::DISTRIBUTION_HASH || table.map().columns_size() != 1) {
    return rejected("0A000", fmt::format("table {} is not partitioned by hash of one column", table.table_name()));
  }
  std::vector<uint32_t> columns{table.map().columns(0)};
  for (uint32_t column = 0; column < static_cast<uint32_t>(table.columns_size()); ++column) {
    const bool fits = bytes_of(table.columns(static_cast<int>(column)).type().kind()) > 0;
    if (column == columns.front() && !fits) {
      return rejected("0A000", fmt::format("column {} is no smallint, int or bigint",
                                           table.columns(static_cast<int>(column)).name()));
    }
    if (column != columns.front() && fits && columns.size() < RoutedQueries::kConditionsMax) {
      columns.push_back(column);
    }
  }
  return columns;
}

}  // namespace

Result<RoutedQueries> RoutedQueries::make(const wire::v1::DescribeReply& table, uint32_t count) {
  const auto conditions = condition_columns(table);
  if (!conditions) {
    return conditions.error();
  }
  RoutedQueries made;
  made.definition_ = definition_of(table, *conditions);
  for (uint32_t number = 0; number < count; ++number) {
    made.add(query(table, *conditions, number));
  }
  return made;
}

RoutedQueries RoutedQueries::of_statement(const std::string& sql) {
  wire::v1::StatementBody body;
  body.set_sql(sql);
  wire::v1::Operation operation;
  operation.mutable_header()->set_kind(wire::v1::OPERATION_KIND_STATEMENT);
  operation.set_body(body.SerializeAsString());
  RoutedQueries made;
  made.add(operation);
  return made;
}

void RoutedQueries::add(const wire::v1::Operation& query) {
  const std::string header = query.header().SerializeAsString();
  const std::string& body = query.body();
  std::string operation(1, kFirstTag);
  append_length(1 + kSequenceSize + header.size(), operation);
  operation.push_back(kSequenceTag);
  const size_t place = operation.size();
  operation.append(kSequenceSize, '\0').append(header).push_back(kBodyTag);
  append_length(body.size(), operation);
  operation.append(body);
  std::string entry(1, kFirstTag);
  append_length(operation.size(), entry);
  sequence_places_.push_back(entry.size() + place);
  entries_.push_back(entry + operation);
}

void RoutedQueries::append(uint64_t sequence, std::string& payload) const {
  const size_t number = sequence % entries_.size();
  const size_t begin = payload.size();
  payload.append(entries_[number]);
  char* const place = payload.data() + begin + sequence_places_[number];
  for (size_t byte = 0; byte < kSequenceSize; ++byte) {
    const auto bits = static_cast<uint8_t>((sequence >> (7 * byte)) & (kMore - 1));
    place[byte] = static_cast<char>(byte + 1 < kSequenceSize ? bits | kMore : bits);
  }
}

}  // namespace daedalus::aggregator::bench
