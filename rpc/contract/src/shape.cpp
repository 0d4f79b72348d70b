#include "daedalus/contract/shape.hpp"

#include <fmt/format.h>
#include <google/protobuf/arena.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

#include "daedalus/contract/normal_form.hpp"
#include "daedalus/contract/translate.hpp"
#include "daedalus/semantics/order.hpp"
#include "daedalus/semantics/packed.hpp"
#include "daedalus/semantics/placement.hpp"
#include "select_wire.hpp"

namespace daedalus::contract {

namespace {

using semantics::Clause;
using semantics::Literal;
using semantics::Operator;
using semantics::Predicate;
using semantics::Schema;
using semantics::Selection;
using semantics::Type;
using semantics::TypeKind;
using semantics::Value;

/// For a statement that fetches 27 columns under 9 conditions with some to spare.
constexpr size_t kShapeArenaBytes = 12u << 10;

Error malformed(std::string what) { return rejected("08P01", "shape: " + std::move(what)); }

bool fits(const Literal& literal) {
  return std::all_of(literal.values.begin(), literal.values.end(), [](const Value& value) {
    const auto* text = std::get_if<std::string>(&value);
    return text == nullptr || text->size() <= std::numeric_limits<uint16_t>::max();
  });
}

/// Strings are packed without the column's length: those compared for order may be longer.
Type packed_type(const Type& type) { return semantics::is_string(type.kind) ? Type{TypeKind::kVarchar} : type; }

bool wants_order(const Literal& literal) {
  return literal.kind == Literal::Kind::kCompare && literal.op != Operator::kEqual && literal.op != Operator::kNotEqual;
}

// ---- reading a shape ----

// A literal says what it says by an operator and a number of values.

/// The literal's kind, or nothing for an operator and a number of values that make none.
std::optional<Literal::Kind> kind_of(Operator op, uint32_t values) {
  switch (op) {
    case Operator::kEqual:
      return values == 0   ? std::optional(Literal::Kind::kNever)
             : values == 1 ? std::optional(Literal::Kind::kCompare)
                           : std::nullopt;
    case Operator::kNotEqual:
    case Operator::kLess:
    case Operator::kLessOrEqual:
    case Operator::kGreater:
    case Operator::kGreaterOrEqual:
      return values == 1 ? std::optional(Literal::Kind::kCompare) : std::nullopt;
    case Operator::kIn:
      return values > 0 ? std::optional(Literal::Kind::kIn) : std::nullopt;
    case Operator::kNotIn:
      return values > 0 ? std::optional(Literal::Kind::kNotIn) : std::nullopt;
    case Operator::kStartsWith:
      return values == 1 ? std::optional(Literal::Kind::kStartsWith) : std::nullopt;
    case Operator::kNotStartsWith:
      return values == 1 ? std::optional(Literal::Kind::kNotStartsWith) : std::nullopt;
    case Operator::kIsNull:
      return values == 0 ? std::optional(Literal::Kind::kIsNull) : std::nullopt;
    case Operator::kIsNotNull:
      return values == 0 ? std::optional(Literal::Kind::kIsNotNull) : std::nullopt;
    default:
      return std::nullopt;
  }
}

Result<Literal> to_literal(const Schema& schema, const wire::v1::ShapeLiteral& shape) {
  if (shape.column() >= schema.columns.size()) {
    return rejected(
        "42703", fmt::format("there is no column at position {} in table \"{}\"", shape.column(), schema.table_name));
  }
  const auto op = static_cast<Operator>(shape.operator_());
  const std::optional<Literal::Kind> kind = kind_of(op, shape.values());
  const bool is_prefix = kind == Literal::Kind::kStartsWith || kind == Literal::Kind::kNotStartsWith;
  if (!kind || (is_prefix && !semantics::is_string(schema.columns[shape.column()].type.kind))) {
    return malformed(fmt::format("operator {} with {} values", static_cast<int>(shape.operator_()), shape.values()));
  }
  Literal literal{.column = shape.column(), .kind = *kind, .values = {}};
  if (literal.kind == Literal::Kind::kCompare) {
    literal.op = op;
  }
  literal.values.resize(shape.values());
  return literal;
}

Result<Predicate> to_places(const Schema& schema, const wire::v1::SelectShape& shape) {
  if (static_cast<uint32_t>(shape.clauses_size()) > semantics::kClausesMax) {
    return malformed(fmt::format("{} clauses, at most {} are allowed", shape.clauses_size(), semantics::kClausesMax));
  }
  Predicate predicate;
  uint64_t literals = 0;
  for (const wire::v1::ShapeClause& clause : shape.clauses()) {
    if (clause.literals_size() == 0) {
      return malformed("a clause without literals");
    }
    Clause& made = predicate.clauses.emplace_back();
    for (const wire::v1::ShapeLiteral& literal : clause.literals()) {
      literals += std::max<uint64_t>(literal.values(), 1);
      if (literals > semantics::kLiteralsMax) {
        return malformed(fmt::format("more than {} values", semantics::kLiteralsMax));
      }
      Result<Literal> read = to_literal(schema, literal);
      if (!read) {
        return read.error();
      }
      made.push_back(std::move(*read));
    }
  }
  return predicate;
}

// ---- values ----

/// Returns what is wrong with a value in its place, if anything is.
const char* flaw_of(const Literal& literal, const Type& type, const Value& value) {
  if (const auto* number = std::get_if<double>(&value)) {
    return *number == 0 && std::signbit(*number) ? "a negative zero" : nullptr;
  }
  const auto* text = std::get_if<std::string>(&value);
  if (text == nullptr || !semantics::is_string(type.kind) || wants_order(literal)) {
    return nullptr;
  }
  const bool is_prefix = literal.kind == Literal::Kind::kStartsWith || literal.kind == Literal::Kind::kNotStartsWith;
  if (text->size() > type.length) {
    return "a string that is longer than its column";
  }
  return !is_prefix && type.kind == TypeKind::kChar && text->ends_with(' ') ? "blanks at the end" : nullptr;
}

Result<void> read_values(const Type& type, std::string_view& rest, Literal& literal) {
  const Type packed = packed_type(type);
  for (Value& place : literal.values) {
    Result<Value> value = semantics::take_packed(packed, rest);
    if (!value) {
      return value.error();
    }
    if (const char* flaw = flaw_of(literal, type, *value)) {
      return malformed(flaw);
    }
    place = std::move(*value);
  }
  const auto does_not_ascend = [](const Value& left, const Value& right) {
    return semantics::compare(left, right) >= 0;
  };
  const bool is_list = literal.kind == Literal::Kind::kIn || literal.kind == Literal::Kind::kNotIn;
  if (is_list &&
      std::adjacent_find(literal.values.begin(), literal.values.end(), does_not_ascend) != literal.values.end()) {
    return malformed("a list that does not ascend");
  }
  return {};
}

}  // namespace

ShapeBytes::ShapeBytes(std::string bytes) : bytes_(std::move(bytes)), hash_(semantics::digest(bytes_)) {}

bool has_shape(const Selection& selection) {
  if (selection.predicate.has_tree() || selection.slice) {
    return false;
  }
  return std::all_of(selection.predicate.clauses.begin(), selection.predicate.clauses.end(),
                     [](const Clause& clause) { return std::all_of(clause.begin(), clause.end(), fits); });
}

ShapeBytes shape_of(const Selection& selection, wire::v1::ResultForm form) {
  // Some hundred messages and names, none of which outlives this call: in one block.
  alignas(std::max_align_t) std::array<char, kShapeArenaBytes> block;
  google::protobuf::ArenaOptions options;
  options.initial_block = block.data();
  options.initial_block_size = block.size();
  google::protobuf::Arena arena(options);
  auto& body = *google::protobuf::Arena::CreateMessage<wire::v1::ShapeBody>(&arena);
  wire::v1::SelectShape& shape = *body.mutable_select();
  write_selection(selection, form, shape.mutable_select());
  for (const Clause& clause : selection.predicate.clauses) {
    wire::v1::ShapeClause& written = *shape.add_clauses();
    for (const Literal& literal : clause) {
      wire::v1::ShapeLiteral& place = *written.add_literals();
      place.set_column(literal.column);
      place.set_operator_(static_cast<wire::v1::Operator>(operator_of(literal)));
      place.set_values(static_cast<uint32_t>(literal.values.size()));
    }
  }
  return ShapeBytes(body.SerializeAsString());
}

void append_value(const Schema& schema, uint32_t column, const Value& value, std::string& out) {
  semantics::append_packed(packed_type(schema.columns[column].type), value, out);
}

std::string values_of(const Schema& schema, const Predicate& predicate) {
  std::string values;
  for (const Clause& clause : predicate.clauses) {
    for (const Literal& literal : clause) {
      for (const Value& value : literal.values) {
        append_value(schema, literal.column, value, values);
      }
    }
  }
  return values;
}

Result<SelectShape> to_shape(const Schema& schema, const wire::v1::SelectShape& shape) {
  if (shape.select().has_filter() || shape.select().has_slice() || shape.select().credit_bytes() != 0) {
    return malformed("a filter, a slice or credit within");
  }
  SelectShape made;
  Result<Selection> selection = to_selection(schema, shape.select(), &made.form);
  if (!selection) {
    return selection.error();
  }
  Result<Predicate> places = to_places(schema, shape);
  if (!places) {
    return places.error();
  }
  made.selection = std::move(*selection);
  made.selection.predicate = std::move(*places);
  return made;
}

Result<Predicate> bind_values(const Schema& schema, const SelectShape& shape, std::string_view values) {
  Predicate predicate = shape.selection.predicate;
  for (Clause& clause : predicate.clauses) {
    for (Literal& literal : clause) {
      if (const Result<void> read = read_values(schema.columns[literal.column].type, values, literal); !read) {
        return read.error();
      }
    }
  }
  if (!values.empty()) {
    return malformed(fmt::format("{} bytes more than its values take", values.size()));
  }
  return predicate;
}

Result<Selection> bind_values(const Schema& schema, const ShapeBytes& shape, std::string_view values) {
  wire::v1::ShapeBody body;
  if (!body.ParseFromString(shape.bytes()) || !body.has_select()) {
    return malformed("no shape of a SELECT");
  }
  Result<SelectShape> read = to_shape(schema, body.select());
  if (!read) {
    return read.error();
  }
  Result<Predicate> predicate = bind_values(schema, *read, values);
  if (!predicate) {
    return predicate.error();
  }
  read->selection.predicate = std::move(*predicate);
  return std::move(read->selection);
}

}  // namespace daedalus::contract
