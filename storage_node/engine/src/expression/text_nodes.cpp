// Strings: seen where they lie, or made in room that stays from batch to batch.
#include <algorithm>

#include "daedalus/semantics/characters.hpp"
#include "daedalus/semantics/like.hpp"
#include "daedalus/semantics/regular_expression.hpp"
#include "daedalus/semantics/scalar_function.hpp"
#include "vector_node.hpp"

namespace daedalus::engine {
namespace {

using semantics::BoundExpression;
using semantics::TypeKind;

constexpr auto to_lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
constexpr auto to_upper = [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; };

/// Bytes that all of them take together.
size_t size_of_all(const ValueVector& texts, uint32_t count) {
  size_t size = 0;
  for (uint32_t position = 0; position < count; ++position) {
    size += texts.text(position).size();
  }
  return size;
}

/// Letters of ASCII, all large or all small.
class LettersNode final : public VectorNode {
 public:
  LettersNode(bool is_upper, VectorNodePtr from)
      : VectorNode(Form::kText, 0), is_upper_(is_upper), from_(std::move(from)) {}

 private:
  ValueVector compute(const RowBatch& batch) override {
    const ValueVector from = from_->values(batch);
    std::string_view* views = VectorBuffer::room(buffer_.texts);
    buffer_.characters.resize(std::max(buffer_.characters.size(), size_of_all(from, batch.count)));
    char* next = buffer_.characters.data();
    for (uint32_t position = 0; position < batch.count; ++position) {
      const std::string_view text = from.text(position);
      is_upper_ ? change(text, next, to_upper) : change(text, next, to_lower);
      views[position] = {next, text.size()};
      next += text.size();
    }
    ValueVector made;
    made.texts = views;
    made.nulls = from.nulls;
    made.hard = from.hard;
    return made;
  }

  template <typename Change>
  static void change(std::string_view text, char* out, Change letter) {
    for (size_t at = 0; at < text.size(); ++at) {
      out[at] = letter(text[at]);
    }
  }

  bool is_upper_;
  VectorNodePtr from_;
  VectorBuffer buffer_;
};

class LengthNode final : public VectorNode {
 public:
  LengthNode(bool is_in_bytes, VectorNodePtr from)
      : VectorNode(Form::kInteger, 0), is_in_bytes_(is_in_bytes), from_(std::move(from)) {}

 private:
  ValueVector compute(const RowBatch& batch) override {
    const ValueVector from = from_->values(batch);
    int64_t* out = VectorBuffer::room(buffer_.integers);
    for (uint32_t position = 0; position < batch.count; ++position) {
      const std::string_view text = from.text(position);
      out[position] = is_in_bytes_ ? static_cast<int64_t>(text.size()) : semantics::character_count(text);
    }
    ValueVector made;
    made.integers = out;
    made.magnitude = semantics::kStringLengthMax;
    made.nulls = from.nulls;
    made.hard = from.hard;
    return made;
  }

  bool is_in_bytes_;
  VectorNodePtr from_;
  VectorBuffer buffer_;
};

class JoinNode final : public VectorNode {
 public:
  JoinNode(VectorNodePtr left, VectorNodePtr right)
      : VectorNode(Form::kText, 0), left_(std::move(left)), right_(std::move(right)) {}

 private:
  ValueVector compute(const RowBatch& batch) override {
    const ValueVector a = left_->values(batch);
    const ValueVector b = right_->values(batch);
    std::string_view* views = VectorBuffer::room(buffer_.texts);
    buffer_.characters.resize(
        std::max(buffer_.characters.size(), size_of_all(a, batch.count) + size_of_all(b, batch.count)));
    char* next = buffer_.characters.data();
    buffer_.hard.fill(0);
    bool is_too_long = false;
    for (uint32_t position = 0; position < batch.count; ++position) {
      char* const begin = next;
      for (const std::string_view text : {a.text(position), b.text(position)}) {
        next = std::copy(text.begin(), text.end(), next);
      }
      views[position] = {begin, static_cast<size_t>(next - begin)};
      if (views[position].size() > semantics::kStringLengthMax) {
        set_bit(buffer_.hard.data(), position);
        is_too_long = true;
      }
    }
    ValueVector made;
    made.texts = views;
    made.nulls = in_either(a.nulls, b.nulls, batch.count, buffer_.nulls);
    made.hard = in_either(a.hard, b.hard, batch.count, either_hard_);
    if (is_too_long) {
      made.hard = in_either(made.hard, buffer_.hard.data(), batch.count, either_hard_);
    }
    return made;
  }

  VectorNodePtr left_;
  VectorNodePtr right_;
  VectorBuffer buffer_;
  VectorBits either_hard_{};
};

/// [I]LIKE one pattern, and its contrary.
class LikeNode final : public VectorNode {
 public:
  LikeNode(std::string_view pattern, bool is_wanted, VectorNodePtr from)
      : VectorNode(Form::kTruth, 0), pattern_(pattern), is_wanted_(is_wanted), from_(std::move(from)) {}

 private:
  ValueVector compute(const RowBatch& batch) override {
    const ValueVector from = from_->values(batch);
    truths_.fill(0);
    hard_.fill(0);
    bool any_hard = false;
    for (uint32_t position = 0; position < batch.count; ++position) {
      const std::optional<bool> is_like = semantics::is_like(from.text(position), pattern_);
      if (!is_like) {
        set_bit(hard_.data(), position);
        any_hard = true;
      } else if (*is_like == is_wanted_) {
        set_bit(truths_.data(), position);
      }
    }
    ValueVector made;
    made.truths = truths_.data();
    made.nulls = from.nulls;
    made.hard = any_hard ? in_either(from.hard, hard_.data(), batch.count, hard_) : from.hard;
    return made;
  }

  std::string pattern_;
  bool is_wanted_;
  VectorNodePtr from_;
  VectorBits truths_{};
  VectorBits hard_{};
};

/// ~ and ~* of one pattern, and their contraries. The automaton is the thread's: a batch asks for it once.
class MatchNode final : public VectorNode {
 public:
  MatchNode(std::string_view pattern, bool ignores_case, bool is_wanted, VectorNodePtr from,
            DeadlineCheck* deadline_check)
      : VectorNode(Form::kTruth, 0),
        pattern_(pattern),
        ignores_case_(ignores_case),
        is_wanted_(is_wanted),
        from_(std::move(from)),
        deadline_check_(deadline_check) {}

 private:
  ValueVector compute(const RowBatch& batch) override {
    const ValueVector from = from_->values(batch);
    const auto expression = semantics::kept_expression(pattern_, ignores_case_);
    truths_.fill(0);
    const bool is_done = expression && match(**expression, from, batch.count);
    ValueVector made;
    made.truths = truths_.data();
    made.nulls = from.nulls;
    made.hard = from.hard;
    if (!is_done) {
      hard_.fill(~uint64_t{0});  // The plain evaluation says why.
      made.hard = hard_.data();
    }
    return made;
  }

  /// False: nobody waits for the end any more.
  bool match(semantics::RegularExpression& expression, const ValueVector& from, uint32_t count) {
    for (uint32_t position = 0; position < count; ++position) {
      const std::string_view text = from.text(position);
      if (is_over_before(semantics::match_steps(expression, text.size()))) {
        return false;
      }
      if (semantics::is_found(expression, text) == is_wanted_) {
        set_bit(truths_.data(), position);
      }
    }
    return true;
  }

  [[nodiscard]] bool is_over_before(uint64_t steps) {
    return deadline_check_ != nullptr &&
           (steps > semantics::kLongMatchSteps ? deadline_check_->is_over_now() : deadline_check_->is_over());
  }

  std::string pattern_;
  bool ignores_case_;
  bool is_wanted_;
  VectorNodePtr from_;
  DeadlineCheck* deadline_check_;
  VectorBits truths_{};
  VectorBits hard_{};
};

class PrefixNode final : public VectorNode {
 public:
  PrefixNode(VectorNodePtr text, VectorNodePtr prefix)
      : VectorNode(Form::kTruth, 0), text_(std::move(text)), prefix_(std::move(prefix)) {}

 private:
  ValueVector compute(const RowBatch& batch) override {
    const ValueVector text = text_->values(batch);
    const ValueVector prefix = prefix_->values(batch);
    truths_.fill(0);
    for (uint32_t position = 0; position < batch.count; ++position) {
      if (text.text(position).starts_with(prefix.text(position))) {
        set_bit(truths_.data(), position);
      }
    }
    ValueVector made;
    made.truths = truths_.data();
    made.nulls = in_either(text.nulls, prefix.nulls, batch.count, nulls_);
    made.hard = in_either(text.hard, prefix.hard, batch.count, hard_);
    return made;
  }

  VectorNodePtr text_;
  VectorNodePtr prefix_;
  VectorBits truths_{};
  VectorBits nulls_{};
  VectorBits hard_{};
};

VectorNodePtr make_like_node(const BoundExpression& call, std::string_view sign, const NodeMaker& make) {
  const std::optional<std::string_view> pattern = constant_text(call.arguments[1]);
  VectorNodePtr from = pattern && call.arguments[0].type.kind == TypeKind::kText ? make(call.arguments[0]) : nullptr;
  if (from == nullptr) {
    return nullptr;  // A char(n) is matched with its blanks.
  }
  std::string matched(*pattern);
  if (sign.ends_with('*')) {
    std::transform(matched.begin(), matched.end(), matched.begin(), to_lower);
    from = std::make_shared<LettersNode>(false, std::move(from));
  }
  return std::make_shared<LikeNode>(matched, sign[0] != '!', std::move(from));
}

VectorNodePtr make_match_node(const BoundExpression& call, std::string_view sign, const NodeMaker& make) {
  const std::optional<std::string_view> pattern = constant_text(call.arguments[1]);
  VectorNodePtr from = pattern && call.arguments[0].type.kind == TypeKind::kText ? make(call.arguments[0]) : nullptr;
  return from == nullptr ? nullptr
                         : std::make_shared<MatchNode>(*pattern, sign.ends_with('*'), sign[0] != '!', std::move(from),
                                                       make.pool.deadline_check());
}

}  // namespace

VectorNodePtr make_text_node(const BoundExpression& call, const NodeMaker& make) {
  const semantics::ScalarFunction* function = semantics::find_function(call.function);
  if (function == nullptr || call.arguments.empty() || !semantics::is_string(call.arguments[0].type.kind)) {
    return nullptr;
  }
  const std::string_view name = function->name;
  if (call.arguments.size() == 2 && name.find("~~") != std::string_view::npos) {
    return make_like_node(call, name, make);
  }
  if (call.arguments.size() == 2 && (name == "~" || name == "!~" || name == "~*" || name == "!~*")) {
    return make_match_node(call, name, make);
  }
  const bool is_letters = name == "upper" || name == "lower";
  const bool is_length = name == "length" || name == "char_length" || name == "character_length";
  const bool is_byte_length = name == "octet_length" && call.arguments[0].type.kind == TypeKind::kText;
  const bool is_prefix = name == "starts_with" || name == "^@";
  const size_t wanted = is_letters || is_length || is_byte_length ? 1 : is_prefix || name == "||" ? 2 : 0;
  const bool are_strings =
      std::all_of(call.arguments.begin(), call.arguments.end(),
                  [](const BoundExpression& argument) { return semantics::is_string(argument.type.kind); });
  if (wanted == 0 || call.arguments.size() != wanted || !are_strings) {
    return nullptr;
  }
  VectorNodePtr first = make(call.arguments[0]);
  if (wanted == 1) {
    return is_letters ? VectorNodePtr(std::make_shared<LettersNode>(name == "upper", std::move(first)))
                      : std::make_shared<LengthNode>(is_byte_length, std::move(first));
  }
  VectorNodePtr second = make(call.arguments[1]);
  if (is_prefix) {
    return std::make_shared<PrefixNode>(std::move(first), std::move(second));
  }
  return std::make_shared<JoinNode>(std::move(first), std::move(second));
}

}  // namespace daedalus::engine
