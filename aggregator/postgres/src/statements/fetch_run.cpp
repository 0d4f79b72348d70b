#include "fetch_run.hpp"

#include <algorithm>

namespace daedalus::postgres {

namespace {

Error forward_only() {
  return rejected("55000", "cursor can only scan forward", "Declare it with SCROLL option to enable backward scan.");
}

uint64_t magnitude(int64_t count) {
  return count < 0 ? 0 - static_cast<uint64_t>(count) : static_cast<uint64_t>(count);
}

}  // namespace

Result<FetchRun> FetchRun::begin(const FetchCommand& command, bool may_go_back, const CursorRows& rows) {
  const FetchRun run = plan(command, rows.position());
  if (run.goes_back(rows)) {
    if (!may_go_back) {
      return forward_only();
    }
    if (auto kept = check_kept(run.lowest_needed(rows.position()), rows); !kept) {
      return kept.error();
    }
  }
  return run;
}

FetchRun FetchRun::plan(const FetchCommand& command, uint64_t position) {
  const uint64_t number = magnitude(command.count);
  const auto run = [&](Stage stage, uint64_t of) { return FetchRun(stage, of, command.is_move); };
  const bool is_negative = command.count < 0;
  switch (command.way) {
    case FetchCommand::Way::kAbsolute:
      return is_negative ? run(Stage::kFromEnd, number) : run(Stage::kRow, number);
    case FetchCommand::Way::kRelative:
      if (number == 0) {
        return run(Stage::kStay, 0);
      }
      if (is_negative && position == 0) {
        return run(Stage::kDown, number);  // Which may be forbidden even there.
      }
      return run(Stage::kRow, !is_negative ? position + number : position > number ? position - number : 0);
    case FetchCommand::Way::kForward:
    case FetchCommand::Way::kBackward:
      break;
  }
  if (number == 0) {
    return run(Stage::kStay, 0);
  }
  if ((command.way == FetchCommand::Way::kForward) != is_negative) {
    return run(Stage::kUp, number);
  }
  return command.is_move && command.count == FetchCommand::kAll ? run(Stage::kRewind, 0) : run(Stage::kDown, number);
}

bool FetchRun::goes_back(const CursorRows& rows) const {
  switch (stage_) {
    case Stage::kDown:
    case Stage::kFromEnd:
      return true;
    case Stage::kRow:
      return number_ <= rows.position() && rows.position() > 0;
    case Stage::kStay:
      return !is_move_ && rows.is_on_row();
    case Stage::kRewind:
      return rows.position() > 0;
    case Stage::kUp:
    case Stage::kDone:
      break;
  }
  return false;
}

uint64_t FetchRun::lowest_needed(uint64_t position) const {
  switch (stage_) {
    case Stage::kDown:
      return position > number_ ? position - number_ : 1;
    case Stage::kRow:
      return std::max<uint64_t>(number_, 1);
    case Stage::kStay:
      return position;
    case Stage::kRewind:
      return 1;
    default:
      return UINT64_MAX;
  }
}

Result<void> FetchRun::check_kept(uint64_t row, const CursorRows& rows) {
  if (row >= rows.first_kept() || row > rows.count()) {
    return {};
  }
  return rejected("54000", "the rows that the cursor would go back to are not kept any longer",
                  "a cursor keeps the last rows that it has passed, up to a bound; declare it anew, or restrict its "
                  "query");
}

Result<bool> FetchRun::step(CursorRows& rows, const CursorRows::Put& put) {
  switch (stage_) {
    case Stage::kUp:
      return go_up(rows, put);
    case Stage::kDown:
      return go_down(rows, put);
    case Stage::kRow:
      return go_to_row(rows, put);
    case Stage::kFromEnd:
      return go_to_end(rows, put);
    case Stage::kStay:
      if (rows.is_on_row()) {
        return give_row(rows.position(), rows, put);
      }
      break;
    case Stage::kRewind:
      row_count_ = rows.position() > 0 ? rows.position() - 1 : 0;
      rows.move_to(0);
      break;
    case Stage::kDone:
      break;
  }
  stage_ = Stage::kDone;
  return true;
}

Result<bool> FetchRun::go_up(CursorRows& rows, const CursorRows::Put& put) {
  const uint64_t from = rows.position();
  const uint64_t there = rows.count() > from ? rows.count() - from : 0;
  const uint64_t taken = std::min(there, number_);
  if (!is_move_) {
    if (auto done = rows.put_up(from + 1, from + taken, put); !done) {
      return done.error();
    }
  }
  row_count_ += taken;
  number_ -= taken;
  if (number_ == 0) {
    stage_ = Stage::kDone;
  } else if (rows.has_ended()) {
    rows.move_to(rows.count() + 1);
    stage_ = Stage::kDone;
    return true;
  }
  if (taken > 0) {
    rows.move_to(from + taken);
  }
  return stage_ == Stage::kDone;
}

Result<bool> FetchRun::go_down(CursorRows& rows, const CursorRows::Put& put) {
  const uint64_t from = rows.position();
  const uint64_t taken = from > 0 ? std::min(number_, from - 1) : 0;
  if (!is_move_ && taken > 0) {
    if (auto done = rows.put_down(from - 1, from - taken, put); !done) {
      return done.error();
    }
  }
  row_count_ = taken;
  rows.move_to(from > number_ ? from - number_ : 0);
  stage_ = Stage::kDone;
  return true;
}

Result<bool> FetchRun::go_to_row(CursorRows& rows, const CursorRows::Put& put) {
  if (number_ == 0) {
    rows.move_to(0);
  } else if (number_ <= rows.count()) {
    return give_row(number_, rows, put);
  } else if (rows.has_ended()) {
    rows.move_to(rows.count() + 1);
  } else {
    rows.move_to(rows.count());  // The cursor lets go of the rows that it passes, even before its row has come.
    return false;
  }
  stage_ = Stage::kDone;
  return true;
}

Result<bool> FetchRun::go_to_end(CursorRows& rows, const CursorRows::Put& put) {
  if (!rows.has_ended()) {
    rows.move_to(rows.count());
    return false;
  }
  rows.move_to(rows.count() + 1);
  number_ = number_ <= rows.count() ? rows.count() + 1 - number_ : 0;
  if (auto kept = check_kept(std::max<uint64_t>(number_, 1), rows); !kept) {
    return kept.error();
  }
  return go_to_row(rows, put);
}

Result<bool> FetchRun::give_row(uint64_t row, CursorRows& rows, const CursorRows::Put& put) {
  if (!is_move_) {
    if (auto done = rows.put_up(row, row, put); !done) {
      return done.error();
    }
  }
  row_count_ = 1;
  rows.move_to(row);
  stage_ = Stage::kDone;
  return true;
}

}  // namespace daedalus::postgres
