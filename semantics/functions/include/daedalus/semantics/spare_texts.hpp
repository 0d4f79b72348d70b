// An evaluation of many rows keeps room for texts from one row to the next.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "daedalus/base/result.hpp"
#include "daedalus/semantics/value.hpp"

namespace daedalus::semantics {

struct BoundExpression;

/// Room of texts that are done with, for those that come: after some rows no text needs memory of its own. At most
/// kTextsMax of them, each as long as texts get: as many as a call has arguments, and some for calls around it.
class SpareTexts {
 public:
  SpareTexts() = default;
  SpareTexts(const SpareTexts&) = delete;
  SpareTexts& operator=(const SpareTexts&) = delete;

  /// A text that begins so, in the room of one that was given if there is any.
  [[nodiscard]] std::string take(std::string_view begin = {}) {
    std::string text;
    if (!many_.empty()) {
      text = std::move(many_.back());
      many_.pop_back();
    } else if (count_ > 0) {
      text = std::move(few_[--count_]);
    }
    text.assign(begin);
    return text;
  }

  /// Keeps the room of a text. Of other values, and of texts that need none, there is nothing to keep.
  void give(Value&& value) {
    if (auto* text = std::get_if<std::string>(&value)) {
      give(std::move(*text));
    }
  }
  void give(std::string&& text) {
    constexpr size_t kWithoutRoom = 15;
    if (text.capacity() <= kWithoutRoom || count_ + many_.size() == kTextsMax) {
      return;
    }
    if (count_ < kTextsFew) {
      few_[count_++] = std::move(text);
    } else {
      many_.push_back(std::move(text));
    }
  }

  /// A copy of a value, in such room if it is a text.
  [[nodiscard]] Value copy(const Value& value) {
    const auto* text = std::get_if<std::string>(&value);
    return text != nullptr ? Value(take(*text)) : value;
  }

 private:
  static constexpr size_t kTextsFew = 8;
  static constexpr size_t kTextsMax = 128;

  std::array<std::string, kTextsFew> few_;
  size_t count_ = 0;               ///< So many of few_ are there.
  std::vector<std::string> many_;  ///< Beyond those.
};

/// evaluate() of bound_expression.hpp, for who does it again and again: its texts take the room of `texts`, which the
/// caller gives them back to.
[[nodiscard]] Result<Value> evaluate(const BoundExpression& expression, std::span<const Value> row, SpareTexts& texts);

}  // namespace daedalus::semantics
