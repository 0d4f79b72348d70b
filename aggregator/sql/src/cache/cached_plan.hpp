// A SELECT whose compiled form other values of some or all parameters do not change.
//
// Decides when that is so, and puts values into the places of others. Refuses to guess: whatever is not plainly the
// same form has to be compiled.
#pragma once

#include <boost/container/small_vector.hpp>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "column_names.hpp"
#include "constant.hpp"
#include "daedalus/aggregator/statement.hpp"
#include "parsed_statement.hpp"
#include "scope.hpp"

namespace daedalus::aggregator::sql {

class CachedPlan final : public KnownStatement {
 public:
  /// Makes a cached plan of what `compiled` has in common with the same statement with other values; null when these
  /// values cannot tell that. `compiled` was made of `statement` with `scope`, in a session of this zone.
  [[nodiscard]] static std::shared_ptr<const CachedPlan> of(
      std::shared_ptr<const ColumnNames> columns, std::shared_ptr<const ParsedStatement> parsed, const Scope& scope,
      std::shared_ptr<const semantics::SessionZone> zone, const wire::v1::StatementBody& statement,
      const CompiledSelect& compiled, const contract::PartitionMap& map);

  /// Some parameters have to have the values that they had.
  [[nodiscard]] bool is_for_certain_values() const { return !fixed_.empty(); }
  /// It could not be followed at all: no parameter may have another value.
  [[nodiscard]] bool is_for_one() const { return is_for_one_; }
  /// True when both plans, which are of one text, bind the same statements.
  [[nodiscard]] bool is_for_the_same(const CachedPlan& other) const;

  [[nodiscard]] bool bind(const wire::v1::StatementBody& statement, CompiledSelect& bound) const override;

 private:
  /// Describes what the compiler makes of a comparison, apart from its values: of `int = 5` an equality with one value,
  /// of `int = 1e10` and of any comparison with NULL FALSE, of `int < 1e10` IS NOT NULL, of `int < 1.5` `<=` with one
  /// value.
  struct Form {
    semantics::Condition::Kind kind = semantics::Condition::Kind::kLiteral;  ///< kLiteral, kAlways or kNever.
    semantics::Operator op{};                                                ///< kLiteral
    size_t values = 0;

    friend bool operator==(const Form&, const Form&) = default;
  };
  using Values = boost::container::small_vector<semantics::Value, 1>;

  /// One comparison whose values are parameters'.
  struct Place {
    ParameterPositions::Place from;
    Form form;
    bool is_sent = false;  ///< The predicate has it, with values.
    std::string before;    ///< Packed values before its own that never change.
  };
  /// A parameter that has to be as it was.
  struct Fixed {
    int32_t parameter = 0;
    wire::v1::Constant value;

    [[nodiscard]] bool is(const wire::v1::Constant& given) const;
  };

  CachedPlan(std::shared_ptr<const ColumnNames> columns, std::shared_ptr<const ParsedStatement> parsed,
             CompiledSelect compiled, int parameter_count)
      : columns_(std::move(columns)),
        parsed_(std::move(parsed)),
        compiled_(std::move(compiled)),
        parameter_count_(parameter_count) {}

  /// As a statement says it.
  [[nodiscard]] std::string_view zone_name() const { return zone_ == nullptr ? std::string_view() : zone_->name(); }
  /// Parts `statement` into places and values that are fixed; false when that cannot be.
  [[nodiscard]] bool find_places(const Scope& scope, const wire::v1::StatementBody& statement,
                                 const semantics::Predicate& predicate);
  /// Returns the places whose values can be followed, in the order of the text; adds the parameters of the other places
  /// to `fixed`.
  [[nodiscard]] std::vector<Place> followed(const Scope& scope, const wire::v1::StatementBody& statement,
                                            std::vector<int32_t>& fixed) const;
  /// True when this statement's parameters without a type have the types in kinds_: these depend on the declared types
  /// of the other parameters.
  [[nodiscard]] bool have_known_types(const wire::v1::StatementBody& statement) const;
  /// Returns the form of the place's comparison with the statement's parameters, and puts its values into `values`,
  /// ascending. Nothing when the comparison is wrong, depends on the time, or comes to several literals.
  [[nodiscard]] std::optional<Form> form_of(const Scope& scope, const ParameterPositions::Place& place,
                                            const wire::v1::StatementBody& statement, Values& values) const;
  /// A parameter as the compiler would compare it with the place's column.
  [[nodiscard]] std::optional<Constant> constant_of(const Scope& scope, const ParameterPositions::Place& place,
                                                    int32_t number, const wire::v1::Constant& parameter) const;

  std::shared_ptr<const ColumnNames> columns_;
  std::shared_ptr<const ParsedStatement> parsed_;
  CompiledSelect compiled_;  ///< Without predicate and values.
  int parameter_count_;
  /// The types of parameters, as they came and as the statement has them. None at all: those without are quoted
  /// literals.
  std::vector<std::optional<ParameterKind>> declared_;
  std::vector<std::optional<ParameterKind>> kinds_;
  bool is_for_one_ = false;
  bool hangs_on_date_order_ = false;                    ///< It is for sessions of the order MDY only.
  bool depends_on_zone_ = false;                        ///< It is for sessions of one zone only.
  std::shared_ptr<const semantics::SessionZone> zone_;  ///< That of depends_on_zone_; null: UTC.
  std::vector<Fixed> fixed_;   ///< Parameters that other values would change all for, ascending.
  std::vector<Place> places_;  ///< The sent ones come first, in the order of the shape's values.
  std::string after_;          ///< Packed values behind the last place.
};

}  // namespace daedalus::aggregator::sql
