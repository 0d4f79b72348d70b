#include "ticket_mixes.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "daedalus/base/check.hpp"

namespace daedalus::engine::bench {
namespace {

using semantics::Literal;
using semantics::Operator;

constexpr uint32_t kAnyAttributes = 9;

/// The columns in a fixed random order: their ranks in a Zipf distribution, and what is fetched.
const std::vector<uint32_t>& shuffled_columns() {
  static const std::vector<uint32_t> kShuffled = [] {
    std::vector<uint32_t> columns(kTicketColumns);
    std::iota(columns.begin(), columns.end(), 0);
    Random random(47);
    std::shuffle(columns.begin(), columns.end(), random);
    return columns;
  }();
  return kShuffled;
}

TicketQuery booking_query(const TicketTable& table, Random& random) {
  const auto row = table.ordinals(below(random, table.row_count()));
  TicketQuery query;
  if (below(random, 1000) < 995) {
    query.push_back({kFlight, row[kFlight], row[kFlight]});
    query.push_back({kDateIn, row[kDateIn], row[kDateIn]});
  } else {
    query.push_back(around(table, kDateIn, row[kDateIn], 1, random));
    query.push_back({10, row[10], row[10]});
  }
  if (below(random, 10) < 9) {
    query.push_back({kProvider, row[kProvider], row[kProvider]});
  }
  query.push_back({kSgtQualifier, row[kSgtQualifier], row[kSgtQualifier]});
  query.push_back({kCancelFlag, row[kCancelFlag], row[kCancelFlag]});
  query.push_back({kCabin, row[kCabin], row[kCabin]});
  query.push_back(around(table, 16, row[16], 50, random));
  query.push_back(around(table, 17, row[17], 60, random));
  return query;
}

uint32_t zipf_rank(double skew, Random& random) {
  static thread_local double made_for = -1;
  static thread_local std::vector<double> cumulative;
  if (made_for != skew) {
    cumulative.clear();
    double sum = 0;
    for (uint32_t rank = 0; rank < kTicketColumns; ++rank) {
      sum += 1 / std::pow(rank + 1, skew);
      cumulative.push_back(sum);
    }
    made_for = skew;
  }
  const double drawn = std::uniform_real_distribution<>(0, cumulative.back())(random);
  return static_cast<uint32_t>(std::lower_bound(cumulative.begin(), cumulative.end(), drawn) - cumulative.begin());
}

TicketQuery any_query(const TicketTable& table, bool hard, double zipf, Random& random) {
  const auto row = table.ordinals(below(random, table.row_count()));
  TicketQuery query;
  uint64_t used = 0;
  uint32_t tries = 0;
  while (query.size() < kAnyAttributes && ++tries < 10'000) {
    const uint32_t column = shuffled_columns()[std::min(kTicketColumns - 1, zipf_rank(zipf, random))];
    if (((used >> column) & 1) != 0 || row[column] == kNullOrdinal) {
      continue;
    }
    used |= uint64_t{1} << column;
    const bool may_equal = !hard || table.columns()[column].cardinality <= 10;
    if (may_equal && query.size() % 2 == 0) {
      query.push_back({column, row[column], row[column]});
    } else {
      query.push_back(around(table, column, row[column], (hard ? 10 : 30) + below(random, 30), random));
    }
  }
  return query;
}

Literal literal(const TicketTable& table, uint32_t column, Operator op, uint32_t ordinal) {
  return {.column = column, .kind = Literal::Kind::kCompare, .op = op, .values = {table.value(column, ordinal)}};
}

}  // namespace

Between around(const TicketTable& table, uint32_t column, uint32_t ordinal, uint32_t percent, Random& random) {
  const uint32_t cardinality = table.columns()[column].cardinality;
  const uint32_t span = std::max(1u, static_cast<uint32_t>(uint64_t{cardinality} * percent / 100));
  const uint32_t down = below(random, span);
  const uint32_t low = ordinal - std::min(ordinal, down);
  return {column, low, std::min(cardinality - 1, low + span)};
}

const std::vector<uint32_t>& fetched_columns() {
  static const std::vector<uint32_t> kFetched = [] {
    std::vector<uint32_t> columns = {kId};
    std::copy_if(shuffled_columns().begin(), shuffled_columns().end(), std::back_inserter(columns),
                 [&](uint32_t column) { return column != kId && columns.size() < 27; });
    return columns;
  }();
  return kFetched;
}

const Between* equality_on(const TicketQuery& query, uint32_t column) {
  const auto found = std::find_if(query.begin(), query.end(), [column](const Between& between) {
    return between.column == column && between.is_equality();
  });
  return found == query.end() ? nullptr : &*found;
}

std::vector<TicketQuery> make_queries(const TicketTable& table, MixSpec mix, uint32_t count, Random& random) {
  std::vector<TicketQuery> queries;
  for (uint32_t number = 0; number < count; ++number) {
    queries.push_back(mix.mix == Mix::kBooking ? booking_query(table, random)
                                               : any_query(table, mix.mix == Mix::kHard, mix.zipf, random));
  }
  return queries;
}

std::shared_ptr<const semantics::Selection> to_selection(const TicketTable& table, const TicketQuery& query) {
  std::vector<semantics::SelectItem> items;
  for (const uint32_t column : fetched_columns()) {
    items.push_back({.name = table.columns()[column].name, .column = column});
  }
  auto selection = std::make_shared<semantics::Selection>(*semantics::bind_items(table.schema(), std::move(items)));
  for (const Between& between : query) {
    if (between.is_equality()) {
      selection->predicate.clauses.push_back({literal(table, between.column, Operator::kEqual, between.low)});
    } else {
      selection->predicate.clauses.push_back({literal(table, between.column, Operator::kGreaterOrEqual, between.low)});
      selection->predicate.clauses.push_back({literal(table, between.column, Operator::kLessOrEqual, between.high)});
    }
  }
  return selection;
}

std::vector<TicketUpdate> make_updates(const TicketTable& table, uint32_t count, Random& random) {
  std::vector<TicketUpdate> updates;
  while (updates.size() < count) {
    const auto row = table.ordinals(below(random, table.row_count()));
    if (row[kArrival] != kNullOrdinal) {
      updates.push_back({row[kRloc], row[kArrival], below(random, table.columns()[kSeat].cardinality)});
    }
  }
  return updates;
}

UpdatePart to_part(const TicketTable& table, const TicketUpdate& update) {
  auto part = std::make_shared<semantics::ModifyPart>();
  part->assignments = {{kSeat, semantics::Assignment::Kind::kSet, table.value(kSeat, update.seat)}};
  part->predicate.clauses = {{literal(table, kRloc, Operator::kEqual, update.rloc)},
                             {literal(table, kArrival, Operator::kEqual, update.arrival)}};
  return std::shared_ptr<const semantics::ModifyPart>(std::move(part));
}

UpdatePart third_part(const TicketTable& table, Random& random) {
  const uint32_t days = table.columns()[kDateIn].cardinality;
  auto part = std::make_shared<semantics::ModifyPart>();
  part->assignments = {{kSeat, semantics::Assignment::Kind::kSet,
                        table.value(kSeat, below(random, table.columns()[kSeat].cardinality))}};
  part->predicate.clauses = {{literal(table, kDateIn, Operator::kLess, days / 3)}};
  return std::shared_ptr<const semantics::ModifyPart>(std::move(part));
}

bool is_mix(const std::string& name) {
  return name == "booking" || name.starts_with("any-") || name.starts_with("hard-");
}

MixSpec parse_mix(const std::string& name) {
  if (name == "booking") {
    return {};
  }
  const size_t dash = name.find('-');
  const std::string kind = name.substr(0, dash);
  CHECK(dash != std::string::npos && (kind == "any" || kind == "hard"));
  return {kind == "any" ? Mix::kAny : Mix::kHard, std::stod(name.substr(dash + 1))};
}

}  // namespace daedalus::engine::bench
