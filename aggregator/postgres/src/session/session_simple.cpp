// The simple protocol: a text of any number of statements, one after the other, and one ReadyForQuery at its end.
#include <fmt/format.h>

#include <utility>

#include "session.hpp"

namespace daedalus::postgres {

namespace {

/// Longer texts are taken apart by another thread.
constexpr size_t kShortTextSize = 32u << 10;

}  // namespace

void PgSession::on_query(std::string_view body) {
  const auto message = read_query(body);
  if (!message) {
    fatal(message.error());
    return;
  }
  if (auto valid = check_text(message->sql); !valid) {
    fail(valid.error());
    skips_to_sync_ = false;
    return end_ready();
  }
  statements_.drop("");
  auto run = std::make_unique<SimpleRun>();
  run->text = std::make_shared<const std::string>(message->sql);
  if (message->sql.size() > kShortTextSize) {
    Work::Split work{run->text};
    return start_work(awaited::Pieces{std::move(run)}, std::move(work));
  }
  run->pieces = pieces_of(*run->text, options_.limits.simple_statements_max);
  simple_ = std::move(run);
}

void PgSession::step_simple() {
  SimpleRun& run = *simple_;
  if (run.pieces.size() > options_.limits.simple_statements_max) {
    fail(rejected("54000",
                  fmt::format("one message has more than {} statements", options_.limits.simple_statements_max),
                  "send them in several"));
    return;
  }
  if (run.pieces.empty()) {
    append_plain('I', out());
  }
  if (run.next >= run.pieces.size()) {
    if (!block_.is_open() && group_.has_any()) {
      submit(Ends::kSimple);
    } else {
      end_simple();
    }
    return;
  }
  const auto [offset, size] = run.pieces[run.next++];
  run_simple(run.text->substr(offset, size));
}

void PgSession::run_simple(std::string sql) {
  portals_.drop("");
  Prepared prepared;
  prepared.command = command_of(sql);
  prepared.sql = std::move(sql);
  prepared.columns = columns_of(prepared.command);
  Portal& portal = portals_.simple();
  portal = {};
  portal.statement = std::make_shared<const Prepared>(std::move(prepared));
  portal.formats.assign(portal.statement->columns.size(), kTextFormat);
  portal.is_simple = true;
  execute(portal, 0);
}

void PgSession::end_simple() {
  simple_.reset();
  portals_.simple() = {};
  if (!block_.is_open()) {
    portals_.set_executed(nullptr);
    portals_.end_transaction(/*is_commit=*/true);
  }
  end_ready();
}

void PgSession::end_ready() {
  settings_.tell(text_behind());
  append_ready(block_.state(), text_behind());
  is_ready_ = true;
}

}  // namespace daedalus::postgres
