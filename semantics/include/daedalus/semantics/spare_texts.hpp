// What an evaluation of many rows keeps from one row to the next: room for texts.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "daedalus/base/result.hpp"
#include "daedalus/semantics/value.hpp"

namespace daedalus::semantics {

struct BoundExpression;

/// Room of texts that are done with, for those that come: after some rows no text needs memory of its own. At most
/// kTextsMax of them, each as long as texts get.
class SpareTexts {
 public:
  SpareTexts() = default;
  SpareTexts(const SpareTexts&) = delete;
  SpareTexts& operator=(const SpareTexts&) = delete;

  /// A text that begins so, in the room of one that was given if there is any.
  [[nodiscard]] std::string take(std::string_view begin = {}) {
    std::string text = count_ == 0 ? std::string() : std::move(texts_[--count_]);
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
    if (text.capacity() > kWithoutRoom && count_ < kTextsMax) {
      texts_[count_++] = std::move(text);
    }
  }

  /// A copy of a value, in such room if it is a text.
  [[nodiscard]] Value copy(const Value& value) {
    const auto* text = std::get_if<std::string>(&value);
    return text != nullptr ? Value(take(*text)) : value;
  }

 private:
  static constexpr size_t kTextsMax = 8;

  std::array<std::string, kTextsMax> texts_;
  size_t count_ = 0;
};

/// evaluate() of bound_expression.hpp, for who does it again and again: its texts take the room of `texts`, which the
/// caller gives them back to.
[[nodiscard]] Result<Value> evaluate(const BoundExpression& expression, std::span<const Value> row, SpareTexts& texts);

}  // namespace daedalus::semantics
