// The compiler as others see it: cache, then the statement's kind, then its own file.
#include "daedalus/aggregator/compile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "cached_plan.hpp"
#include "computing_mistakes.hpp"
#include "given_parameter.hpp"
#include "lexer.hpp"
#include "parameter_analysis.hpp"
#include "refusals.hpp"
#include "scope.hpp"
#include "shared_text.hpp"
#include "statement_cache.hpp"
#include "statements.hpp"

namespace daedalus::aggregator {

namespace {

/// Most bytes of all kept texts together. Their trees take some twenty times as much, 80 times at worst.
constexpr size_t kCachedTextBytesMax = 2u << 20;

template <typename Statement>
Result<Compiled> as_compiled(Result<Statement> statement) {
  if (!statement) {
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
  switch (root.kind()) {
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
Result<Compiled> with_slice(Compiled compiled, const wire::v1::Slice& slice) {
  auto* select = std::get_if<CompiledSelect>(&compiled);
  if (select == nullptr) {
    return rejected("0A000", "only a SELECT can be answered by a slice of the table");
  }
  if (select->rows != nullptr) {
    return rejected("0A000", "VALUES cannot be answered by a slice of the table");
  }
  if (select->counted != nullptr) {
    return rejected("0A000", "a number of rows cannot be answered by a slice of the table");
  }
  semantics::Selection selection = *select->selection;
  selection.slice = contract::to_slice(slice);
  if (auto checked = contract::check_selection(selection); !checked) {
    return checked.error();
  }
  select->selection = std::make_shared<const semantics::Selection>(std::move(selection));
  select->shape = nullptr;
  return compiled;
}

/// The parameters' types in the order of their numbers. Errors: 42P18.
Result<StatementDescription> parameters_of(const sql::ParameterTypes& types) {
  StatementDescription described;
  for (int32_t number = 1; number <= types.count(); ++number) {
    const auto kind = types.kind_of(number);
    if (!kind) {
      return rejected("42P18", fmt::format("could not determine data type of parameter ${}", number),
                      "cast it to its type");
    }
    described.parameters.push_back(*kind);
  }
  described.parameters_unused = static_cast<uint32_t>(types.count() - types.count_seen());
  return described;
}

using ParameterKinds = std::vector<std::optional<ParameterKind>>;

}  // namespace

struct Compiler::State {
  State(std::shared_ptr<const semantics::Schema> of, std::shared_ptr<const contract::PartitionMap> placement,
        std::shared_ptr<const semantics::TimeZones> database, RandomBits bits)
      : schema(std::move(of)),
        map(std::move(placement)),
        zones(std::move(database)),
        columns(std::make_shared<const sql::ColumnNames>(schema)),
        random(std::move(bits)) {}

  /// Finds the time zone of the session that sends the statement; null: UTC.
  [[nodiscard]] Result<std::shared_ptr<const semantics::SessionZone>> zone_of(
      const wire::v1::StatementBody& statement) const {
    return statement.time_zone().empty() ? nullptr : semantics::SessionZone::find(statement.time_zone(), zones.get());
  }

  /// The types of a statement's parameters, by how they came or by their places; nothing where neither says one.
  [[nodiscard]] Result<ParameterKinds> kinds_of(const sql::ParsedStatement& parsed,
                                                const wire::v1::StatementBody& statement) const {
    ParameterKinds kinds;
    std::transform(statement.parameters().begin(), statement.parameters().end(), std::back_inserter(kinds),
                   sql::declared_by);
    if (std::find(kinds.begin(), kinds.end(), std::nullopt) == kinds.end()) {
      return kinds;
    }
    sql::ParameterTypes types(kinds);
    wire::v1::StatementBody session;
    session.set_date_order(statement.date_order());
    sql::Scope scope(*columns, parsed, types, session, zones.get());
    if (auto fixed = sql::fix_parameters(scope); !fixed) {
      return fixed.error();
    }
    for (size_t index = 0; index < kinds.size(); ++index) {
      kinds[index] = types.kind_of(static_cast<int32_t>(index) + 1);
    }
    return kinds;
  }

  std::shared_ptr<const semantics::Schema> schema;
  std::shared_ptr<const contract::PartitionMap> map;
  std::shared_ptr<const semantics::TimeZones> zones;
  std::shared_ptr<const sql::ColumnNames> columns;
  const RandomBits random;
  sql::StatementCache cache{{kCachedStatementsMax, kCachedTextBytesMax}};
  sql::RecentTexts shared;   ///< Remembers shared texts.
  sql::RecentTexts for_one;  ///< Remembers statements whose values cannot be followed.
};

Compiler::Compiler(std::shared_ptr<const semantics::Schema> schema, std::shared_ptr<const contract::PartitionMap> map,
                   std::shared_ptr<const semantics::TimeZones> zones, RandomBits random)
    : state_(std::make_unique<State>(std::move(schema), std::move(map), std::move(zones), std::move(random))) {}

Compiler::~Compiler() = default;

std::shared_ptr<const KnownStatement> Compiler::find(std::string_view sql) { return state_->cache.known(sql); }

bool Compiler::bind(const wire::v1::StatementBody& statement, CompiledSelect& bound) {
  if (const auto known = find(statement.sql())) {
    return known->bind(statement, bound);
  }
  if (statement.parameters_size() > 0 || statement.has_slice()) {
    return false;
  }
  auto shared = sql::share_literals(statement.sql());
  const auto known = shared ? find(shared->text) : nullptr;
  if (known == nullptr) {
    return false;
  }
  wire::v1::StatementBody with_parameters;
  with_parameters.mutable_parameters()->Add(shared->parameters.begin(), shared->parameters.end());
  with_parameters.set_time_zone(statement.time_zone());
  with_parameters.set_date_order(statement.date_order());
  return known->bind(with_parameters, bound);
}

void Compiler::learn_shared(const wire::v1::StatementBody& statement, int64_t now_us) {
  auto shared = sql::share_literals(statement.sql());
  if (!shared || state_->cache.contains(shared->text) || !state_->shared.seen_before(shared->text)) {
    return;
  }
  wire::v1::StatementBody with_parameters;
  with_parameters.set_sql(std::move(shared->text));
  with_parameters.mutable_parameters()->Add(shared->parameters.begin(), shared->parameters.end());
  with_parameters.set_time_zone(statement.time_zone());
  with_parameters.set_date_order(statement.date_order());
  // It is known from then on, or cannot be. What stands for literals has no types.
  if (const auto found = state_->cache.get(with_parameters.sql(), sql::Keep::kFromTheFirstTime)) {
    static_cast<void>(compile(*found, with_parameters, now_us, {}));
  }
}

void Compiler::know(std::shared_ptr<const sql::CachedPlan> known, const wire::v1::StatementBody& statement) {
  // For one combination of values only: most never come again, and would push out others.
  if (known != nullptr && (!known->is_for_one() || state_->for_one.seen_before(statement.SerializeAsString()))) {
    state_->cache.know(std::move(known), statement.sql());
  }
}

CacheCounters Compiler::cache_counters() const {
  const sql::StatementCache::Counters counters = state_->cache.counters();
  return {counters.hits, counters.misses, state_->cache.size(), state_->cache.more_variants()};
}

Result<Compiled> Compiler::compile(const wire::v1::StatementBody& statement, int64_t now_us) {
  const auto found = state_->cache.get(statement.sql(), sql::Keep::kFromTheSecondTime);
  if (!found) {
    return found.error();
  }
  auto kinds = state_->kinds_of(*found->parsed, statement);
  return kinds ? compile(*found, statement, now_us, *kinds) : kinds.error();
}

Result<Plan> Compiler::explain(const wire::v1::StatementBody& statement, int64_t now_us) {
  const auto found = state_->cache.get(statement.sql(), sql::Keep::kFromTheSecondTime);
  if (!found) {
    return found.error();
  }
  const auto kinds = state_->kinds_of(*found->parsed, statement);
  if (!kinds) {
    return kinds.error();
  }
  const auto compiled = compile(*found, statement, now_us, *kinds);
  if (!compiled) {
    return compiled.error();
  }
  auto plan = plan_of(*state_->schema, *state_->map, *compiled);
  const grammar::Node& root = found->parsed->root();
  if (plan && plan->node == Plan::Node::kSweep && root.select().from_clause.empty()) {
    return without_table(std::move(*plan));
  }
  return plan;
}

Result<Compiled> Compiler::compile(const sql::FoundStatement& found, const wire::v1::StatementBody& statement,
                                   int64_t now_us, std::span<const std::optional<ParameterKind>> kinds) {
  auto zone = state_->zone_of(statement);
  if (!zone) {
    return zone.error();
  }
  sql::Scope scope(*state_->columns, *found.parsed, statement, now_us, state_->zones.get(), zone->get(),
                   &state_->random, kinds);
  scope.places().follow(found.is_kept);
  auto compiled = compile_root(scope, *state_->map);
  if (!compiled) {
    return compiled;
  }
  if (auto checked = scope.check_parameters(); !checked) {
    return checked.error();
  }
  if (const auto* select = std::get_if<CompiledSelect>(&*compiled)) {
    if (found.is_kept) {
      know(
          sql::CachedPlan::of(state_->columns, found.parsed, scope, std::move(*zone), statement, *select, *state_->map),
          statement);
    }
    if (statement.parameters_size() == 0) {
      learn_shared(statement, now_us);
    }
  }
  if (statement.has_slice()) {
    return with_slice(std::move(*compiled), statement.slice());
  }
  return compiled;
}

namespace {

/// Which columns of the table an answer's columns are, from 1.
std::vector<uint16_t> origins_of(const CompiledSelect& select) {
  std::vector<uint16_t> origins(select.columns->size(), 0);
  if (select.selection == nullptr || select.rows != nullptr || select.counted != nullptr) {
    return origins;
  }
  const semantics::Selection& selection = *select.selection;
  for (size_t output = 0; output < origins.size() && output < selection.outputs.size(); ++output) {
    const semantics::BoundExpression* value = &selection.outputs[output].expression;
    if (value->is_input() && selection.grouping) {
      const auto& keys = selection.grouping->keys;
      value = value->input < keys.size() ? &keys[value->input] : nullptr;
    }
    if (value != nullptr && value->is_input()) {
      origins[output] = static_cast<uint16_t>(value->input + 1);
    }
  }
  return origins;
}

}  // namespace

Result<StatementDescription> Compiler::describe(std::string_view sql,
                                                std::span<const std::optional<ParameterKind>> declared,
                                                semantics::DateOrder dates) {
  const auto found = state_->cache.get(sql, sql::Keep::kFromTheFirstTime);  // It is about to be asked.
  if (!found) {
    return found.error();
  }
  sql::ParameterTypes types(declared);
  wire::v1::StatementBody session;
  session.set_date_order(std::string(semantics::name_of(dates)));
  sql::Scope scope(*state_->columns, *found->parsed, types, session, state_->zones.get());
  if (auto fixed = sql::fix_parameters(scope); !fixed) {
    return fixed.error();
  }
  auto compiled = compile_root(scope, *state_->map);
  std::optional<Error> mistake;
  if (!compiled && compiled.error().position == 0 && sql::is_of_computing(compiled.error())) {
    mistake = compiled.error();  // A mistake in how the statement reads has a place.
    scope.leave_mistakes();
    if (auto read = compile_root(scope, *state_->map)) {
      compiled = std::move(read);
    }
  }
  if (!compiled) {
    return compiled.error();
  }
  if (auto checked = sql::check_parameter_types(scope); !checked) {
    return checked.error();
  }
  auto description = parameters_of(types);
  if (!description) {
    return description;
  }
  if (types.count() == 0) {
    description->mistake = std::move(mistake);  // Values may be what it is not computed beside.
  }
  if (const auto* select = std::get_if<CompiledSelect>(&*compiled)) {
    description->columns = *select->columns;
    description->origins = origins_of(*select);
  } else if (const auto& returning = std::get<CompiledUpdate>(*compiled).returning) {
    description->columns = *returning->columns;
  }
  return description;
}

}  // namespace daedalus::aggregator
