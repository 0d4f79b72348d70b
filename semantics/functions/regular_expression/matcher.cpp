#include "matcher.hpp"

#include <re2/re2.h>

#include <utility>

#include "daedalus/semantics/characters.hpp"
#include "printer.hpp"

namespace daedalus::semantics::regular {
namespace {

using re2::RE2;
using re2::StringPiece;

RE2::Options options(int64_t memory_max) {
  RE2::Options made;
  made.set_longest_match(true);
  made.set_log_errors(false);
  made.set_max_mem(memory_max);
  return made;
}

/// RE2 tells an empty text from none by where it lies.
StringPiece piece_of(std::string_view text) {
  return text.data() == nullptr ? StringPiece("", 0) : StringPiece(text.data(), text.size());
}

Error too_large() {
  return rejected("0A000", "a regular expression of this size is not supported",
                  "repeat less, or match parts of it one by one");
}

}  // namespace

Matcher::Matcher(std::unique_ptr<RE2> automaton)
    : automaton_(std::move(automaton)), instructions_(static_cast<uint64_t>(automaton_->ProgramSize())) {}
Matcher::~Matcher() = default;
Matcher::Matcher(Matcher&& other) noexcept = default;
Matcher& Matcher::operator=(Matcher&& other) noexcept = default;

Result<Matcher> Matcher::make(const std::string& pattern, int64_t memory_max) {
  if (pattern.size() >= kPatternSizeMax) {
    return too_large();
  }
  auto automaton = std::make_unique<RE2>(pattern, options(memory_max));
  if (!automaton->ok() || automaton->ProgramSize() > kInstructionsMax) {
    return too_large();
  }
  return Matcher(std::move(automaton));
}

bool Matcher::is_found(std::string_view text, size_t from) const {
  const StringPiece piece = piece_of(text);
  return automaton_->Match(piece, from, piece.size(), RE2::UNANCHORED, nullptr, 0);
}

TextSpan Matcher::longest(std::string_view text, size_t from) const {
  const StringPiece piece = piece_of(text);
  StringPiece found;
  while (from <= piece.size() && automaton_->Match(piece, from, piece.size(), RE2::UNANCHORED, &found, 1)) {
    const auto begin = static_cast<size_t>(found.data() - piece.data());
    if (begin == piece.size() || is_first_byte(piece[begin])) {
      return {begin, begin + found.size()};
    }
    // Nothing, found between the bytes of a character: to RE2 there is no word's edge.
    from = begin + 1;
    while (from < piece.size() && !is_first_byte(piece[from])) {
      ++from;
    }
  }
  return {};
}

std::optional<size_t> Matcher::longest_at(std::string_view text, size_t begin, size_t limit) const {
  const StringPiece piece = piece_of(text);
  StringPiece found;
  if (!automaton_->Match(piece, begin, limit, RE2::ANCHOR_START, &found, 1)) {
    return std::nullopt;
  }
  return begin + found.size();
}

size_t Matcher::shortest_at(std::string_view text, size_t begin) const {
  const StringPiece piece = piece_of(text);
  // The shortest match ends at the first place up to which some match ends.
  size_t low = begin;
  size_t high = piece.size();
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (automaton_->Match(piece, begin, middle, RE2::ANCHOR_START, nullptr, 0)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

bool Matcher::is_match(std::string_view text, TextSpan span) const {
  return automaton_->Match(piece_of(text), span.begin, span.end, RE2::ANCHOR_BOTH, nullptr, 0);
}

}  // namespace daedalus::semantics::regular
