// Values of a key that have no width, numerics without a bound on their digits: each is a number from the first time
// it is seen, which stands in the key for it.
//
// Values are told apart as they are written: 1.0 and 1.00 are two numbers, and become one group where groups are
// merged.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "answer_memory.hpp"
#include "daedalus/semantics/types.hpp"

namespace daedalus::engine {

class BoxedKeys {
 public:
  BoxedKeys(const semantics::Type& type, AnswerMemory& memory) : type_(type), memory_(memory) {}

  /// The number of a value that is not NULL; nothing where there is no memory for one more. Cost: a search by a hash of
  /// its packed bytes.
  [[nodiscard]] std::optional<uint32_t> number_of(const semantics::Value& value);

  /// See MemoryShare.
  [[nodiscard]] uint64_t counted_for_others() const { return memory_.counted_for_others(); }

  /// The packed value of a number.
  [[nodiscard]] std::string_view packed(uint32_t number) const { return *values_[number]; }

 private:
  semantics::Type type_;
  MemoryShare memory_;
  std::unordered_map<std::string, uint32_t> numbers_;
  std::vector<const std::string*> values_;  ///< By number: keys of numbers_, which stay where they are.
  std::string packed_;
};

}  // namespace daedalus::engine
