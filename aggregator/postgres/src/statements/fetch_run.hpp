// One FETCH or MOVE of a cursor: which rows it gives, and where it leaves the cursor, as PostgreSQL's portals do.
//
// Decides that, step by step, as rows come. Refuses to know where they come from and whom they go to.
#pragma once

#include <cstdint>

#include "command.hpp"
#include "cursor_rows.hpp"
#include "daedalus/base/result.hpp"

namespace daedalus::postgres {

class FetchRun {
 public:
  /// Makes a run that begins at the cursor's place; `may_go_back`: it was not declared with NO SCROLL. Errors: 55000 it
  /// may not, 54000 the rows it would go back to are not kept any longer.
  [[nodiscard]] static Result<FetchRun> begin(const FetchCommand& command, bool may_go_back, const CursorRows& rows);

  /// Goes on as far as rows have come, and hands over those that are asked for. Returns whether it has come to its end.
  /// Errors: those of begin(), where the end has to be known first; 08P01.
  [[nodiscard]] Result<bool> step(CursorRows& rows, const CursorRows::Put& put);

  /// How many rows it has given, or would have given were it no MOVE.
  [[nodiscard]] uint64_t row_count() const { return row_count_; }

 private:
  enum class Stage : uint8_t {
    kUp,       ///< So many rows upwards.
    kDown,     ///< So many downwards.
    kRow,      ///< To one row, and that one alone; 0: before the first.
    kFromEnd,  ///< To one row, counted from the end.
    kStay,     ///< The row it stands on once more.
    kRewind,   ///< Before the first row, past all that lie between.
    kDone,
  };
  FetchRun(Stage stage, uint64_t number, bool is_move) : stage_(stage), number_(number), is_move_(is_move) {}

  /// Stage and number of a command, at this place.
  [[nodiscard]] static FetchRun plan(const FetchCommand& command, uint64_t position);
  /// Errors: 54000 this row is not kept any longer.
  [[nodiscard]] static Result<void> check_kept(uint64_t row, const CursorRows& rows);
  /// The lowest row it needs where it goes back from here.
  [[nodiscard]] uint64_t lowest_needed(uint64_t position) const;
  [[nodiscard]] bool goes_back(const CursorRows& rows) const;

  [[nodiscard]] Result<bool> go_up(CursorRows& rows, const CursorRows::Put& put);
  [[nodiscard]] Result<bool> go_down(CursorRows& rows, const CursorRows::Put& put);
  [[nodiscard]] Result<bool> go_to_row(CursorRows& rows, const CursorRows::Put& put);
  [[nodiscard]] Result<bool> go_to_end(CursorRows& rows, const CursorRows::Put& put);
  /// Stands on this row, which is there, and gives it.
  [[nodiscard]] Result<bool> give_row(uint64_t row, CursorRows& rows, const CursorRows::Put& put);

  Stage stage_;
  uint64_t number_;
  bool is_move_;
  uint64_t row_count_ = 0;
};

}  // namespace daedalus::postgres
