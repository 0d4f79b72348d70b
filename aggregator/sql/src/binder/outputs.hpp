// The outputs of one SELECT: what its list names, and what its groups and order need beside.
//
// Decides numbering and re-use of outputs. Refuses to know clauses.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "daedalus/semantics/selection.hpp"

namespace daedalus::aggregator::sql {

/// Most outputs of a SELECT: PostgreSQL's limit.
constexpr uint32_t kOutputsMax = 1664;

/// Says where in the statement those parts of an expression stand that may be mistakes when rows are grouped.
struct ExpressionPlaces {
  std::vector<std::pair<uint32_t, int32_t>> columns = {};                     ///< In their order.
  std::vector<std::pair<semantics::BoundExpression, int32_t>> grouping = {};  ///< Arguments of GROUPING().
  int32_t aggregate = -1;                                                     ///< The first; −1: it has none.
};

/// One output.
struct OutputItem : semantics::NamedExpression {
  int32_t location = -1;  ///< Byte offset of the place in the statement that asks for it.
  ExpressionPlaces places = {};
};

/// Visible outputs first, in the order of the list; hidden ones behind, each value once.
class Outputs {
 public:
  /// Room for as many; a `*` takes more.
  void reserve(size_t count) { items_.reserve(count); }
  void add_visible(OutputItem item) { items_.push_back(std::move(item)); }
  /// To be called when the list is complete.
  void close_list() { visible_count_ = static_cast<uint32_t>(items_.size()); }

  /// Position of an output with this value, added hidden if there is none.
  uint32_t find_or_add(OutputItem item);
  [[nodiscard]] const std::vector<OutputItem>& items() const { return items_; }
  /// The expression of an output, which the caller may rewrite.
  [[nodiscard]] semantics::BoundExpression& expression(uint32_t output) { return items_[output].expression; }
  /// The items, without where they are asked for. Ends this object's use.
  [[nodiscard]] std::vector<semantics::NamedExpression> take() &&;
  [[nodiscard]] uint32_t visible_count() const { return visible_count_; }
  [[nodiscard]] bool has_aggregate() const;

  /// Positions of visible outputs with this name; several only if their values differ.
  [[nodiscard]] std::vector<uint32_t> named(std::string_view name) const;

 private:
  std::vector<OutputItem> items_;
  uint32_t visible_count_ = 0;
};

}  // namespace daedalus::aggregator::sql
