// The compiler as others see it: cache, then the statement's kind, then its own file.
#include "daedalus/aggregator/compile.hpp"

#include <fmt/format.h>

#include "lexer.hpp"
#include "refusals.hpp"
#include "scope.hpp"
#include "statement_cache.hpp"
#include "statements.hpp"

namespace daedalus::aggregator {

namespace {

/// Of all kept texts together. Their trees take some tens of times as much.
constexpr size_t kCachedTextBytesMax = 2u << 20;

template <typename Statement>
Result<Compiled> as_compiled(Result<Statement> statement) {
  if (statement.has_error()) {
    return statement.error();
  }
  return Compiled(std::move(*statement));
}

Error refuse_statement(const sql::Scope& scope) {
  const auto start = static_cast<uint32_t>(scope.statement_location());
  const std::string name = sql::statement_name(scope.text(), start);
  return scope.refuse(name, scope.statement_location(), std::string(sql::statement_hint(name)));
}

Result<Compiled> compile_root(sql::Scope& scope, const contract::PartitionMap& map) {
  const grammar::Node& root = scope.root();
  switch (root.kind_case()) {
    case grammar::Node::kSelect:
      return as_compiled(sql::compile_select(scope, map, root.select()));
    case grammar::Node::kInsert:
      return as_compiled(sql::compile_insert(scope, map, root.insert()));
    case grammar::Node::kUpdate:
      return as_compiled(sql::compile_update(scope, map, root.update()));
    case grammar::Node::kDelete:
      return as_compiled(sql::compile_delete(scope, map, root.delete_()));
    default:
      return refuse_statement(scope);
  }
}

/// A SELECT is answered by the slice alone when the statement has one; anything else has none.
Result<Compiled> with_slice(Compiled compiled, const semantics::Schema& schema, const wire::v1::Slice& slice) {
  auto* select = std::get_if<CompiledSelect>(&compiled);
  if (select == nullptr) {
    return rejected("0A000", "only a SELECT can be answered by a slice of the table");
  }
  // Encodings of one message that follow each other are read as one.
  wire::v1::SelectBody added;
  *added.mutable_slice() = slice;
  select->body += added.SerializeAsString();
  auto selection = contract::to_selection(schema, select->body, nullptr);
  if (selection.has_error()) {
    return selection.error();
  }
  select->selection = std::move(*selection);
  return compiled;
}

/// The parameters' types in the order of their numbers. Errors: 42P18.
Result<std::vector<semantics::TypeKind>> types_of(const sql::Scope& scope, const sql::ParameterTypes& types) {
  std::vector<semantics::TypeKind> kinds;
  for (const auto& [number, parameter] : types.seen()) {
    const auto next = static_cast<int32_t>(kinds.size()) + 1;
    if (number != next || !parameter.kind) {
      return scope.error("42P18", fmt::format("could not determine data type of parameter ${}", next),
                         number == next ? parameter.location : -1,
                         number == next ? "cast it to its type" : "the statement does not use it");
    }
    kinds.push_back(*parameter.kind);
  }
  return kinds;
}

}  // namespace

struct Compiler::State {
  std::shared_ptr<const semantics::Schema> schema;
  std::shared_ptr<const contract::PartitionMap> map;
  sql::StatementCache cache{{kCachedStatementsMax, kCachedTextBytesMax}};
};

Compiler::Compiler(std::shared_ptr<const semantics::Schema> schema, std::shared_ptr<const contract::PartitionMap> map)
    : state_(std::make_unique<State>()) {
  state_->schema = std::move(schema);
  state_->map = std::move(map);
}

Compiler::~Compiler() = default;

CacheCounters Compiler::cache_counters() const {
  const sql::StatementCache::Counters counters = state_->cache.counters();
  return {counters.hits, counters.misses, state_->cache.size()};
}

Result<Compiled> Compiler::compile(const wire::v1::StatementBody& statement, int64_t now_us) {
  auto parsed = state_->cache.get(statement.sql());
  if (parsed.has_error()) {
    return parsed.error();
  }
  sql::Scope scope(*state_->schema, **parsed, statement, now_us);
  auto compiled = compile_root(scope, *state_->map);
  if (compiled.has_error()) {
    return compiled;
  }
  if (auto checked = scope.check_parameters(); checked.has_error()) {
    return checked.error();
  }
  return statement.has_slice() ? with_slice(std::move(*compiled), *state_->schema, statement.slice()) : compiled;
}

Result<StatementDescription> Compiler::describe(std::string_view sql) {
  auto parsed = state_->cache.get(sql);
  if (parsed.has_error()) {
    return parsed.error();
  }
  sql::ParameterTypes types;
  sql::Scope scope(*state_->schema, **parsed, types);
  auto compiled = compile_root(scope, *state_->map);
  if (compiled.has_error()) {
    return compiled.error();
  }
  auto parameters = types_of(scope, types);
  if (parameters.has_error()) {
    return parameters.error();
  }
  StatementDescription description{std::move(*parameters), {}};
  if (auto* select = std::get_if<CompiledSelect>(&*compiled)) {
    description.columns = std::move(select->columns);
  }
  return description;
}

}  // namespace daedalus::aggregator
