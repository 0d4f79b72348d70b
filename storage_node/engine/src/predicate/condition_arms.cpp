#include "condition_arms.hpp"

#include <algorithm>
#include <array>

#include "clause_products.hpp"

namespace daedalus::engine {
namespace {

using semantics::Condition;

/// Literals of an alternative that are looked at: further ones leave it as it is, only less selective.
constexpr size_t kTermsMax = 16;

class ArmWriter {
 public:
  ArmWriter(const Sketches& sketches, const TableLayout& layout, ArmBounds bounds, ConditionArms& out)
      : sketches_(sketches), layout_(layout), bounds_(bounds), out_(out) {}

  /// All arms that are written until pop() hold this literal.
  void push(const CompiledLiteral& literal, const uint8_t* constants) {
    const ColumnLayout& column = layout_.columns[literal.column];
    const bool is_plain_range = literal.kind == CompiledLiteral::Kind::kRange && !literal.negated;
    if (terms_.size() == kTermsMax || (!is_plain_range && !literal.is_equality())) {
      return;
    }
    const auto first = static_cast<uint32_t>(values_.size());
    if (!is_plain_range) {
      if (member_count(column, literal) > bounds_.members_max) {
        return;
      }
      for_each_member(column, literal, constants, [this](const CodedValue& value) { values_.push_back(value); });
    }
    terms_.push_back({literal, first, static_cast<uint32_t>(values_.size()) - first});
  }

  struct Height {
    size_t terms = 0;
    size_t values = 0;
  };
  [[nodiscard]] Height height() const { return {terms_.size(), values_.size()}; }
  void pop(Height to) {
    terms_.resize(to.terms);
    values_.resize(to.values);
  }

  /// Writes the arms of a condition that holds together with what was pushed.
  [[nodiscard]] bool write(const Condition& condition) {
    const Height before = height();
    std::vector<const Condition*> disjunctions;
    const bool is_written = !collect(condition, disjunctions) || write_any(disjunctions);
    pop(before);
    return is_written;
  }

  /// Writes the arm of what was pushed. False: it names no values, or there is no room.
  [[nodiscard]] bool write() {
    choices_.clear();
    for (const Term& term : terms_) {
      if (!consider(term)) {
        return true;  // No row can hold that.
      }
    }
    std::sort(choices_.begin(), choices_.end(), [](const Choice& left, const Choice& right) {
      return left.commonest != right.commonest ? left.commonest < right.commonest : left.column < right.column;
    });
    choices_.resize(std::min<size_t>(choices_.size(), bounds_.columns_max));
    std::sort(choices_.begin(), choices_.end(),
              [](const Choice& left, const Choice& right) { return left.column < right.column; });
    const ConditionArms::Arm arm{static_cast<uint32_t>(out_.named.size()), static_cast<uint32_t>(choices_.size())};
    for (const Choice& choice : choices_) {
      write_named(choice);
    }
    out_.arms.push_back(arm);
    return !choices_.empty() && out_.members.size() <= bounds_.members_max;
  }

  /// Returns where what is written now begins, so that it can be taken back.
  [[nodiscard]] std::array<size_t, 3> place() const {
    return {out_.arms.size(), out_.named.size(), out_.members.size()};
  }
  void take_back(const std::array<size_t, 3>& to) {
    out_.arms.resize(to[0]);
    out_.named.resize(to[1]);
    out_.members.resize(to[2]);
  }

 private:
  struct Term {
    CompiledLiteral literal;
    uint32_t first = 0;  ///< In values_, but for ranges.
    uint32_t count = 0;
  };
  /// Holds what an arm may name of one column.
  struct Choice {
    uint32_t column = 0;
    double commonest = 0;
    uint32_t count = 0;
    const Term* listed = nullptr;  ///< Null: the values of `range`.
    CompiledLiteral range;
  };

  /// Pushes literals of a conjunction and lists its disjunctions. False: it never holds.
  bool collect(const Condition& condition, std::vector<const Condition*>& disjunctions) {
    switch (condition.kind) {
      case Condition::Kind::kNever:
        return false;
      case Condition::Kind::kAlways:
        return true;
      case Condition::Kind::kOr:
        disjunctions.push_back(&condition);
        return true;
      case Condition::Kind::kAnd:
        return std::all_of(condition.children.begin(), condition.children.end(),
                           [&](const Condition& child) { return collect(child, disjunctions); });
      case Condition::Kind::kLiteral:
        break;
    }
    CompiledLiteral literal;
    constants_.clear();
    const Verdict verdict =
        compile_literal(layout_.columns[condition.literal.column], condition.literal, literal, constants_);
    if (verdict == Verdict::kDepends) {
      push(literal, constants_.data());
    }
    return verdict != Verdict::kNever;
  }

  /// One of the disjunctions is written out, the shortest whose alternatives all name values.
  bool write_any(std::vector<const Condition*>& disjunctions) {
    std::stable_sort(disjunctions.begin(), disjunctions.end(), [](const Condition* left, const Condition* right) {
      return left->children.size() < right->children.size();
    });
    for (const Condition* disjunction : disjunctions) {
      const std::array<size_t, 3> before = place();
      const auto writes = [this](const Condition& child) { return write(child); };
      if (std::all_of(disjunction->children.begin(), disjunction->children.end(), writes)) {
        return true;
      }
      take_back(before);
    }
    return write();
  }

  /// Adds what a term names to choices_. False: it and another one rule each other out.
  bool consider(const Term& term) {
    Choice choice{.column = term.literal.column, .count = term.count, .listed = &term, .range = {}};
    const ColumnLayout& column = layout_.columns[choice.column];
    if (term.literal.kind == CompiledLiteral::Kind::kRange) {
      choice.listed = nullptr;
      choice.range = term.literal;
      for (const Term& other : terms_) {
        if (other.literal.kind == CompiledLiteral::Kind::kRange && other.literal.column == choice.column) {
          choice.range.codes = {std::max(choice.range.codes.low, other.literal.codes.low),
                                std::min(choice.range.codes.high, other.literal.codes.high)};
        }
      }
      if (holds_no_value(column.code, choice.range.codes)) {
        return false;
      }
      choice.count = member_count(column, choice.range);
    }
    const auto known =
        std::find_if(choices_.begin(), choices_.end(), [&](const Choice& one) { return one.column == choice.column; });
    if (choice.count > 0 && known == choices_.end()) {
      choice.commonest = sketches_.histogram(choice.column).commonest_share();
      choices_.push_back(choice);
    } else if (choice.count > 0 && choice.count < known->count) {
      choice.commonest = known->commonest;
      *known = choice;
    }
    return true;
  }

  void write_named(const Choice& choice) {
    const auto first = static_cast<uint32_t>(out_.members.size());
    if (choice.listed != nullptr) {
      out_.members.insert(out_.members.end(), values_.begin() + choice.listed->first,
                          values_.begin() + choice.listed->first + choice.listed->count);
    } else {
      for_each_member(layout_.columns[choice.column], choice.range, nullptr,
                      [this](const CodedValue& value) { out_.members.push_back(value); });
    }
    const auto count = static_cast<uint32_t>(out_.members.size()) - first;
    const bool is_range = choice.listed == nullptr && choice.range.codes.low != choice.range.codes.high;
    out_.named.push_back({choice.column, first, count, is_range});
  }

  const Sketches& sketches_;
  const TableLayout& layout_;
  ArmBounds bounds_;
  ConditionArms& out_;
  std::vector<Term> terms_;
  std::vector<CodedValue> values_;
  std::vector<Choice> choices_;
  NativeBytes constants_;
};

void push_single(const CompiledPredicate& predicate, std::span<const uint32_t> clauses, ArmWriter& writer) {
  for (const uint32_t clause : clauses) {
    const CompiledClause& it = predicate.clauses()[clause];
    if (it.count == 1) {
      writer.push(predicate.literals(it)[0], predicate.constants());
    }
  }
}

}  // namespace

bool append_arms(const Sketches& sketches, const TableLayout& layout, const CompiledPredicate& predicate,
                 std::span<const uint32_t> clauses, ArmBounds bounds, ConditionArms& out) {
  ArmWriter writer(sketches, layout, bounds, out);
  const std::array<size_t, 3> before = writer.place();
  const std::vector<ClauseProduct> products = products_of(predicate, clauses);
  if (products.empty()) {
    return false;
  }
  for (const ClauseProduct& product : products) {
    const ArmWriter::Height height = writer.height();
    for (const CompiledLiteral* literal : product) {
      writer.push(*literal, predicate.constants());
    }
    push_single(predicate, clauses, writer);
    const bool is_written = writer.write();
    writer.pop(height);
    if (!is_written) {
      writer.take_back(before);
      return false;
    }
  }
  return true;
}

bool append_arms(const Sketches& sketches, const TableLayout& layout, const CompiledPredicate& predicate,
                 const Condition& tree, std::span<const uint32_t> clauses, ArmBounds bounds, ConditionArms& out) {
  ArmWriter writer(sketches, layout, bounds, out);
  const std::array<size_t, 3> before = writer.place();
  push_single(predicate, clauses, writer);
  if (!writer.write(tree)) {
    writer.take_back(before);
    return false;
  }
  return true;
}

}  // namespace daedalus::engine
