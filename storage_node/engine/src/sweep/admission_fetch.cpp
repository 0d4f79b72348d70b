#include "admission_fetch.hpp"

namespace daedalus::engine {
namespace {

/// Admissions from one link to the next: some hundred nanoseconds each, about what memory takes.
constexpr uint32_t kStep = 2;

/// The links, from the last one to the first.
constexpr uint32_t kValuesAt = kStep;
constexpr uint32_t kLiteralsAt = 2 * kStep;
constexpr uint32_t kClausesAt = 3 * kStep;
constexpr uint32_t kQueryAt = 4 * kStep;

void fetch_objects(const Query& query) {
  fetch_ahead(query.selection.get());
  fetch_ahead(&query.selection->outputs);
  fetch_ahead(&query.predicate());
}

void fetch_clauses(const Query& query) { fetch_ahead(query.predicate().clauses.data()); }

void fetch_literals(const Query& query) {
  for (const semantics::Clause& clause : query.predicate().clauses) {
    fetch_ahead(clause.data());
  }
}

void fetch_values(const Query& query) {
  for (const semantics::Clause& clause : query.predicate().clauses) {
    fetch_ahead(clause.front().values.data());
  }
}

template <typename Fetch>
void fetch_at(const SpscRing<Operation>& operations, uint32_t distance, Fetch&& fetch) {
  const Operation* operation = operations.behind_front(distance);
  if (const auto* query = operation != nullptr ? std::get_if<Query>(operation) : nullptr) {
    fetch(*query);
  }
}

}  // namespace

void fetch_next(const SpscRing<Operation>& operations) {
  fetch_at(operations, kQueryAt, fetch_objects);
  fetch_at(operations, kClausesAt, fetch_clauses);
  fetch_at(operations, kLiteralsAt, fetch_literals);
  fetch_at(operations, kValuesAt, fetch_values);
}

}  // namespace daedalus::engine
