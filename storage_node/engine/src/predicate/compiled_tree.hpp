// A tree of literals as steps: each asks one literal of a row and says where to go on, so that a row is decided without
// a stack, by the literals that matter for it alone.
//
// A disjunction of many alternatives that name different values of one column is entered by the row's value: it then
// costs a search instead of a look at each. Decides which rows satisfy a tree. Refuses to know clauses.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "compiled_literal.hpp"
#include "literal_marker.hpp"

namespace daedalus::engine {

/// Room for the intermediate bitmaps of one chunk; reused from chunk to chunk.
class SelectionScratch {
 public:
  explicit SelectionScratch(uint32_t chunk_rows)
      : clause(bitmap_words(chunk_rows)), literal(bitmap_words(chunk_rows)) {}

  std::vector<uint64_t> clause;
  std::vector<uint64_t> literal;
  std::vector<std::vector<uint64_t>> waiting;  ///< Holds, for trees, rows on their way to a step.
  std::vector<uint32_t> place_of;              ///< By step: where its rows wait.
};

/// Returns whether every row that satisfies a tree is in a list with codes. Cost: linear in the tree.
[[nodiscard]] bool implies_list(const TableLayout& layout, const semantics::Condition& tree,
                                const CompiledLiteral& list, const uint8_t* constants);

/// The parts that comparisons are made of.
struct Compiled {
  const TableLayout* layout = nullptr;
  std::pmr::vector<CompiledLiteral>* literals = nullptr;
  NativeBytes* constants = nullptr;
};

class CompiledTree {
 public:
  /// kDepends: literals were added and are the leaves. kNever, kIfNotNull (here: every row): of no use.
  /// Precondition: the tree was normalised against the layout's schema.
  [[nodiscard]] Verdict compile(const semantics::Condition& tree, const Compiled& compiled);

  /// Returns whether a row satisfies the tree. Cost: a few ns for each literal that matters for it.
  [[nodiscard]] bool holds(const TableLayout& layout, const CompiledLiteral* literals, const uint8_t* constants,
                           const ChunkView& chunk, uint32_t row) const;

  /// Drops selected rows that do not satisfy the tree. Cost: a pass over a column for each literal that many rows
  /// reach; few rows are tested one by one.
  void select(const TableLayout& layout, const CompiledLiteral* literals, const uint8_t* constants,
              const ChunkView& chunk, ChunkSketches sketches, SelectionScratch& scratch, uint64_t* selection) const;

 private:
  friend class TreeCompiler;
  friend class TreePass;

  /// A decision goes on at a step, or ends: steps have lower numbers than those that lead to them.
  static constexpr uint32_t kHolds = UINT32_MAX;
  static constexpr uint32_t kFails = UINT32_MAX - 1;

  struct Step {
    bool is_choice = false;
    uint32_t number = 0;    ///< Numbers a literal, or a choice.
    uint32_t if_true = 0;   ///< A choice has none.
    uint32_t if_false = 0;  ///< A choice goes there when no case is the row's.
  };
  /// Goes on by the code of a column's value.
  struct Choice {
    uint32_t column = 0;
    uint32_t first_case = 0;
    uint32_t case_count = 0;
    uint32_t floor = 0;  ///< The steps of all cases are from here on up to the choice's own.
  };
  struct Case {
    uint64_t code = 0;
    uint32_t step = 0;
  };

  /// Holds what is asked of a chunk.
  struct Question {
    const TableLayout* layout = nullptr;
    const CompiledLiteral* literals = nullptr;
    const uint8_t* constants = nullptr;
    const ChunkView* chunk = nullptr;
  };

  /// The step after this one, for one row.
  [[nodiscard]] uint32_t next(const Question& question, uint32_t step, uint32_t row) const;
  [[nodiscard]] uint32_t chosen(const Question& question, const Step& step, uint32_t row) const;
  /// Returns where a row gets to from a step: the first below `floor`, or an end.
  [[nodiscard]] uint32_t run(const Question& question, uint32_t step, uint32_t floor, uint32_t row) const {
    while (step >= floor && step < kFails) {
      step = next(question, step, row);
    }
    return step;
  }

  uint32_t entry_ = kHolds;
  std::vector<Step> steps_;
  std::vector<Choice> choices_;
  std::vector<Case> cases_;  ///< Holds the cases of each choice, ascending.
};

}  // namespace daedalus::engine
