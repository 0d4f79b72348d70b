// Shapes of queries: what a SELECT is apart from the values its condition compares columns with (docs/wire.md,
// "Shapes").
//
// Decides what is shape and what is value, and that the two together are the selection they were made of. Refuses to
// know handles, connections and SQL.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "daedalus/base/result.hpp"
#include "daedalus/semantics/answer.hpp"
#include "daedalus/wire/v1/operations.pb.h"

namespace daedalus::contract {

/// A shape as it travels: the bytes of a wire::v1::ShapeBody, made once and sent many times.
class ShapeBytes {
 public:
  explicit ShapeBytes(std::string bytes);

  [[nodiscard]] const std::string& bytes() const { return bytes_; }
  /// Returns the hash of the bytes; equal shapes have equal ones, others may.
  [[nodiscard]] uint64_t hash() const { return hash_; }

  friend bool operator==(const ShapeBytes& left, const ShapeBytes& right) { return left.bytes_ == right.bytes_; }

 private:
  std::string bytes_;
  uint64_t hash_;
};

/// A shape that has been read: a selection whose literals have places for as many values as they take, all NULL.
struct SelectShape {
  semantics::Selection selection;
  wire::v1::ResultForm form = wire::v1::RESULT_FORM_PARTIAL;
};

/// Returns whether a selection may travel as shape and values: its condition has no tree, no string in it is longer
/// than a packed one may be, and it is not a slice of the table.
[[nodiscard]] bool has_shape(const semantics::Selection& selection);

/// Precondition of both: has_shape(selection).
[[nodiscard]] ShapeBytes shape_of(const semantics::Selection& selection, wire::v1::ResultForm form);
/// Appends one value of a literal on `column`, packed.
void append_value(const semantics::Schema& schema, uint32_t column, const semantics::Value& value, std::string& out);
/// Packed values in the order of clauses, literals and each literal's values.
[[nodiscard]] std::string values_of(const semantics::Schema& schema, const semantics::Predicate& predicate);

/// Reads a shape. Errors: 08P01, and those of to_selection() for everything but a condition.
[[nodiscard]] Result<SelectShape> to_shape(const semantics::Schema& schema, const wire::v1::SelectShape& shape);

/// The predicate that a shape has with these values. Error 08P01 where they are no values of its columns, too many or
/// too few. Cost: one copy of the shape's predicate and one pass over the values.
[[nodiscard]] Result<semantics::Predicate> bind_values(const semantics::Schema& schema, const SelectShape& shape,
                                                       std::string_view values);

/// The whole selection from the shape's bytes. Cost: reading the shape.
[[nodiscard]] Result<semantics::Selection> bind_values(const semantics::Schema& schema, const ShapeBytes& shape,
                                                       std::string_view values);

/// A selection as a message that needs no shape. `condition` stands for its predicate where that has a tree: clauses
/// that follow from it need not travel.
[[nodiscard]] wire::v1::SelectBody from_selection(const semantics::Schema& schema,
                                                  const semantics::Selection& selection,
                                                  const semantics::Condition* condition, wire::v1::ResultForm form);

}  // namespace daedalus::contract
