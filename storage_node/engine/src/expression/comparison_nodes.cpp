// Comparisons, IN, and what compares beside NULL: IS DISTINCT FROM, NULLIF.
#include <algorithm>
#include <optional>

#include "daedalus/semantics/scalar_function.hpp"
#include "vector_node.hpp"

namespace daedalus::engine {
namespace {

using semantics::BoundExpression;
using semantics::FunctionId;

std::optional<CompareOp> op_of(std::string_view sign) {
  constexpr std::pair<std::string_view, CompareOp> kSigns[] = {
      {"=", CompareOp::kEqual},        {"<>", CompareOp::kNotEqual}, {"<", CompareOp::kLess},
      {"<=", CompareOp::kLessOrEqual}, {">", CompareOp::kGreater},   {">=", CompareOp::kGreaterOrEqual},
  };
  const auto* found =
      std::find_if(std::begin(kSigns), std::end(kSigns), [&](const auto& each) { return each.first == sign; });
  return found != std::end(kSigns) ? std::optional(found->second) : std::nullopt;
}

/// Calls test(position) for each row and puts its bits together.
template <typename Test>
void mark_rows_by(uint32_t count, VectorBits& truths, Test test) {
  for (uint32_t first = 0; first < count; first += 64) {
    uint64_t bits = 0;
    for (uint32_t position = first; position < std::min(first + 64, count); ++position) {
      bits |= uint64_t{test(position)} << (position - first);
    }
    truths[first / 64] = bits;
  }
}

constexpr Int128 power_of_ten(int32_t exponent) {
  Int128 power = 1;
  for (; exponent > 0; --exponent) {
    power *= 10;
  }
  return power;
}

/// Compares values of two vectors of one form.
class VectorComparison {
 public:
  /// Numerics of two scales are compared at the larger one.
  VectorComparison(const VectorNode& left, const VectorNode& right) : form_(left.form()) {
    const int32_t scale = std::max(left.scale(), right.scale());
    left_factor_ = power_of_ten(scale - left.scale());
    right_factor_ = power_of_ten(scale - right.scale());
  }

  /// hard: rows whose values are too long to be compared here are set in it.
  void mark(CompareOp op, const ValueVector& a, const ValueVector& b, uint32_t count, VectorBits& truths,
            VectorBits& hard) const {
    switch (form_) {
      case Form::kTruth:
        return mark_truths(op, a, b, count, truths);
      case Form::kFloating:
        return compare_vectors(op, a.as_floatings(), b.as_floatings(), count, truths.data());
      case Form::kText:
        if (op == CompareOp::kEqual) {  // Most differ in length.
          return mark_rows_by(count, truths, [&](uint32_t position) { return a.text(position) == b.text(position); });
        }
        return mark_rows_by(count, truths,
                            [&](uint32_t position) { return holds(op, a.text(position).compare(b.text(position))); });
      case Form::kInteger:
        break;
    }
    if (a.wides == nullptr && b.wides == nullptr && left_factor_ == 1 && right_factor_ == 1) {
      return compare_vectors(op, a.as_integers(), b.as_integers(), count, truths.data());
    }
    mark_rows_by(count, truths, [&](uint32_t position) {
      Int128 left = 0;
      Int128 right = 0;
      if (__builtin_mul_overflow(a.wide(position), left_factor_, &left) ||
          __builtin_mul_overflow(b.wide(position), right_factor_, &right)) {
        set_bit(hard.data(), position);
      }
      return holds(op, static_cast<int>(left > right) - static_cast<int>(left < right));
    });
  }

 private:
  /// False is below true.
  static void mark_truths(CompareOp op, const ValueVector& a, const ValueVector& b, uint32_t count,
                          VectorBits& truths) {
    for (uint32_t word = 0; word < vector_words(count); ++word) {
      const uint64_t left = a.truths[word];
      const uint64_t right = b.truths[word];
      truths[word] = op == CompareOp::kEqual         ? ~(left ^ right)
                     : op == CompareOp::kNotEqual    ? left ^ right
                     : op == CompareOp::kLess        ? ~left & right
                     : op == CompareOp::kLessOrEqual ? ~left | right
                     : op == CompareOp::kGreater     ? left & ~right
                                                     : left | ~right;
    }
  }

  Form form_;
  Int128 left_factor_ = 1;
  Int128 right_factor_ = 1;
};

/// Returns what is hard in either, in room of its own, so that more can be added.
const uint64_t* joined_hard(const ValueVector& a, const ValueVector& b, uint32_t count, VectorBits& hard) {
  uint64_t any = 0;
  for (uint32_t word = 0; word < vector_words(count); ++word) {
    hard[word] |= (a.hard != nullptr ? a.hard[word] : 0) | (b.hard != nullptr ? b.hard[word] : 0);
    any |= hard[word];
  }
  return any != 0 ? hard.data() : nullptr;
}

class ComparisonNode final : public VectorNode {
 public:
  ComparisonNode(CompareOp op, VectorNodePtr left, VectorNodePtr right)
      : VectorNode(Form::kTruth, 0),
        op_(op),
        comparison_(*left, *right),
        left_(std::move(left)),
        right_(std::move(right)) {}

 private:
  ValueVector compute(const RowBatch& batch) override {
    const ValueVector a = left_->values(batch);
    const ValueVector b = right_->values(batch);
    hard_.fill(0);
    comparison_.mark(op_, a, b, batch.count, truths_, hard_);
    ValueVector made;
    made.truths = truths_.data();
    made.nulls = in_either(a.nulls, b.nulls, batch.count, nulls_);
    made.hard = joined_hard(a, b, batch.count, hard_);
    return made;
  }

  CompareOp op_;
  VectorComparison comparison_;
  VectorNodePtr left_;
  VectorNodePtr right_;
  VectorBits truths_{};
  VectorBits nulls_{};
  VectorBits hard_{};
};

/// IS [NOT] DISTINCT FROM.
class DistinctNode final : public VectorNode {
 public:
  DistinctNode(bool is_distinct, VectorNodePtr left, VectorNodePtr right)
      : VectorNode(Form::kTruth, 0),
        is_distinct_(is_distinct),
        comparison_(*left, *right),
        left_(std::move(left)),
        right_(std::move(right)) {}

 private:
  ValueVector compute(const RowBatch& batch) override {
    const ValueVector a = left_->values(batch);
    const ValueVector b = right_->values(batch);
    hard_.fill(0);
    comparison_.mark(CompareOp::kEqual, a, b, batch.count, truths_, hard_);
    for (uint32_t word = 0; word < vector_words(batch.count); ++word) {
      const uint64_t left = a.nulls != nullptr ? a.nulls[word] : 0;
      const uint64_t right = b.nulls != nullptr ? b.nulls[word] : 0;
      const uint64_t same = (truths_[word] & ~left & ~right) | (left & right);
      truths_[word] = is_distinct_ ? ~same : same;
    }
    ValueVector made;
    made.truths = truths_.data();
    made.hard = joined_hard(a, b, batch.count, hard_);
    return made;
  }

  bool is_distinct_;
  VectorComparison comparison_;
  VectorNodePtr left_;
  VectorNodePtr right_;
  VectorBits truths_{};
  VectorBits hard_{};
};

/// The first, and NULL where it is the second.
class NullIfNode final : public VectorNode {
 public:
  NullIfNode(FormOf form, VectorNodePtr left, VectorNodePtr right)
      : VectorNode(form.form, form.scale),
        comparison_(*left, *right),
        left_(std::move(left)),
        right_(std::move(right)) {}

 private:
  ValueVector compute(const RowBatch& batch) override {
    ValueVector made = left_->values(batch);
    const ValueVector b = right_->values(batch);
    hard_.fill(0);
    comparison_.mark(CompareOp::kEqual, made, b, batch.count, nulls_, hard_);
    for (uint32_t word = 0; word < vector_words(batch.count); ++word) {
      const uint64_t right = b.nulls != nullptr ? b.nulls[word] : 0;
      nulls_[word] = (nulls_[word] & ~right) | (made.nulls != nullptr ? made.nulls[word] : 0);
    }
    made.hard = joined_hard(made, b, batch.count, hard_);
    made.nulls = nulls_.data();
    return made;
  }

  VectorComparison comparison_;
  VectorNodePtr left_;
  VectorNodePtr right_;
  VectorBits nulls_{};
  VectorBits hard_{};
};

/// [NOT] IN a list of constants that are not NULL.
class ListNode final : public VectorNode {
 public:
  ListNode(bool is_in, VectorNodePtr value, std::vector<VectorNodePtr> members)
      : VectorNode(Form::kTruth, 0), is_in_(is_in), value_(std::move(value)), members_(std::move(members)) {
    for (const VectorNodePtr& member : members_) {
      comparisons_.emplace_back(*value_, *member);
    }
  }

 private:
  ValueVector compute(const RowBatch& batch) override {
    const ValueVector value = value_->values(batch);
    const uint32_t words = vector_words(batch.count);
    truths_.fill(0);
    hard_.fill(0);
    for (size_t number = 0; number < members_.size(); ++number) {
      comparisons_[number].mark(CompareOp::kEqual, value, members_[number]->values(batch), batch.count, one_, hard_);
      for (uint32_t word = 0; word < words; ++word) {
        truths_[word] |= one_[word];
      }
    }
    for (uint32_t word = 0; word < words && !is_in_; ++word) {
      truths_[word] = ~truths_[word];
    }
    ValueVector made;
    made.truths = truths_.data();
    made.nulls = value.nulls;
    made.hard = joined_hard(value, {}, batch.count, hard_);
    return made;
  }

  bool is_in_;
  VectorNodePtr value_;
  std::vector<VectorNodePtr> members_;
  std::vector<VectorComparison> comparisons_;
  VectorBits truths_{};
  VectorBits one_{};
  VectorBits hard_{};
};

VectorNodePtr make_list_node(const BoundExpression& call, const NodeMaker& make) {
  /// Longer lists are for a search, which the plain evaluation has not either.
  constexpr size_t kMembersMax = 64;
  const auto is_known = [](const BoundExpression& member) {
    return member.is_constant() && !semantics::is_null(member.value);
  };
  if (call.arguments.size() > kMembersMax || !std::all_of(call.arguments.begin() + 1, call.arguments.end(), is_known)) {
    return nullptr;
  }
  VectorNodePtr value = make(call.arguments[0]);
  std::vector<VectorNodePtr> members;
  for (size_t number = 1; number < call.arguments.size(); ++number) {
    members.push_back(make(call.arguments[number]));
    if (value == nullptr || members.back() == nullptr || members.back()->form() != value->form()) {
      return nullptr;
    }
  }
  return std::make_shared<ListNode>(call.function == FunctionId::kIn, std::move(value), std::move(members));
}

}  // namespace

VectorNodePtr make_comparison_node(const BoundExpression& call, const NodeMaker& make) {
  const bool has_blanks =
      std::any_of(call.arguments.begin(), call.arguments.end(),
                  [](const BoundExpression& argument) { return semantics::has_own_blanks(argument.type); });
  if (has_blanks) {
    return nullptr;  // Texts are compared whole here, and those blanks do not count.
  }
  if (call.function == FunctionId::kIn || call.function == FunctionId::kNotIn) {
    return make_list_node(call, make);
  }
  const bool is_distinct = call.function == FunctionId::kIsDistinct;
  const bool is_pair = is_distinct || call.function == FunctionId::kIsNotDistinct;
  const bool is_null_if = call.function == FunctionId::kNullIf;
  const semantics::ScalarFunction* function = semantics::find_function(call.function);
  const bool is_comparison = function != nullptr && function->is_operator && call.arguments.size() == 2 &&
                             call.type.kind == semantics::TypeKind::kBool;
  const std::optional<CompareOp> op = is_comparison ? op_of(function->name) : std::nullopt;
  if (!op && !is_pair && !is_null_if) {
    return nullptr;
  }
  VectorNodePtr left = make(call.arguments[0]);
  VectorNodePtr right = make(call.arguments[1]);
  if (left == nullptr || right == nullptr || left->form() != right->form()) {
    return nullptr;
  }
  if (is_null_if) {
    return std::make_shared<NullIfNode>(*form_of(call), std::move(left), std::move(right));
  }
  if (is_pair) {
    return std::make_shared<DistinctNode>(is_distinct, std::move(left), std::move(right));
  }
  return std::make_shared<ComparisonNode>(*op, std::move(left), std::move(right));
}

}  // namespace daedalus::engine
