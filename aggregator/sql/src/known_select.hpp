// A SELECT whose compiled form other values of some or all parameters do not change.
//
// Decides when that is so, and puts values into the places of others. Refuses to guess: whatever is not plainly the
// same form has to be compiled.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "column_names.hpp"
#include "daedalus/aggregator/statement.hpp"
#include "parsed_statement.hpp"
#include "scope.hpp"

namespace daedalus::aggregator::sql {

class KnownSelect final : public KnownStatement {
 public:
  /// What `compiled`, made of `statement` before the eyes of `scope`, has in common with the same statement with other
  /// values; null when that cannot be told from these ones.
  [[nodiscard]] static std::shared_ptr<const KnownSelect> of(std::shared_ptr<const ColumnNames> columns,
                                                             std::shared_ptr<const ParsedStatement> parsed,
                                                             const Scope& scope,
                                                             const wire::v1::StatementBody& statement,
                                                             const CompiledSelect& compiled);

  /// Some parameters have to have the values that they had.
  [[nodiscard]] bool is_for_certain_values() const { return !fixed_.empty(); }
  /// Of the same text: it is for the same values as the other.
  [[nodiscard]] bool is_for_the_same(const KnownSelect& other) const { return fixed_ == other.fixed_; }

  [[nodiscard]] std::optional<CompiledSelect> bind(const wire::v1::StatementBody& statement) const override;

 private:
  /// One literal whose values are parameters'.
  struct Place {
    ParameterPlaces::Place from;
    /// Packed values before this one that never change.
    std::string before;
    std::optional<uint32_t> routing;  ///< The clause of the routing that it is, too.
  };

  KnownSelect(std::shared_ptr<const ColumnNames> columns, std::shared_ptr<const ParsedStatement> parsed,
              CompiledSelect compiled, int parameter_count)
      : columns_(std::move(columns)),
        parsed_(std::move(parsed)),
        compiled_(std::move(compiled)),
        parameter_count_(parameter_count) {}

  /// Finds the places among the predicate's literals, whose values are those of `statement`; false when that cannot be.
  [[nodiscard]] bool find_places(const Scope& scope, const wire::v1::StatementBody& statement,
                                 const semantics::Predicate& predicate);
  /// The values of a place's parameters, ascending; nothing when the place would have another literal.
  [[nodiscard]] std::optional<std::vector<semantics::Value>> values_of(const Scope& scope,
                                                                       const ParameterPlaces::Place& place,
                                                                       const wire::v1::StatementBody& statement) const;
  /// One of them. `op` is the place's, in a list that of a member alone.
  [[nodiscard]] std::optional<semantics::Value> value_of(const Scope& scope, const ParameterPlaces::Place& place,
                                                         semantics::Operator op,
                                                         const wire::v1::Constant& parameter) const;

  std::shared_ptr<const ColumnNames> columns_;
  std::shared_ptr<const ParsedStatement> parsed_;
  CompiledSelect compiled_;  ///< Without predicate and values.
  int parameter_count_;
  std::vector<std::pair<int32_t, std::string>> fixed_;  ///< Parameters that other values would change all for, written.
  std::vector<Place> places_;                           ///< In the order of the shape's values.
  std::string after_;                                   ///< Packed values behind the last place.
};

}  // namespace daedalus::aggregator::sql
