#include "engine_under_test.hpp"

#include <fmt/format.h>

#include <map>
#include <numeric>

#include "daedalus/semantics/packed.hpp"

namespace daedalus::engine::bench {
namespace {

SegmentOptions options_for(const TicketTable& table, AccessPaths paths) {
  SegmentOptions options;
  options.memory_bytes = uint64_t{table.row_count()} * table.row_size() * 3 / 2 + (16u << 20);
  options.operations_in_flight_max = 131'072;
  options.share_factor_max = 65'536;
  options.updates_per_cycle_max = 65'536;
  options.access_paths = paths;
  return options;
}

/// Columns, operators and numbers of constants.
std::string shape_text(const semantics::Predicate& predicate) {
  std::string text;
  for (const semantics::Clause& clause : predicate.clauses) {
    for (const semantics::Literal& literal : clause) {
      text += fmt::format("{} {} {} {},", literal.column, static_cast<int>(literal.kind), static_cast<int>(literal.op),
                          literal.values.size());
    }
    text += ';';
  }
  return text;
}

}  // namespace

Selections to_selections(const TicketTable& table, const std::vector<TicketQuery>& queries) {
  Selections selections;
  std::map<std::string, std::shared_ptr<const semantics::Selection>> shapes;
  for (const TicketQuery& query : queries) {
    std::shared_ptr<const semantics::Selection> whole = to_selection(table, query);
    const std::shared_ptr<const semantics::Selection>& shape =
        shapes.try_emplace(shape_text(whole->predicate), whole).first->second;
    selections.push_back({shape, std::shared_ptr<const semantics::Predicate>(whole, &whole->predicate)});
  }
  return selections;
}

EngineUnderTest::EngineUnderTest(const TicketTable& table, AccessPaths paths)
    : table_(&table), codec_(table.schema()), segment_(table.schema(), codec_.codec(), options_for(table, paths)) {}

void EngineUnderTest::load(const TicketTable& table, const std::vector<EngineUnderTest*>& engines) {
  constexpr uint32_t kRowsPerUpdate = 16'384;
  std::vector<uint32_t> columns(table.column_count());
  std::iota(columns.begin(), columns.end(), 0);
  for (uint32_t next = 0; next < table.row_count();) {
    auto bytes = std::make_shared<std::string>();
    const uint32_t end = std::min(table.row_count(), next + kRowsPerUpdate);
    for (; next < end; ++next) {
      table.append_packed(columns, table.ordinals(next), *bytes);
    }
    InsertRows part{.owner = bytes};
    semantics::PackedRows rows(*bytes);
    while (const auto row = rows.next().value()) {
      part.rows.push_back(*row);
    }
    for (EngineUnderTest* engine : engines) {
      engine->insert(part);
    }
  }
}

void EngineUnderTest::insert(const InsertRows& rows) {
  CHECK(segment_.enqueue(Update{Timestamp{++timestamp_}, {rows}}));
  CHECK(segment_.step({0}));
  const UpdateOutput output = std::get<UpdateOutput>(*segment_.dequeue());
  CHECK(output.rows_applied == rows.rows.size());
}

std::vector<QueryOutput> EngineUnderTest::cycle(const Selections& queries, const std::vector<UpdatePart>& updates,
                                                Moment moment) {
  const Timestamp before{timestamp_};
  segment_.keep_from(before);
  for (const UpdatePart& part : updates) {
    CHECK(segment_.enqueue(Update{Timestamp{++timestamp_}, {part}}));
  }
  for (size_t number = 0; number < queries.size(); ++number) {
    Query query{QueryHandle{number}, queries[number].selection, kNever, nullptr, queries[number].bound};
    if (moment == Moment::kBeforeUpdates) {
      query.at = before;
    }
    query.piece_bytes = semantics::can_stream(*query.selection) ? piece_bytes_ : 0;
    CHECK(segment_.enqueue(std::move(query)));
  }
  // One cycle, but for queries that take so much memory that the others wait for the next.
  while (segment_.step({0})) {
  }
  std::vector<QueryOutput> answers(queries.size());
  while (std::optional<Output> output = segment_.dequeue()) {
    if (auto* answer = std::get_if<QueryOutput>(&*output)) {
      CHECK(!answer->error.has_value());
      answers[static_cast<size_t>(answer->handle)] = std::move(*answer);
    }
  }
  return answers;
}

void EngineUnderTest::settle() {
  constexpr uint32_t kCycles = 12;
  constexpr uint32_t kQueries = 64;
  Random random(1);
  for (uint32_t number = 0; table_->has_tickets() && number < kCycles; ++number) {
    const MixSpec mix{.mix = number % 2 == 0 ? Mix::kHard : Mix::kAny, .zipf = 0};
    cycle(to_selections(*table_, make_queries(*table_, mix, kQueries, random)));
  }
  // Each cycle makes some sketches of what was loaded: two rounds of all of them, since buckets are drawn once more.
  const uint64_t planes = segment_.statistics().rows_max / segment_.statistics().chunk_rows * table_->column_count();
  const Selections one = table_->has_tickets() ? to_selections(*table_, make_queries(*table_, {}, 1, random))
                                               : Selections{{sum_of_column(table_->schema(), kNarrowId)}};
  for (uint64_t made = 0; made < 2 * planes; made += SegmentOptions().sketch_planes_per_cycle_max) {
    cycle(one);
  }
}

Answer answer_of(const QueryOutput& output) {
  Answer answer{.rows = output.row_count};
  const size_t head = (fetched_columns().size() + 7) / 8;
  semantics::PackedRows rows(output.rows);
  while (const auto row = rows.next().value()) {
    answer.id_sum += load_word(reinterpret_cast<const uint8_t*>(row->data()) + head);
  }
  return answer;
}

std::shared_ptr<const semantics::Selection> sum_of_column(const semantics::Schema& schema, uint32_t column) {
  return std::make_shared<const semantics::Selection>(*semantics::bind_items(
      schema, {{.name = "sum", .function = semantics::AggregateFunction::kSum, .column = column}}));
}

}  // namespace daedalus::engine::bench
