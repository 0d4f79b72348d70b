// AND, OR, NOT, the tests of truth and NULL, CASE, COALESCE: three-valued logic, 64 rows at a time.
//
// All parts are computed for all rows. Which rows would have come to a part decides what becomes of its hard rows.
#include <algorithm>

#include "vector_node.hpp"

namespace daedalus::engine {
namespace {

using semantics::BoundExpression;
using semantics::FunctionId;

uint64_t word_of(const uint64_t* bits, uint32_t word) { return bits != nullptr ? bits[word] : 0; }

/// The bits where some are set, or null.
const uint64_t* unless_empty(const VectorBits& bits, uint32_t count) {
  const auto end = bits.begin() + vector_words(count);
  return std::any_of(bits.begin(), end, [](uint64_t word) { return word != 0; }) ? bits.data() : nullptr;
}

class JointNode final : public VectorNode {
 public:
  JointNode(bool is_or, std::vector<VectorNodePtr> arguments)
      : VectorNode(Form::kTruth, 0), is_or_(is_or), arguments_(std::move(arguments)) {}

 private:
  ValueVector compute(const RowBatch& batch) override {
    const uint32_t words = vector_words(batch.count);
    open_.fill(~uint64_t{0});
    truths_.fill(is_or_ ? 0 : ~uint64_t{0});
    nulls_.fill(0);
    hard_.fill(0);
    for (const VectorNodePtr& argument : arguments_) {
      const ValueVector next = argument->values(batch);
      uint64_t any_open = 0;
      for (uint32_t word = 0; word < words; ++word) {
        take(next, word);
        any_open |= open_[word];
      }
      if (any_open == 0) {
        break;
      }
    }
    for (uint32_t word = 0; word < words; ++word) {
      nulls_[word] &= open_[word];
    }
    ValueVector made;
    made.truths = truths_.data();
    made.nulls = unless_empty(nulls_, batch.count);
    made.hard = unless_empty(hard_, batch.count);
    return made;
  }

  void take(const ValueVector& next, uint32_t word) {
    const uint64_t hard = open_[word] & word_of(next.hard, word);
    hard_[word] |= hard;
    open_[word] &= ~hard;
    const uint64_t nulls = word_of(next.nulls, word);
    const uint64_t deciding = open_[word] & ~nulls & (is_or_ ? next.truths[word] : ~next.truths[word]);
    truths_[word] = is_or_ ? truths_[word] | deciding : truths_[word] & ~deciding;
    open_[word] &= ~deciding;
    nulls_[word] |= open_[word] & nulls;
  }

  bool is_or_;
  std::vector<VectorNodePtr> arguments_;
  VectorBits open_{};  ///< Rows that nothing has decided yet.
  VectorBits truths_{};
  VectorBits nulls_{};
  VectorBits hard_{};
};

class TestNode final : public VectorNode {
 public:
  TestNode(FunctionId function, VectorNodePtr argument)
      : VectorNode(Form::kTruth, 0), function_(function), argument_(std::move(argument)) {}

 private:
  ValueVector compute(const RowBatch& batch) override {
    const ValueVector tested = argument_->values(batch);
    for (uint32_t word = 0; word < vector_words(batch.count); ++word) {
      truths_[word] = truth(tested, word);
    }
    ValueVector made;
    made.truths = truths_.data();
    made.nulls = function_ == FunctionId::kNot ? tested.nulls : nullptr;
    made.hard = tested.hard;
    return made;
  }

  [[nodiscard]] uint64_t truth(const ValueVector& tested, uint32_t word) const {
    const uint64_t nulls = word_of(tested.nulls, word);
    switch (function_) {
      case FunctionId::kIsNull:
        return nulls;
      case FunctionId::kIsNotNull:
        return ~nulls;
      case FunctionId::kNot:
        return ~tested.truths[word];
      case FunctionId::kIsTrue:
        return tested.truths[word] & ~nulls;
      case FunctionId::kIsNotTrue:
        return ~tested.truths[word] | nulls;
      case FunctionId::kIsFalse:
        return ~tested.truths[word] & ~nulls;
      default:
        return tested.truths[word] | nulls;  // kIsNotFalse
    }
  }

  FunctionId function_;
  VectorNodePtr argument_;
  VectorBits truths_{};
};

/// Values that come from one of several nodes, row by row.
class ChoiceNode : public VectorNode {
 protected:
  explicit ChoiceNode(FormOf form) : VectorNode(form.form, form.scale) {}

  void begin() {
    open_.fill(~uint64_t{0});
    buffer_.truths.fill(0);
    buffer_.nulls.fill(0);
    buffer_.hard.fill(0);
    magnitude_ = 0;
    is_wide_ = false;
    if (form() == Form::kText) {  // A value that nobody chooses is looked at all the same.
      std::fill_n(VectorBuffer::room(buffer_.texts), kVectorRows, std::string_view());
    }
  }

  [[nodiscard]] bool is_any_open(uint32_t count) const { return unless_empty(open_, count) != nullptr; }

  /// Rows that would come to a part that is hard there, are hard.
  void take_hard(const ValueVector& part, uint32_t count) {
    for (uint32_t word = 0; part.hard != nullptr && word < vector_words(count); ++word) {
      const uint64_t hard = open_[word] & part.hard[word];
      buffer_.hard[word] |= hard;
      open_[word] &= ~hard;
    }
  }

  /// The chosen rows have this part's values.
  void choose(const ValueVector& part, const VectorBits& chosen, uint32_t count) {
    widen_if(part.wides != nullptr && !is_wide_, count);
    magnitude_ = std::max(magnitude_, part.magnitude);
    for (uint32_t word = 0; word < vector_words(count); ++word) {
      buffer_.nulls[word] |= chosen[word] & word_of(part.nulls, word);
      buffer_.hard[word] |= chosen[word] & word_of(part.hard, word);
      if (form() == Form::kTruth) {
        buffer_.truths[word] |= chosen[word] & part.truths[word];
        continue;
      }
      for (uint64_t bits = chosen[word]; bits != 0; bits &= bits - 1) {
        put(part, word * 64 + static_cast<uint32_t>(__builtin_ctzll(bits)));
      }
    }
  }

  [[nodiscard]] ValueVector made(uint32_t count) {
    ValueVector values;
    values.magnitude = magnitude_;
    values.nulls = unless_empty(buffer_.nulls, count);
    values.hard = unless_empty(buffer_.hard, count);
    switch (form()) {
      case Form::kTruth:
        values.truths = buffer_.truths.data();
        break;
      case Form::kInteger:
        values.integers = is_wide_ ? nullptr : VectorBuffer::room(buffer_.integers);
        values.wides = is_wide_ ? VectorBuffer::room(buffer_.wides) : nullptr;
        break;
      case Form::kFloating:
        values.floatings = VectorBuffer::room(buffer_.floatings);
        break;
      case Form::kText:
        values.texts = VectorBuffer::room(buffer_.texts);
        break;
    }
    return values;
  }

  VectorBits open_{};

 private:
  void widen_if(bool is_wanted, uint32_t count) {
    if (is_wanted) {
      is_wide_ = true;
      std::copy_n(VectorBuffer::room(buffer_.integers), count, VectorBuffer::room(buffer_.wides));
    }
  }

  void put(const ValueVector& part, uint32_t position) {
    if (form() == Form::kFloating) {
      VectorBuffer::room(buffer_.floatings)[position] = part.as_floatings().at(position);
    } else if (form() == Form::kText) {
      VectorBuffer::room(buffer_.texts)[position] = part.text(position);
    } else if (is_wide_) {
      VectorBuffer::room(buffer_.wides)[position] = part.wide(position);
    } else {
      VectorBuffer::room(buffer_.integers)[position] = part.as_integers().at(position);
    }
  }

  VectorBuffer buffer_;
  uint64_t magnitude_ = 0;
  bool is_wide_ = false;
};

class CaseNode final : public ChoiceNode {
 public:
  CaseNode(FormOf form, std::vector<VectorNodePtr> arguments) : ChoiceNode(form), arguments_(std::move(arguments)) {}

 private:
  ValueVector compute(const RowBatch& batch) override {
    begin();
    for (size_t number = 0; number + 1 < arguments_.size() && is_any_open(batch.count); number += 2) {
      const ValueVector condition = arguments_[number]->values(batch);
      take_hard(condition, batch.count);
      uint64_t any = 0;
      for (uint32_t word = 0; word < vector_words(batch.count); ++word) {
        chosen_[word] = open_[word] & condition.truths[word] & ~word_of(condition.nulls, word);
        open_[word] &= ~chosen_[word];
        any |= chosen_[word];
      }
      if (any != 0) {
        choose(arguments_[number + 1]->values(batch), chosen_, batch.count);
      }
    }
    if (is_any_open(batch.count)) {
      choose(arguments_.back()->values(batch), open_, batch.count);
    }
    return made(batch.count);
  }

  std::vector<VectorNodePtr> arguments_;
  VectorBits chosen_{};
};

class CoalesceNode final : public ChoiceNode {
 public:
  CoalesceNode(FormOf form, std::vector<VectorNodePtr> arguments)
      : ChoiceNode(form), arguments_(std::move(arguments)) {}

 private:
  ValueVector compute(const RowBatch& batch) override {
    begin();
    for (const VectorNodePtr& argument : arguments_) {
      const ValueVector next = argument->values(batch);
      take_hard(next, batch.count);
      const bool is_last = &argument == &arguments_.back();
      for (uint32_t word = 0; word < vector_words(batch.count); ++word) {
        chosen_[word] = is_last ? open_[word] : open_[word] & ~word_of(next.nulls, word);
        open_[word] &= ~chosen_[word];
      }
      choose(next, chosen_, batch.count);
      if (!is_any_open(batch.count)) {
        break;
      }
    }
    return made(batch.count);
  }

  std::vector<VectorNodePtr> arguments_;
  VectorBits chosen_{};
};

/// The arguments' nodes; none where one has no form.
std::vector<VectorNodePtr> nodes_of(const std::vector<BoundExpression>& arguments, const NodeMaker& make) {
  std::vector<VectorNodePtr> nodes;
  for (const BoundExpression& argument : arguments) {
    nodes.push_back(make(argument));
    if (nodes.back() == nullptr) {
      return {};
    }
  }
  return nodes;
}

/// Returns whether numerics among the values of a choice all have the digits of the result.
bool have_scale(const std::vector<VectorNodePtr>& nodes, FormOf form) {
  return form.form != Form::kInteger || std::all_of(nodes.begin(), nodes.end(), [&](const VectorNodePtr& node) {
           return node->form() != Form::kInteger || node->scale() == form.scale;
         });
}

}  // namespace

VectorNodePtr make_form_node(const BoundExpression& call, const NodeMaker& make) {
  switch (call.function) {
    case FunctionId::kAnd:
    case FunctionId::kOr:
    case FunctionId::kNot:
    case FunctionId::kIsNull:
    case FunctionId::kIsNotNull:
    case FunctionId::kIsTrue:
    case FunctionId::kIsNotTrue:
    case FunctionId::kIsFalse:
    case FunctionId::kIsNotFalse:
    case FunctionId::kCase:
    case FunctionId::kCoalesce:
      break;
    default:
      return nullptr;
  }
  std::vector<VectorNodePtr> nodes = nodes_of(call.arguments, make);
  if (nodes.empty()) {
    return nullptr;
  }
  const FormOf form = *form_of(call);
  switch (call.function) {
    case FunctionId::kAnd:
    case FunctionId::kOr:
      return std::make_shared<JointNode>(call.function == FunctionId::kOr, std::move(nodes));
    case FunctionId::kCase:
      return have_scale(nodes, form) ? std::make_shared<CaseNode>(form, std::move(nodes)) : nullptr;
    case FunctionId::kCoalesce:
      return have_scale(nodes, form) ? std::make_shared<CoalesceNode>(form, std::move(nodes)) : nullptr;
    default:
      return std::make_shared<TestNode>(call.function, std::move(nodes[0]));
  }
}

}  // namespace daedalus::engine
