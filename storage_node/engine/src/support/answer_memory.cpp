#include "answer_memory.hpp"

#include <string>

#include "daedalus/semantics/answer.hpp"

namespace daedalus::engine {

Error AnswerMemory::refusal(uint64_t wanted) const {
  if (budget_->is_too_large_alone(holder_, wanted)) {
    return semantics::answer_takes_too_much_memory({budget_->largest_holding(), owner_});
  }
  return {ErrorCategory::kRetry, "53200",
          "all answers together exceed " + std::to_string(budget_->bytes_max()) +
              " bytes, groups in progress and rows that wait to be fetched included",
          "Ask again when others have ended or been fetched, restrict the rows, or group by fewer columns."};
}

}  // namespace daedalus::engine
