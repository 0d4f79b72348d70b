// A compiled statement of SQL: the compiler makes it, the core carries it out, and neither knows the other.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "daedalus/contract/shape.hpp"
#include "daedalus/contract/shape_routing.hpp"
#include "daedalus/contract/translate.hpp"
#include "daedalus/semantics/answer.hpp"

namespace daedalus::aggregator {

/// Most bytes of a statement's text; of an INSERT's, which carries its rows; and of a text with all its parameters.
constexpr uint32_t kStatementTextSizeMax = 1u << 20;
constexpr uint32_t kInsertTextSizeMax = 8u << 20;
constexpr uint32_t kStatementSizeMax = 2 * kInsertTextSizeMax;

/// A SELECT, ready to be sent to nodes.
struct CompiledSelect {
  /// The selection; a statement that was bound has it without its predicate, and shape and values are the query.
  std::shared_ptr<const semantics::Selection> selection;
  semantics::Predicate routing;  ///< The clauses that say which partitions are concerned.
  /// The routing of a statement that was bound: with it the values say where rows are, and `routing` does not.
  std::shared_ptr<const contract::ShapeRouting> shape_routing;
  /// The condition that the selection's predicate was made of, where that has a tree.
  std::shared_ptr<const semantics::Condition> condition;
  /// The part that travels once; null where the selection has no shape.
  std::shared_ptr<const contract::ShapeBytes> shape;
  /// The values of the shape, packed.
  std::string values;
  std::shared_ptr<const std::vector<semantics::Column>> columns;  ///< The columns of the answer.
  /// The rows that the statement itself brings, of the partial form: then it is about no table, and nobody is asked.
  std::shared_ptr<const semantics::MergedRows> rows;
  /// A statement that wants the number of rows alone is answered by this, over one row that is the number. Null: rows
  /// are wanted.
  std::shared_ptr<const semantics::Selection> counted;
};

/// A checked selection, parted into what travels once and what travels with it. `condition` is what its predicate was
/// made of; looked at only where that has a tree.
[[nodiscard]] CompiledSelect make_select(const semantics::Schema& schema, const contract::PartitionMap& map,
                                         semantics::Selection selection, semantics::Condition condition);

/// The answer that RETURNING makes of the rows that are to be inserted.
struct Returning {
  std::shared_ptr<const std::vector<semantics::Column>> columns;
  semantics::MergedRows rows;  ///< As an application gets them.
};

/// An INSERT, UPDATE or DELETE, ready to be submitted to the logical writer.
struct CompiledUpdate {
  wire::v1::UpdateBody body;
  std::vector<wire::v1::Route> routes;
  std::optional<Returning> returning = std::nullopt;
};

using Compiled = std::variant<CompiledSelect, CompiledUpdate>;

/// A SELECT that has been compiled with some values, and whose form certain others do not change.
class KnownStatement {
 public:
  virtual ~KnownStatement() = default;
  /// Makes of `bound` what compiling it with these parameters gives; false where they change its form, are wrong, or
  /// are not those it takes: then it has to be compiled, and nothing is said of `bound`. Only the statement's text is
  /// not looked at. Cost: a microsecond; allocates nothing where `bound` has room for ordinary values. Safe to call
  /// from several threads.
  [[nodiscard]] virtual bool bind(const wire::v1::StatementBody& statement, CompiledSelect& bound) const = 0;
};

/// The statements that are known, by their texts.
class KnownStatements {
 public:
  virtual ~KnownStatements() = default;
  /// Null when it is not known, or not any longer. Safe to call from several threads.
  [[nodiscard]] virtual std::shared_ptr<const KnownStatement> find(std::string_view sql) = 0;
  /// KnownStatement::bind() of a statement with its text; the text may also be one that differs from a known one in
  /// literals only.
  [[nodiscard]] virtual bool bind(const wire::v1::StatementBody& statement, CompiledSelect& bound) = 0;
};

/// The type of a parameter: without length, precision and scale.
struct ParameterKind {
  ParameterKind() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): a type that is no array says all of it.
  ParameterKind(semantics::TypeKind type, bool is_array_of_such = false) : kind(type), is_array(is_array_of_such) {}

  semantics::TypeKind kind{};
  bool is_array = false;  ///< Says whether it is an array of such values.

  friend bool operator==(const ParameterKind&, const ParameterKind&) = default;
};

/// The types that a statement takes and gives, whatever its parameters' values.
struct StatementDescription {
  /// The types of $1, $2, ....
  std::vector<ParameterKind> parameters;
  /// The columns of the answer, or of what RETURNING gives; none for a statement that writes and gives nothing back.
  std::vector<semantics::Column> columns;
  /// For each column of a SELECT the column of the table that it is, from 1; 0: it is computed.
  std::vector<uint16_t> origins = {};
  uint32_t parameters_unused = 0;  ///< So many of the last ones are declared, and nothing else.
  /// The error in which computing the constants of a statement without parameters ends: it can be described, and never
  /// be run.
  std::optional<Error> mistake = std::nullopt;
};

}  // namespace daedalus::aggregator
