#include "admission_fetch.hpp"

namespace daedalus::engine {
namespace {

/// Admissions from one link to the next: some hundred nanoseconds each, about what memory takes.
constexpr uint32_t kStep = 2;

/// The links, from the last one to the first.
constexpr uint32_t kValuesAt = kStep;
constexpr uint32_t kLiteralsAt = 2 * kStep;
constexpr uint32_t kClausesAt = 3 * kStep;
constexpr uint32_t kPartAt = 4 * kStep;
constexpr uint32_t kPartsAt = 5 * kStep;

void fetch_parts(const Operation& operation) {
  if (const auto* update = std::get_if<Update>(&operation)) {
    fetch_ahead(update->parts.data());
  }
}

void fetch_part(const Operation& operation) {
  if (const auto* query = std::get_if<Query>(&operation)) {
    fetch_ahead(query->selection.get());
    fetch_ahead(&query->selection->outputs);
  }
  fetch_ahead(predicate_of(operation));
}

void fetch_clauses(const Operation& operation) {
  if (const semantics::Predicate* predicate = predicate_of(operation)) {
    fetch_ahead(predicate->clauses.data());
  }
}

void fetch_literals(const Operation& operation) {
  if (const semantics::Predicate* predicate = predicate_of(operation)) {
    for (const semantics::Clause& clause : predicate->clauses) {
      fetch_ahead(clause.data());
    }
  }
}

void fetch_values(const Operation& operation) {
  if (const semantics::Predicate* predicate = predicate_of(operation)) {
    for (const semantics::Clause& clause : predicate->clauses) {
      fetch_ahead(clause.front().values.data());
    }
  }
}

template <typename Fetch>
void fetch_at(const SpscRing<Operation>& operations, uint32_t distance, Fetch&& fetch) {
  if (const Operation* operation = operations.behind_front(distance)) {
    fetch(*operation);
  }
}

}  // namespace

void fetch_next(const SpscRing<Operation>& operations) {
  fetch_at(operations, kPartsAt, fetch_parts);
  fetch_at(operations, kPartAt, fetch_part);
  fetch_at(operations, kClausesAt, fetch_clauses);
  fetch_at(operations, kLiteralsAt, fetch_literals);
  fetch_at(operations, kValuesAt, fetch_values);
}

}  // namespace daedalus::engine
