#include "compiled_tree.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include "branches.hpp"
#include "kernels_bitmap.hpp"

namespace daedalus::engine {
namespace {

using semantics::Condition;
using semantics::Literal;

/// A disjunction of so many alternatives that name values of one column is entered by the value.
constexpr size_t kChoiceMin = 8;
/// Literals of one case, at most: a row looks at them one by one.
constexpr size_t kCaseLiteralsMax = 64;

size_t leaf_count(const Condition& condition) {
  size_t count = condition.kind == Condition::Kind::kLiteral ? 1 : 0;
  for (const Condition& child : condition.children) {
    count += leaf_count(child);
  }
  return count;
}

bool names_one_value(const Condition& condition) {
  return condition.kind == Condition::Kind::kLiteral && condition.literal.kind == Literal::Kind::kCompare &&
         condition.literal.op == semantics::Operator::kEqual;
}

bool implies_list(const TableLayout& layout, const Literal& literal, const CompiledLiteral& list,
                  const uint8_t* constants) {
  if (literal.column != list.column) {
    return false;
  }
  NativeBytes own_constants;
  CompiledLiteral own;
  const Verdict verdict = compile_literal(layout.columns[literal.column], literal, own, own_constants);
  if (verdict != Verdict::kDepends || !own.is_equality()) {
    return verdict == Verdict::kNever;
  }
  bool is_within = true;
  for_each_member(layout.columns[literal.column], own, own_constants.data(), [&](const CodedValue& value) {
    is_within = is_within && has_member_code(list, constants, value.code);
  });
  return is_within;
}

/// Calls use(literal) for each value that an alternative names: it holds for no other value of those columns.
template <typename Use>
void for_each_named(const Condition& alternative, Use&& use) {
  if (names_one_value(alternative)) {
    use(alternative.literal);
  } else if (alternative.kind == Condition::Kind::kAnd) {
    for (const Condition& child : alternative.children) {
      if (names_one_value(child)) {
        use(child.literal);
      }
    }
  }
}

}  // namespace

bool implies_list(const TableLayout& layout, const Condition& tree, const CompiledLiteral& list,
                  const uint8_t* constants) {
  const auto implies = [&](const Condition& child) { return implies_list(layout, child, list, constants); };
  switch (tree.kind) {
    case Condition::Kind::kNever:
      return true;
    case Condition::Kind::kAlways:
      return false;
    case Condition::Kind::kLiteral:
      return implies_list(layout, tree.literal, list, constants);
    case Condition::Kind::kAnd:
      return std::any_of(tree.children.begin(), tree.children.end(), implies);
    case Condition::Kind::kOr:
      return std::all_of(tree.children.begin(), tree.children.end(), implies);
  }
  check_failed("a known condition", __FILE__, __LINE__);
}

/// Writes steps from the last to the first: where a step leads to is known when it is written.
class TreeCompiler {
 public:
  using Alternatives = std::vector<const Condition*>;

  TreeCompiler(const Compiled& compiled, CompiledTree& tree) : compiled_(compiled), tree_(tree) {}

  /// Returns where to enter so that one gets to if_true when the condition holds and to if_false when not.
  uint32_t emit(const Condition& condition, uint32_t if_true, uint32_t if_false) {
    switch (condition.kind) {
      case Condition::Kind::kLiteral:
        return emit_literal(condition.literal, if_true, if_false);
      case Condition::Kind::kAnd: {
        uint32_t entry = if_true;
        for (auto child = condition.children.rbegin(); child != condition.children.rend(); ++child) {
          entry = emit(*child, entry, if_false);
        }
        return entry;
      }
      case Condition::Kind::kOr: {
        Alternatives alternatives;
        for (const Condition& child : condition.children) {
          alternatives.push_back(&child);
        }
        return emit_any(alternatives, if_true, if_false);
      }
      case Condition::Kind::kAlways:
      case Condition::Kind::kNever:
        break;
    }
    return condition.kind == Condition::Kind::kAlways ? if_true : if_false;
  }

 private:
  using Step = CompiledTree::Step;

  uint32_t add_step(const Step& step) {
    tree_.steps_.push_back(step);
    return static_cast<uint32_t>(tree_.steps_.size()) - 1;
  }

  uint32_t emit_literal(const Literal& literal, uint32_t if_true, uint32_t if_false) {
    if (if_true == if_false) {
      return if_true;  // Beside an alternative that always holds, say: nothing depends on it, so it is no leaf.
    }
    const ColumnLayout& column = compiled_.layout->columns[literal.column];
    CompiledLiteral made;
    Verdict verdict = compile_literal(column, literal, made, *compiled_.constants);
    if (verdict == Verdict::kIfNotNull && column.nullable) {
      made = CompiledLiteral{.kind = CompiledLiteral::Kind::kIsNotNull, .column = literal.column};
      verdict = Verdict::kDepends;
    }
    if (verdict != Verdict::kDepends) {
      return verdict == Verdict::kNever ? if_false : if_true;
    }
    compiled_.literals->push_back(made);
    const auto number = static_cast<uint32_t>(compiled_.literals->size()) - 1;
    return add_step({.number = number, .if_true = if_true, .if_false = if_false});
  }

  template <typename List>
  uint32_t emit_one_by_one(const List& alternatives, uint32_t if_true, uint32_t if_false) {
    uint32_t entry = if_false;
    for (auto alternative = alternatives.rbegin(); alternative != alternatives.rend(); ++alternative) {
      entry = emit(**alternative, if_true, entry);
    }
    return entry;
  }

  /// Alternatives that name one value, in their order.
  struct Coded {
    uint64_t code = 0;
    std::span<const Condition* const> same;
  };

  /// Brings alternatives that name values of a column together and drops them from the others. Empty: a choice among
  /// them is not worth it. `sorted` holds what the result names.
  [[nodiscard]] std::vector<Coded> coded(uint32_t column, Alternatives& others, Alternatives& sorted) {
    std::vector<std::pair<uint64_t, const Condition*>> named;
    std::erase_if(others, [&](const Condition* alternative) {
      const std::optional<uint64_t> code = code_named(*alternative, column);
      if (code.has_value()) {
        named.emplace_back(*code, alternative);
      }
      return code.has_value();
    });
    std::stable_sort(named.begin(), named.end(),
                     [](const auto& left, const auto& right) { return left.first < right.first; });
    for (const auto& [code, alternative] : named) {
      sorted.push_back(alternative);
    }
    std::vector<Coded> cases;
    for (size_t first = 0, end = 0; first < named.size(); first = end) {
      size_t leaves = 0;
      for (; end < named.size() && named[end].first == named[first].first; ++end) {
        leaves += leaf_count(*named[end].second);
      }
      if (leaves > kCaseLiteralsMax) {
        return {};
      }
      cases.push_back({named[first].first, std::span(sorted).subspan(first, end - first)});
    }
    return cases.size() > 1 ? cases : std::vector<Coded>();
  }

  uint32_t emit_any(const Alternatives& alternatives, uint32_t if_true, uint32_t if_false) {
    const std::optional<uint32_t> column = column_named_most(alternatives);
    if (!column.has_value()) {
      return emit_one_by_one(alternatives, if_true, if_false);
    }
    Alternatives others = alternatives;
    Alternatives sorted;
    const std::vector<Coded> by_code = coded(*column, others, sorted);
    if (by_code.empty()) {
      return emit_one_by_one(alternatives, if_true, if_false);
    }
    const uint32_t otherwise = emit_one_by_one(others, if_true, if_false);
    const auto floor = static_cast<uint32_t>(tree_.steps_.size());
    std::vector<CompiledTree::Case> cases;
    cases.reserve(by_code.size());
    for (const Coded& one : by_code) {
      cases.push_back({one.code, emit_one_by_one(one.same, if_true, otherwise)});
    }
    if (std::all_of(cases.begin(), cases.end(), [&](const auto& one) { return one.step == otherwise; })) {
      return otherwise;  // Beside an alternative that always holds, say: a choice without a difference has no leaf.
    }
    const auto first_case = static_cast<uint32_t>(tree_.cases_.size());
    tree_.cases_.insert(tree_.cases_.end(), cases.begin(), cases.end());
    tree_.choices_.push_back({*column, first_case, static_cast<uint32_t>(cases.size()), floor});
    return add_step(
        {.is_choice = true, .number = static_cast<uint32_t>(tree_.choices_.size()) - 1, .if_false = otherwise});
  }

  [[nodiscard]] static std::optional<uint32_t> column_named_most(const Alternatives& alternatives) {
    if (alternatives.size() < kChoiceMin) {
      return std::nullopt;
    }
    std::map<uint32_t, size_t> counts;
    for (const Condition* alternative : alternatives) {
      for_each_named(*alternative, [&](const Literal& literal) { ++counts[literal.column]; });
    }
    const auto most = std::max_element(counts.begin(), counts.end(),
                                       [](const auto& left, const auto& right) { return left.second < right.second; });
    return most != counts.end() && most->second >= kChoiceMin ? std::optional(most->first) : std::nullopt;
  }

  /// The code of the value of a column that an alternative names; nothing where it names none that the column can hold.
  [[nodiscard]] std::optional<uint64_t> code_named(const Condition& alternative, uint32_t column) {
    std::optional<uint64_t> code;
    for_each_named(alternative, [&](const Literal& literal) {
      if (literal.column != column || code.has_value()) {
        return;
      }
      CompiledLiteral made;
      unused_.clear();
      const Verdict verdict = compile_literal(compiled_.layout->columns[column], literal, made, unused_);
      if (verdict == Verdict::kDepends && made.is_equality() && made.codes.low == made.codes.high) {
        code = made.codes.low;
      }
    });
    return code;
  }

  const Compiled& compiled_;
  CompiledTree& tree_;
  NativeBytes unused_;
};

Verdict CompiledTree::compile(const Condition& tree, const Compiled& compiled) {
  entry_ = TreeCompiler(compiled, *this).emit(tree, kHolds, kFails);
  return entry_ == kHolds ? Verdict::kIfNotNull : entry_ == kFails ? Verdict::kNever : Verdict::kDepends;
}

uint32_t CompiledTree::next(const Question& question, uint32_t step, uint32_t row) const {
  const Step& it = steps_[step];
  if (it.is_choice) {
    return chosen(question, it, row);
  }
  const CompiledLiteral& literal = question.literals[it.number];
  const bool is_true =
      row_matches(question.layout->columns[literal.column], literal, question.constants, *question.chunk, row);
  return is_true ? it.if_true : it.if_false;
}

uint32_t CompiledTree::chosen(const Question& question, const Step& step, uint32_t row) const {
  mark_branch(Branch::kTreeChoice);
  const Choice& choice = choices_[step.number];
  const ColumnLayout& layout = question.layout->columns[choice.column];
  if (layout.nullable && test_bit(question.chunk->nulls[choice.column], row)) {
    return step.if_false;
  }
  const uint64_t code = code_of(layout.code, question.chunk->planes[choice.column] + size_t{row} * layout.stride);
  const Case* const first = cases_.data() + choice.first_case;
  const Case* const end = first + choice.case_count;
  const Case* const found =
      std::lower_bound(first, end, code, [](const Case& one, uint64_t wanted) { return one.code < wanted; });
  return found != end && found->code == code ? found->step : step.if_false;
}

bool CompiledTree::holds(const TableLayout& layout, const CompiledLiteral* literals, const uint8_t* constants,
                         const ChunkView& chunk, uint32_t row) const {
  mark_branch(Branch::kTreeOfRow);
  return run({&layout, literals, constants, &chunk}, entry_, 0, row) == kHolds;
}

/// Takes a chunk's rows through the steps together.
class TreePass {
 public:
  TreePass(const CompiledTree& tree, const CompiledTree::Question& question, ChunkSketches sketches,
           SelectionScratch& scratch)
      : tree_(tree),
        question_(question),
        marker_(*question.layout, question.constants, *question.chunk, sketches),
        row_test_cost_(row_test_cost(sketches)),
        scratch_(scratch),
        words_(question.chunk->word_count()) {}

  /// The rows that get to the end that they should; `selection` is what enters.
  void run(uint64_t* selection) {
    scratch_.place_of.assign(tree_.steps_.size(), kNowhere);
    free_.clear();
    used_ = 0;
    add(tree_.entry_, selection);
    std::fill_n(selection, words_, 0);
    for (uint32_t step = tree_.entry_ + 1; step-- > 0;) {
      if (scratch_.place_of[step] != kNowhere) {
        leave(step, selection);
      }
    }
  }

 private:
  static constexpr uint32_t kNowhere = UINT32_MAX;

  void leave(uint32_t step, uint64_t* selection) {
    const uint32_t place = scratch_.place_of[step];
    const CompiledTree::Step& it = tree_.steps_[step];
    uint64_t* rows = scratch_.waiting[place].data();
    const bool is_few = count_bits(rows, words_) * row_test_cost_ < question_.chunk->row_count;
    if (it.is_choice || is_few) {
      // A choice is left row by row, but no further than its cases reach: what comes then is for all rows together.
      const uint32_t floor = is_few ? 0 : tree_.choices_[it.number].floor;
      for_each_bit(rows, words_, [&](uint32_t row) {
        const uint32_t to = tree_.run(question_, step, floor, row);
        if (to == CompiledTree::kHolds) {
          set_bit(selection, row);
        } else if (to != CompiledTree::kFails) {
          set_bit(scratch_.waiting[place_for(to)].data(), row);
        }
      });
    } else {
      const CompiledLiteral& literal = question_.literals[it.number];
      uint64_t* matching = scratch_.literal.data();
      marker_.mark(literal, rows, matching);
      and_into(matching, rows, words_);
      and_not_into(rows, matching, words_);
      pass_on(it.if_true, matching, selection);
      pass_on(it.if_false, scratch_.waiting[place].data(), selection);
    }
    free_.push_back(place);
  }

  void pass_on(uint32_t to, const uint64_t* rows, uint64_t* selection) {
    if (to == CompiledTree::kHolds) {
      or_into(selection, rows, words_);
    } else if (to != CompiledTree::kFails) {
      add(to, rows);
    }
  }

  void add(uint32_t step, const uint64_t* rows) { or_into(scratch_.waiting[place_for(step)].data(), rows, words_); }

  /// Returns where the rows of a step wait. Bitmaps stay where they are while others are added.
  uint32_t place_for(uint32_t step) {
    uint32_t& place = scratch_.place_of[step];
    if (place == kNowhere) {
      if (free_.empty()) {
        place = used_++;
        scratch_.waiting.resize(std::max<size_t>(scratch_.waiting.size(), used_));
      } else {
        place = free_.back();
        free_.pop_back();
      }
      scratch_.waiting[place].assign(words_, 0);
    }
    return place;
  }

  const CompiledTree& tree_;
  const CompiledTree::Question& question_;
  LiteralMarker marker_;
  uint32_t row_test_cost_;
  SelectionScratch& scratch_;
  uint32_t words_;
  uint32_t used_ = 0;
  std::vector<uint32_t> free_;
};

void CompiledTree::select(const TableLayout& layout, const CompiledLiteral* literals, const uint8_t* constants,
                          const ChunkView& chunk, ChunkSketches sketches, SelectionScratch& scratch,
                          uint64_t* selection) const {
  mark_branch(Branch::kTreeOfChunk);
  const Question question{&layout, literals, constants, &chunk};
  TreePass(*this, question, sketches, scratch).run(selection);
}

}  // namespace daedalus::engine
