// Cycles that carry queries of one form. Answers are compared with the plain model's.
#pragma once

#include <string>
#include <vector>

#include "query_forms.hpp"

namespace daedalus::engine::bench {

struct FormRequest {
  std::string form;
  uint32_t queries = 1;
  uint32_t runs = 5;  ///< Each with queries of its own, after one that warms up and is not counted.
  bool warm = true;   ///< Otherwise the first run counts.
  uint64_t seed = 1;
  uint32_t checked_max = 4;  ///< So many queries' answers are compared with the model, in the last run.
};

struct FormResult {
  std::vector<double> engine_ms;  ///< Holds the time of each run.
  std::vector<double> cpu_ms;     ///< Holds the time on the processor, for where others work on the machine, too.
  uint64_t rows = 0;              ///< Counts the rows of all answers, in the last run.
  uint64_t checked = 0;
  uint64_t wrong = 0;  ///< Counts the wrong ones among the checked.
};

[[nodiscard]] FormResult run_form(Bench& bench, const FormRequest& request);

/// Holds what a query must be answered, in two numbers that SQL can be asked for, too: rows, and the sum of their first
/// values.
struct FormTruth {
  uint64_t rows = 0;
  int64_t first_sum = 0;
};
[[nodiscard]] FormTruth truth_of(Bench& bench, const FormQuery& query);

}  // namespace daedalus::engine::bench
