// A part of a regular expression as the automaton that RE2 makes of it: where it matches in a text, and how far.
//
// Text is well-formed UTF-8; places are of bytes, and at characters' beginnings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "daedalus/base/result.hpp"

namespace re2 {
class RE2;
}

namespace daedalus::semantics {

/// Bytes of a text from one place to another.
struct TextSpan {
  static constexpr size_t kNowhere = SIZE_MAX;
  size_t begin = kNowhere;
  size_t end = kNowhere;

  [[nodiscard]] bool is_somewhere() const { return begin != kNowhere; }
  friend bool operator==(const TextSpan&, const TextSpan&) = default;
};

}  // namespace daedalus::semantics

namespace daedalus::semantics::regular {

/// An automaton has at most so many instructions.
constexpr int kInstructionsMax = 4'000;
/// Steps that may be taken for one row: an instruction for a byte is one, as where no states can be kept. Mostly a byte
/// is one, and they are some hundredths of a second.
constexpr uint64_t kStepsMax = 500'000'000;

/// An automaton and the states that it meets may take so many bytes: that of a whole expression, and those of parts of
/// which there may be many. One that meets more states keeps none, and is slower.
constexpr int64_t kMemoryMax = 1 << 20;
constexpr int64_t kPartMemoryMax = 1 << 18;

class Matcher {
 public:
  /// pattern: what printer.hpp writes. Error 0A000: it is too large.
  [[nodiscard]] static Result<Matcher> make(const std::string& pattern, int64_t memory_max);
  ~Matcher();
  Matcher(Matcher&& other) noexcept;
  Matcher& operator=(Matcher&& other) noexcept;

  /// Says whether it matches anywhere from a place on.
  [[nodiscard]] bool is_found(std::string_view text, size_t from) const;
  /// The first place from there on where it matches, and the longest match of that place.
  [[nodiscard]] TextSpan longest(std::string_view text, size_t from) const;
  /// The end of the longest match that begins there and ends no later than `limit`.
  [[nodiscard]] std::optional<size_t> longest_at(std::string_view text, size_t begin, size_t limit) const;
  /// The end of the shortest match that begins there. Precondition: there is one.
  [[nodiscard]] size_t shortest_at(std::string_view text, size_t begin) const;
  /// Says whether it matches just that.
  [[nodiscard]] bool is_match(std::string_view text, TextSpan span) const;

  /// Says how many steps matching so many bytes may take at most.
  [[nodiscard]] uint64_t steps_of(size_t bytes) const { return (bytes + 16) * instructions_; }

 private:
  explicit Matcher(std::unique_ptr<re2::RE2> automaton);

  std::unique_ptr<re2::RE2> automaton_;
  uint64_t instructions_;
};

}  // namespace daedalus::semantics::regular
