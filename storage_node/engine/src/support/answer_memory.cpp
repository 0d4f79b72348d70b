#include "answer_memory.hpp"

#include <string>

namespace daedalus::engine {

Error AnswerMemory::refusal() const {
  return {ErrorCategory::kRetry, "53200",
          "all answers together exceed " + std::to_string(budget_->bytes_max()) +
              " bytes, groups in progress and rows that wait to be fetched included",
          "Ask again when others have ended or been fetched, restrict the rows, or group by fewer columns."};
}

}  // namespace daedalus::engine
