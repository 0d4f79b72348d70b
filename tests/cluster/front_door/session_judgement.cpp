// Judges what clients of PostgreSQL's protocol are told: of writes as soon as it is told, of reads in the end.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "daedalus/semantics/packed.hpp"
#include "plain_answer.hpp"
#include "row_texts.hpp"
#include "session_traffic.hpp"

namespace daedalus::testing {

namespace {

using Kind = ActStatement::Kind;

constexpr const char* kUnknown = "08007";
constexpr const char* kCancelled = "57014";

/// Returns whether the statement brings the outcome of an update.
bool is_submitted(const ActStatement& statement) {
  return statement.kind == Kind::kInsert || statement.kind == Kind::kModify || statement.tag == "COMMIT";
}

const ActStatement* first_failed(const Act& act) {
  const auto found = std::find_if(act.statements.begin(), act.statements.end(),
                                  [](const ActStatement& statement) { return statement.error.has_value(); });
  return found == act.statements.end() ? nullptr : &*found;
}

/// Returns how many rows were applied, and how many refused, by an error of an update that took effect but for some
/// rows.
std::optional<std::pair<uint64_t, uint64_t>> counts_in(const std::string& message) {
  unsigned long applied = 0;
  unsigned long refused = 0;
  const bool is_read = std::sscanf(message.c_str(), "%lu rows applied, %lu refused: the update has taken effect",
                                   &applied, &refused) == 2;
  return is_read ? std::optional(std::pair<uint64_t, uint64_t>(applied, refused)) : std::nullopt;
}

}  // namespace

// ---- writes ----

/// Tags come once the update is confirmed: of a block COMMIT's, otherwise those of the writes.
bool SessionTraffic::is_told(const Act& act) {
  if (act.kind == ActKind::kBlock) {
    return act.statements.back().is_complete && !act.is_rolled_back;
  }
  return std::all_of(act.statements.begin(), act.statements.end(),
                     [](const ActStatement& statement) { return statement.is_complete; });
}

void SessionTraffic::settle(const Act& act) {
  if (const ActStatement* failed = first_failed(act)) {
    return settle_error(act, *failed);
  }
  if (is_told(act)) {
    return settle_confirmed(act);
  }
  if (act.is_lost && act.is_decided) {
    ++counts_.unknown;
    return;
  }
  ++(act.is_rolled_back ? counts_.rolled_back : counts_.denied);
  world_.submissions.on_denied(*act.submission, act.is_rolled_back ? "it was rolled back" : "it was never committed");
}

void SessionTraffic::settle_error(const Act& act, const ActStatement& failed) {
  const ErrorSeen& error = *failed.error;
  if (const auto counts = counts_in(error.message)) {
    ++counts_.refused_rows;
    world_.submissions.on_told_counts(*act.submission, counts->first, counts->second);
    return;
  }
  if (error.sqlstate == kUnknown) {
    ++counts_.unknown;
    return;
  }
  ++counts_.denied;
  world_.submissions.on_denied(*act.submission, error.message);
}

void SessionTraffic::settle_confirmed(const Act& act) {
  uint64_t rows = 0;
  for (const ActStatement& statement : act.statements) {
    rows += statement.inserted.size() + statement.rows_changed;
    if (!statement.returning.empty()) {
      judge_returned(statement);
    }
  }
  ++(act.kind == ActKind::kChange ? counts_.changes : act.kind == ActKind::kGroup ? counts_.groups : counts_.blocks);
  world_.submissions.on_told_counts(*act.submission, rows, 0);
  bool has_modify = false;
  for (const ActStatement& statement : act.statements) {
    if (statement.kind == Kind::kModify) {
      world_.submissions.on_told_part(*act.submission, statement.part, statement.rows_changed);
      has_modify = true;
    }
  }
  counts_.mixed += act.kind == ActKind::kGroup && has_modify ? 1 : 0;
}

void SessionTraffic::judge_returned(const ActStatement& insert) {
  ++counts_.returned;
  std::vector<semantics::Type> types;
  for (const uint32_t column : insert.returning) {
    types.push_back(world_.configuration.schema->columns[column].type);
  }
  std::string expected;
  for (const Row& row : insert.inserted) {
    Row returned;
    for (const uint32_t column : insert.returning) {
      returned.push_back(row[column]);
    }
    semantics::append_packed_row(types, returned, expected);
  }
  if (pack_texts(types, insert.rows) != expected) {
    world_.violation(fmt::format("an INSERT gave other rows back than it inserted: {}", insert.sql));
  }
}

// ---- reads ----

void SessionTraffic::judge() {
  for (const Act& act : std::exchange(done_, {})) {
    judge(act);
  }
}

void SessionTraffic::judge(const Act& act) {
  for (const ActStatement& statement : act.statements) {
    if (statement.error) {
      judge_error(act, statement);
    } else if (statement.kind == Kind::kQuery && statement.is_complete) {
      judge_answer(act, statement);
    } else if (statement.kind == Kind::kQuery && statement.is_abandoned && !act.is_lost) {
      ++counts_.abandoned;
    } else if (!statement.is_complete && !act.is_lost) {
      ++counts_.skipped;
      if (first_failed(act) == nullptr) {
        world_.violation(fmt::format("nothing was said of \"{}\"", statement.sql));
      }
    }
  }
}

ClientProcess::Answer SessionTraffic::answer_of(const Act& act, const ActStatement& statement) const {
  ClientProcess::Answer answer;
  answer.aggregator = act.aggregator;
  answer.asked_at = statement.asked_at;
  answer.ended_at = statement.ended_at;
  answer.is_aborted = act.may_be_cancelled;
  answer.given.prefix_promised = statement.prefix_promised;
  if (statement.query) {
    answer.given.question = statement.query->question;
  }
  return answer;
}

void SessionTraffic::judge_answer(const Act& act, const ActStatement& query) {
  count_answer(act, query);
  judge_fields(query);
  const Question& question = query.query->question;
  auto rows = pack_texts(answer_types(*world_.configuration.schema, question), query.rows);
  if (!rows) {
    return world_.violation(fmt::format("an answer to \"{}\" has values that are none of their types", query.sql));
  }
  ClientProcess::Answer answer = answer_of(act, query);
  answer.has_end = true;
  answer.given.rows = std::move(*rows);
  answer.given.row_count = query.rows.size();
  for (const std::string& name : answer_columns(*world_.configuration.schema, question)) {
    answer.given.columns.emplace_back().set_name(name);
  }
  std::vector<std::string> found = {fmt::format("\"{}\" was answered, and no core was asked", query.sql)};
  for (const DoorWitness::Exchange* exchange : witness_.exchanges(act.session, query.sql)) {
    if (!exchange->end) {
      continue;
    }
    answer.given.end = *exchange->end;
    answer.given.prefix_demanded = exchange->seen;
    answer.given.at = exchange->at;
    found = world_.complaints(answer);
    if (found.empty()) {
      return;
    }
  }
  for (const std::string& each : found) {
    world_.violation(fmt::format("session {:x} at {}: {} (\"{}\")", raw(act.session), act.aggregator, each, query.sql));
  }
}

/// Judges the columns where they have been told.
void SessionTraffic::judge_fields(const ActStatement& query) {
  if (!query.fields) {
    return;
  }
  const semantics::Schema& schema = *world_.configuration.schema;
  const auto names = answer_columns(schema, query.query->question);
  const auto types = answer_types(schema, query.query->question);
  std::vector<FieldSeen> expected;
  for (size_t column = 0; column < names.size(); ++column) {
    expected.push_back({names[column], postgres_type(types[column].kind)});
  }
  if (*query.fields != expected) {
    world_.violation(fmt::format("the columns of \"{}\" are told wrongly", query.sql));
  }
}

void SessionTraffic::count_answer(const Act& act, const ActStatement& query) {
  counts_.bound += act.has_bound ? 1 : 0;
  counts_.suspended += query.was_suspended ? 1 : 0;
  counts_.simple += act.kind == ActKind::kSimple ? 1 : 0;
  counts_.extended += act.kind == ActKind::kExtended ? 1 : 0;
  counts_.pipelined += act.kind == ActKind::kPipeline ? 1 : 0;
}

void SessionTraffic::judge_error(const Act& act, const ActStatement& statement) {
  const ErrorSeen& error = *statement.error;
  if (error.sqlstate == kCancelled && act.may_be_cancelled) {
    ++counts_.cancelled;
    return;
  }
  ++(statement.kind == Kind::kWrong ? counts_.wrong : counts_.failed);
  if (!may_fail(act, statement)) {
    world_.violation(fmt::format("\"{}\" through {} ended with {}: {}", statement.sql, act.aggregator, error.sqlstate,
                                 error.message));
  }
}

bool SessionTraffic::may_fail(const Act& act, const ActStatement& statement) const {
  const std::string& sqlstate = statement.error->sqlstate;
  if (statement.was_in_failed_block) {
    return sqlstate == "25P02" || sqlstate == "34000";
  }
  // Behind a write a wrong one is not even looked at, or it is the catalogue's, of which there is none here; where a
  // tag waits for the outcome, the mistake of a later one comes in its place.
  const bool is_refused = act.submission && (sqlstate == "0A000" || sqlstate == "57P03");
  const bool is_by_mistake =
      std::any_of(act.statements.begin(), act.statements.end(), [&](const ActStatement& mistaken) {
        const bool is_here = &mistaken == &statement || act.kind == ActKind::kGroup;
        return is_here && mistaken.kind == Kind::kWrong && (sqlstate == mistaken.sqlstate || is_refused);
      });
  if (is_by_mistake) {
    return true;
  }
  return (is_submitted(statement) && counts_in(statement.error->message)) || may_core_fail(act, statement);
}

/// Because its session was told so.
bool SessionTraffic::may_core_fail(const Act& act, const ActStatement& statement) const {
  const bool writes = is_submitted(statement);
  const auto exchanges = witness_.exchanges(act.session, writes ? "" : statement.sql);
  return std::any_of(exchanges.begin(), exchanges.end(), [&](const DoorWitness::Exchange* exchange) {
    if (!exchange->error || exchange->error->sqlstate() != statement.error->sqlstate) {
      return false;
    }
    if (writes) {
      return exchange->error->category() != wire::v1::ERROR_CATEGORY_REJECTED;
    }
    ClientProcess::Answer answer = answer_of(act, statement);
    answer.error = *exchange->error;
    return world_.refusal_complaints(answer).empty();
  });
}

}  // namespace daedalus::testing
