// Forms of conditions that conjunctions of comparisons do not show: long lists, lists of floating numbers,
// disjunctions, lists of pairs. Answers are compared with the plain model's.
#pragma once

#include <string>

#include "cells.hpp"

namespace daedalus::engine::bench {

/// Some alternative holds.
struct FormQuery {
  std::vector<TicketQuery> alternatives;
  bool is_counted = false;  ///< SELECT COUNT(*); otherwise the columns that all queries fetch.
};

/// list-K: K values of id; codes-K: K of agent, counted; floats-K: K of weight, counted; or: rloc = x OR ticket_number
/// = y; pairs-K: K pairs of two columns neither of which finds few rows; keys-K: K pairs of rloc and arrival; or-and:
/// two conjunctions of different columns. Anything else is CHECKed.
[[nodiscard]] std::vector<FormQuery> make_form_queries(const TicketTable& table, const std::string& form,
                                                       uint32_t count, Random& random);

struct FormResult {
  std::vector<double> engine_ms;  ///< Of cycles, on the processor, each with queries of its own.
  uint64_t rows = 0;              ///< Of all answers, in the last cycle.
  uint64_t wrong = 0;             ///< Of the answers that were compared.
};

[[nodiscard]] FormResult run_form(Bench& bench, const std::string& form, uint32_t queries, uint32_t runs);

}  // namespace daedalus::engine::bench
