// SQL text to operations, through PostgreSQL's own grammar.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "daedalus/aggregator/plan.hpp"
#include "daedalus/aggregator/statement.hpp"
#include "daedalus/base/result.hpp"
#include "daedalus/contract/translate.hpp"
#include "daedalus/semantics/date_order.hpp"
#include "daedalus/semantics/time_zone.hpp"

namespace daedalus::aggregator {

namespace sql {
class CachedPlan;
struct FoundStatement;
}  // namespace sql

/// Counts what the statement cache has done so far, for metrics and tests.
struct CacheCounters {
  uint64_t hits = 0;
  uint64_t misses = 0;
  size_t statements = 0;     ///< Kept now.
  size_t more_variants = 0;  ///< Combinations of values for which they are known, beside one each.
};

/// Bits that nobody can guess, other ones each time. Asked from any thread.
using RandomBits = std::function<uint64_t()>;

/// Compiles statements against one schema and map. Thread-safe.
class Compiler final : public KnownStatements {
 public:
  /// The most parsed statements kept for re-use; least recently used go first.
  static constexpr size_t kCachedStatementsMax = 2048;

  /// zones: null where there are none, and only offsets and their abbreviations are understood.
  /// random: what gen_random_uuid() among the values of an INSERT is made of; without it that is refused.
  Compiler(std::shared_ptr<const semantics::Schema> schema, std::shared_ptr<const contract::PartitionMap> map,
           std::shared_ptr<const semantics::TimeZones> zones = nullptr, RandomBits random = nullptr);
  ~Compiler() override;
  Compiler(const Compiler&) = delete;
  Compiler& operator=(const Compiler&) = delete;

  /// Compiles one statement with its parameters. `now_us` (microseconds since 1970, UTC) is what now() and CURRENT_DATE
  /// fold to.
  ///
  /// Errors carry PostgreSQL's SQLSTATE and position: 42601 syntax, 42P01 table, 42703 column, 42883 operator or
  /// function, 22P02 and 22003 literals, 0A000 with the construct's name for what is outside the supported SQL, 54000
  /// too long, 54001 too complex. An update that leaves here passes contract::to_update(). Cost: parsing dominates for
  /// a text that is not in the cache; may be called from any thread with 1 MiB of stack.
  [[nodiscard]] Result<Compiled> compile(const wire::v1::StatementBody& statement, int64_t now_us);

  /// How the statement would be carried out; nothing of it is. Errors, cost and threads: as compile().
  [[nodiscard]] Result<Plan> explain(const wire::v1::StatementBody& statement, int64_t now_us);

  /// Says what the statement takes and gives; it executes nothing, and the parameters have no values yet. A parameter
  /// that is `declared` (the first is that of $1; nothing: it is not) has that type; any other takes the type that its
  /// first place asks for, in the order of PostgreSQL's analysis: of the column it is compared with, assigned to or
  /// listed beside, of the cast around it, of the other side of its sum; it is a string as LIKE's pattern, a bigint
  /// behind LIMIT and OFFSET, and a boolean as a condition. compile() gives parameters that come without a type the
  /// same ones. Texts of dates are read in the order of `dates`.
  ///
  /// Errors: those of compile() that do not depend on a parameter's value, but for what is wrong with rows to insert as
  /// a whole (23502, 54000), which compile() says; 42P18 for a parameter to which no place gives a type, or that is
  /// left out; 42P08 where places disagree. Cost and threads: as compile().
  [[nodiscard]] Result<StatementDescription> describe(std::string_view sql,
                                                      std::span<const std::optional<ParameterKind>> declared = {},
                                                      semantics::DateOrder dates = semantics::DateOrder::kMonthDayYear);

  /// Finds a SELECT that is kept compiled; it is kept once it is described or comes a second time. A parameter that is
  /// compared with columns and does nothing else takes any value whose comparisons come to the same kind; any other
  /// parameter takes the values it was compiled with. A text has up to eight variants.
  [[nodiscard]] std::shared_ptr<const KnownStatement> find(std::string_view sql) override;
  [[nodiscard]] bool bind(const wire::v1::StatementBody& statement, CompiledSelect& bound) override;

  [[nodiscard]] CacheCounters cache_counters() const;

 private:
  /// `kinds`: of parameters that come without a type; none at all: these are quoted literals.
  [[nodiscard]] Result<Compiled> compile(const sql::FoundStatement& found, const wire::v1::StatementBody& statement,
                                         int64_t now_us, std::span<const std::optional<ParameterKind>> kinds);
  /// The next statement that differs in literals only need not be compiled.
  void learn_shared(const wire::v1::StatementBody& statement, int64_t now_us);
  /// `known` may be null.
  void know(std::shared_ptr<const sql::CachedPlan> known, const wire::v1::StatementBody& statement);

  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace daedalus::aggregator
