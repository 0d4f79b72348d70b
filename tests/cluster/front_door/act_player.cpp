#include "act_player.hpp"

#include <fmt/format.h>

#include <charconv>
#include <utility>

#include "daedalus/base/check.hpp"

namespace daedalus::testing {

namespace {

using Kind = ActStatement::Kind;

/// The number at the end of "UPDATE 3".
std::optional<uint64_t> count_behind(std::string_view word, std::string_view tag) {
  if (!tag.starts_with(word) || tag.size() < word.size() + 2 || tag[word.size()] != ' ') {
    return std::nullopt;
  }
  uint64_t count = 0;
  const auto [end, error] = std::from_chars(tag.data() + word.size() + 1, tag.data() + tag.size(), count);
  return error == std::errc() && end == tag.data() + tag.size() ? std::optional(count) : std::nullopt;
}

}  // namespace

// ---- what is said ----

void ActPlayer::begin(Act& act) {
  CHECK(act_ == nullptr);
  act_ = &act;
  step_ = 0;
  expected_.clear();
  rows_now_ = 0;
  is_skipping_ = false;
}

bool ActPlayer::may_speak() const {
  return act_ != nullptr && step_ < act_->steps.size() &&
         (expected_.empty() || step_ == 0 || !act_->steps[step_ - 1].waits);
}

const std::string& ActPlayer::speak(Timestamp promised, Instant now) {
  CHECK(may_speak());
  const ActStep& step = act_->steps[step_++];
  for (const size_t index : step.statements) {
    ActStatement& statement = act_->statements[index];
    statement.is_asked = true;
    statement.prefix_promised = promised;
    statement.asked_at = now;
  }
  act_->is_decided |= step.decides;
  for (const Expected& next : step.expected) {
    is_skipping_ = is_skipping_ && next.kind != Expected::Kind::kReady;
    if (!is_skipping_) {
      expected_.push_back(next);
    }
  }
  return step.bytes;
}

// ---- what is heard ----

void ActPlayer::hear(const ServerMessage& message, Instant now) {
  if (message.type == 'S' || message.type == 'N') {
    return;  // May come at any time.
  }
  if (act_ == nullptr || expected_.empty()) {
    return fault_(fmt::format("'{}' came although nothing was asked", message.type));
  }
  if (message.type == 'E') {
    return hear_error(message, now);
  }
  const Expected head = expected_.front();
  switch (head.kind) {
    case Expected::Kind::kParsed:
      return hear_plain('1', message);
    case Expected::Kind::kBound:
      return hear_plain('2', message);
    case Expected::Kind::kClosed:
      return hear_plain('3', message);
    case Expected::Kind::kDescribed:
      if (message.type == 'n') {
        return hear_plain('n', message);
      }
      if (message.type != 'T') {
        return wrong(message);
      }
      hear_fields(statement_of(head), message.body);
      return pass();
    case Expected::Kind::kExecuted:
    case Expected::Kind::kSimple:
      return hear_rows(head, message, now);
    case Expected::Kind::kReady:
      return message.type == 'Z' ? hear_ready(message.body) : wrong(message);
  }
}

void ActPlayer::wrong(const ServerMessage& message) {
  static constexpr const char* kNames[] = {"1", "2", "T or n", "D, C or s", "T, D or C", "3", "Z"};
  fault_(
      fmt::format("'{}' came where {} was to come", message.type, kNames[static_cast<size_t>(expected_.front().kind)]));
}

void ActPlayer::hear_plain(char type, const ServerMessage& message) {
  if (message.type != type || !message.body.empty()) {
    return wrong(message);
  }
  pass();
}

void ActPlayer::hear_rows(const Expected& head, const ServerMessage& message, Instant now) {
  const bool is_simple = head.kind == Expected::Kind::kSimple;
  ActStatement& statement = statement_of(head);
  if (message.type == 'T' && is_simple && !statement.fields) {
    return hear_fields(statement, message.body);
  }
  if (message.type == 'D' && (!is_simple || statement.fields)) {
    return hear_row(head, message.body);
  }
  if (message.type == 's' && !is_simple) {
    return hear_suspended(head);
  }
  const bool has_rows = statement.kind == Kind::kQuery || !statement.returning.empty();
  if (message.type != 'C' || (is_simple && has_rows && !statement.fields)) {
    return wrong(message);
  }
  hear_end(statement, message.body, now);
  pass();
}

void ActPlayer::hear_fields(ActStatement& statement, const std::string& body) {
  statement.fields = read_row_description(body);
  if (!statement.fields) {
    fault_("a RowDescription cannot be read");
  }
}

void ActPlayer::hear_row(const Expected& head, const std::string& body) {
  auto row = read_data_row(body);
  if (!row) {
    return fault_("a DataRow cannot be read");
  }
  if (++rows_now_ > head.rows_max && head.rows_max > 0) {
    return fault_(fmt::format("more than {} rows came of an Execute", head.rows_max));
  }
  statement_of(head).rows.push_back(std::move(*row));
}

void ActPlayer::hear_suspended(const Expected& head) {
  if (head.rows_max == 0 || std::exchange(rows_now_, 0) != head.rows_max) {
    fault_("a portal was suspended before its limit");
  }
  statement_of(head).was_suspended = true;
  pass();
}

void ActPlayer::hear_end(ActStatement& statement, const std::string& body, Instant now) {
  const uint64_t rows = std::exchange(rows_now_, 0);
  const std::string tag = read_tag(body).value_or("(no text)");
  statement.is_complete = true;
  statement.ended_at = now;
  const auto expect = [&](const std::string& expected) {
    if (tag != expected) {
      fault_(fmt::format("\"{}\" ended with the tag {} instead of {}", statement.sql, tag, expected));
    }
  };
  switch (statement.kind) {
    case Kind::kQuery:
      return expect(fmt::format("SELECT {}", rows));
    case Kind::kInsert:
      return expect(statement.tag);
    case Kind::kModify: {
      const auto count = count_behind(statement.tag, tag);
      statement.rows_changed = count.value_or(0);
      return expect(fmt::format("{} {}", statement.tag, statement.rows_changed));
    }
    case Kind::kCommand:
      return end_command(tag, statement);
    case Kind::kWrong:
      return fault_(fmt::format("\"{}\", which is wrong, was carried out", statement.sql));
  }
}

void ActPlayer::end_command(const std::string& tag, ActStatement& statement) {
  const std::string expected = statement.tag == "COMMIT" && block_ == 'E' ? "ROLLBACK" : statement.tag;
  if (tag != expected) {
    fault_(fmt::format("{} ended with the tag {} instead of {}", statement.sql, tag, expected));
  }
  block_ = statement.tag == "BEGIN" ? 'T' : 'I';
}

void ActPlayer::hear_ready(const std::string& body) {
  if (body != std::string_view(&block_, 1)) {
    fault_(fmt::format("ReadyForQuery says {} instead of {}", body, block_));
  }
  pass();
}

/// Hears the error of whatever comes next. Up to the next Sync nothing else may come.
void ActPlayer::hear_error(const ServerMessage& message, Instant now) {
  auto error = read_error(message.body);
  if (!error) {
    return fault_("an ErrorResponse cannot be read");
  }
  const Expected head = expected_.front();
  if (head.kind == Expected::Kind::kReady) {
    return fault_(fmt::format("error {} came where all had ended well: {}", error->sqlstate, error->message));
  }
  ActStatement& statement = statement_of(head);
  statement.error = std::move(*error);
  statement.was_in_failed_block = block_ == 'E';
  statement.ended_at = now;
  rows_now_ = 0;
  if (statement.tag == "COMMIT") {
    block_ = 'I';
  } else if (block_ == 'T') {
    block_ = 'E';
  }
  skip_to_ready();
}

void ActPlayer::skip_to_ready() {
  while (!expected_.empty() && expected_.front().kind != Expected::Kind::kReady) {
    pass();
  }
  is_skipping_ = expected_.empty();
}

}  // namespace daedalus::testing
