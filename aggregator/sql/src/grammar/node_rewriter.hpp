// Makes a tree anew with other nodes in the place of columns.
#pragma once

#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include "arena.hpp"
#include "daedalus/base/result.hpp"
#include "grammar.hpp"

namespace daedalus::aggregator::sql {

/// Something new in the arena, which forgets all that is in it as a whole.
template <typename Details>
Details* arena_make(Arena& arena, const Details& like = {}) {
  static_assert(std::is_trivially_destructible_v<Details>);
  return new (arena.allocate(sizeof(Details), alignof(Details))) Details(like);
}

template <typename Value>
std::span<Value> arena_list(Arena& arena, size_t size) {
  auto* values = static_cast<Value*>(arena.allocate(size * sizeof(Value), alignof(Value)));
  std::uninitialized_value_construct_n(values, size);
  return {values, size};
}

/// The text, where it stays.
[[nodiscard]] std::string_view arena_text(Arena& arena, std::string_view text);

class NodeRewriter {
 public:
  using ColumnValue = std::function<Result<grammar::Node>(const grammar::ColumnReference&)>;
  /// Returns the node that stands for another one as a whole; absent where it is rewritten part by part.
  using Replacement = std::function<grammar::Node(const grammar::Node&)>;

  /// `order`: that in which calls of string_agg() meet their rows where they say none themselves.
  NodeRewriter(Arena& arena, ColumnValue value_of, grammar::Nodes order = {})
      : arena_(arena), value_of_(std::move(value_of)), order_(order) {}

  /// One that leaves columns as they are.
  NodeRewriter(Arena& arena, Replacement replacement) : arena_(arena), replacement_(std::move(replacement)) {}

  /// Rewrites an expression, an item of ORDER BY or a grouping set. A node that holds no column, or is refused anyway,
  /// stays as it is. Errors: those of the ColumnValue.
  [[nodiscard]] Result<grammar::Node> rewrite(const grammar::Node& node);
  [[nodiscard]] grammar::Nodes list(std::span<const grammar::Node> nodes);

 private:
  /// Rewrites in place, and keeps the first error.
  void set(grammar::Node& node);
  void set(grammar::Nodes& nodes);
  template <typename Details>
  [[nodiscard]] Details* copy_of(const Details& details) {
    return arena_make<Details>(arena_, details);
  }
  [[nodiscard]] grammar::Node rewritten(const grammar::Node& node);
  [[nodiscard]] grammar::Node rewritten_case(const grammar::Node& node);

  Arena& arena_;
  ColumnValue value_of_;     ///< None: columns stay.
  Replacement replacement_;  ///< None: nothing is replaced as a whole.
  grammar::Nodes order_;
  std::optional<Error> error_;
};

}  // namespace daedalus::aggregator::sql
