#include "simple_machine.hpp"

#include <fmt/format.h>

#include <utility>

#include "execute_machine.hpp"
#include "write_machine.hpp"

namespace daedalus::postgres {

namespace {

/// Longer texts are taken apart by another thread.
constexpr size_t kShortTextSize = 32u << 10;

}  // namespace

void SimpleMachine::on_query(std::string_view body) {
  const auto message = read_query(body);
  if (!message) {
    return core_.fatal(message.error());
  }
  if (auto valid = check_text(message->sql); !valid) {
    core_.fail(valid.error());
    core_.skips_to_sync = false;
    return core_.end_ready();
  }
  core_.statements.drop("");
  auto run = std::make_unique<SimpleRun>();
  run->text = std::make_shared<const std::string>(message->sql);
  if (message->sql.size() > kShortTextSize) {
    Work::Split work{run->text};
    return core_.start_work(awaited::Pieces{std::move(run)}, std::move(work));
  }
  run->pieces = pieces_of(*run->text, core_.options.limits.simple_statements_max);
  core_.simple = std::move(run);
}

void SimpleMachine::step_simple() {
  SimpleRun& run = *core_.simple;
  if (run.pieces.size() > core_.options.limits.simple_statements_max) {
    core_.fail(rejected(
        "54000", fmt::format("one message has more than {} statements", core_.options.limits.simple_statements_max),
        "send them in several"));
    return;
  }
  if (run.pieces.empty()) {
    append_plain('I', core_.out());
  }
  if (run.next >= run.pieces.size()) {
    if (!core_.block.is_open() && core_.group.has_any()) {
      WriteMachine(core_).submit(Ends::kSimple);
    } else {
      core_.end_simple();
    }
    return;
  }
  const auto [offset, size] = run.pieces[run.next++];
  run_simple(run.text->substr(offset, size));
}

void SimpleMachine::run_simple(std::string sql) {
  core_.portals.drop("");
  Prepared prepared;
  prepared.command = command_of(sql);
  prepared.sql = std::move(sql);
  prepared.columns = columns_of(prepared.command);
  Portal& portal = core_.portals.simple();
  portal = {};
  portal.statement = std::make_shared<const Prepared>(std::move(prepared));
  portal.formats.assign(portal.statement->columns.size(), kTextFormat);
  portal.is_simple = true;
  ExecuteMachine(core_).execute(portal, 0);
}

}  // namespace daedalus::postgres
