#include "answer_memory.hpp"

#include <string>

namespace daedalus::engine {

Error AnswerMemory::refusal() const {
  return {ErrorCategory::kRetry, "53200",
          "the answers of one segment exceed " + std::to_string(bytes_max_) +
              " bytes together, groups in progress and rows that wait to be fetched included",
          "Ask again when others have ended or been fetched, restrict the rows, or group by fewer columns."};
}

}  // namespace daedalus::engine
