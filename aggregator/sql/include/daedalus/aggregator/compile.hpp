// SQL text to operations, through PostgreSQL's own grammar.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "daedalus/aggregator/statement.hpp"
#include "daedalus/base/result.hpp"
#include "daedalus/contract/translate.hpp"

namespace daedalus::aggregator {

/// What the statement cache has done so far, for metrics and tests.
struct CacheCounters {
  uint64_t hits = 0;
  uint64_t misses = 0;
  size_t statements = 0;  ///< Kept now.
};

/// Compiles statements against one schema and map. Thread-safe.
class Compiler {
 public:
  /// The most parsed statements kept for re-use; least recently used go first.
  static constexpr size_t kCachedStatementsMax = 1024;

  Compiler(std::shared_ptr<const semantics::Schema> schema, std::shared_ptr<const contract::PartitionMap> map);
  ~Compiler();
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

  [[nodiscard]] CacheCounters cache_counters() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace daedalus::aggregator
