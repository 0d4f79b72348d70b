#include "act_maker.hpp"

#include <fmt/format.h>

#include <utility>

#include "bodies.hpp"
#include "daedalus/base/check.hpp"
#include "daedalus/contract/translate.hpp"
#include "daedalus/semantics/text.hpp"

namespace daedalus::testing {

namespace {

using Kind = ActStatement::Kind;

constexpr double kWrong = 0.35;

std::vector<ValueText> texts_of(const std::vector<wire::v1::Constant>& parameters) {
  std::vector<ValueText> texts;
  for (const wire::v1::Constant& parameter : parameters) {
    semantics::Type type;
    const auto value = contract::to_value(parameter, &type);
    CHECK(value.has_value());
    texts.push_back(semantics::is_null(*value) ? ValueText() : ValueText(semantics::format_text(type, *value)));
  }
  return texts;
}

}  // namespace

ActMaker::ActMaker(std::shared_ptr<const semantics::Schema> schema, std::shared_ptr<const contract::PartitionMap> map,
                   Workload& workload, rpc::Random& random, Register note_submission)
    : schema_(schema),
      compiler_(std::move(schema), std::move(map)),
      workload_(workload),
      random_(random),
      register_(std::move(note_submission)) {}

Act ActMaker::draw_read() {
  switch (random_.below(7)) {
    case 0:
      return simple();
    case 1:
      return extended();
    case 2:
      return portal();
    case 3:
      return portal_in_block();
    case 4:
      return repeated();
    default:
      return pipeline();
  }
}

Act ActMaker::draw_write() {
  switch (random_.below(3)) {
    case 0:
      return change();
    case 1:
      return group();
    default:
      return block();
  }
}

// ---- steps ----

size_t ActMaker::add(Act& act, ActStep& step, ActStatement statement) {
  act.statements.push_back(std::move(statement));
  step.statements.push_back(act.statements.size() - 1);
  return act.statements.size() - 1;
}

void ActMaker::expect(ActStep& step, Expected::Kind kind, size_t statement, uint32_t rows_max) {
  step.expected.push_back({kind, statement, rows_max});
}

void ActMaker::sync(ActStep& step) {
  step.bytes += sync_message();
  expect(step, Expected::Kind::kReady);
}

void ActMaker::add_simple(Act& act, ActStatement statement, bool decides) {
  ActStep step;
  step.decides = decides;
  step.bytes = query_message(statement.sql);
  expect(step, Expected::Kind::kSimple, add(act, step, std::move(statement)));
  expect(step, Expected::Kind::kReady);
  act.steps.push_back(std::move(step));
}

ActStatement ActMaker::command(const std::string& word) {
  ActStatement statement;
  statement.kind = Kind::kCommand;
  statement.sql = statement.tag = word;
  return statement;
}

// ---- reads ----

ActStatement ActMaker::draw_query() {
  ActStatement statement;
  statement.query = workload_.next_query();
  if (random_.chance(0.15)) {
    statement.query = workload_.until(*statement.query, wall_clock_us_ + random_.between(-5'000'000, 5'000'000));
  }
  statement.sql = statement.query->text;
  return statement;
}

ActStatement ActMaker::draw_wrong() {
  struct Wrong {
    const char* sql;
    const char* sqlstate;
  };
  static constexpr Wrong kAll[] = {
      {"SELEC 1", "42601"}, {"SELECT nothing FROM small", "42703"}, {"SELECT 1 / 0", "22012"}};
  const Wrong& drawn = kAll[random_.below(std::size(kAll))];
  ActStatement statement;
  statement.kind = Kind::kWrong;
  statement.sql = drawn.sql;
  statement.sqlstate = drawn.sqlstate;
  return statement;
}

Act ActMaker::simple() {
  Act act{.kind = ActKind::kSimple};
  ActStep step;
  std::string text;
  for (int64_t left = random_.between(1, 3); left > 0; --left) {
    ActStatement statement = random_.chance(kWrong / 4) ? draw_wrong() : draw_query();
    text += (text.empty() ? "" : ";") + statement.sql;  // A blank would be part of the next one.
    expect(step, Expected::Kind::kSimple, add(act, step, std::move(statement)));
  }
  step.bytes = query_message(text);
  expect(step, Expected::Kind::kReady);
  act.steps.push_back(std::move(step));
  return act;
}

std::vector<ValueText> ActMaker::draw_parameters(Act& act, ActStatement& statement) {
  if (!statement.query || !random_.chance(0.5) || statement.query->parameters.empty()) {
    return {};
  }
  statement.sql = statement.query->prepared_text;
  act.has_bound = true;
  return texts_of(statement.query->parameters);
}

void ActMaker::open(Act& act, ActStep& step, ActStatement statement, const std::string& portal) {
  const std::vector<ValueText> parameters = draw_parameters(act, statement);
  const std::string name = random_.chance(0.2) ? fmt::format("s{}", ++last_name_) : "";
  step.bytes += parse_message(name, statement.sql);
  const size_t index = add(act, step, std::move(statement));
  expect(step, Expected::Kind::kParsed, index);
  bind(step, index, portal, name, parameters);
}

void ActMaker::bind(ActStep& step, size_t statement, const std::string& portal, const std::string& name,
                    const std::vector<ValueText>& parameters) {
  step.bytes += bind_message(portal, name, parameters);
  expect(step, Expected::Kind::kBound, statement);
  if (random_.chance(0.7)) {
    step.bytes += describe_message(portal);
    expect(step, Expected::Kind::kDescribed, statement);
  }
}

void ActMaker::execute(ActStep& step, size_t statement) {
  step.bytes += execute_message("", 0);
  expect(step, Expected::Kind::kExecuted, statement);
}

Act ActMaker::extended() {
  Act act{.kind = ActKind::kExtended};
  ActStep step;
  open(act, step, draw_query(), "");
  execute(step, 0);
  sync(step);
  act.steps.push_back(std::move(step));
  return act;
}

/// Queries one behind the other; some end in mistakes, behind some there is a Sync, some are fetched in parts.
Act ActMaker::pipeline() {
  Act act{.kind = ActKind::kPipeline};
  ActStep step;
  uint32_t syncs = 0;
  const double synced = random_.chance(0.3) ? 0 : 0.4;
  for (int64_t left = random_.between(2, 7); left > 0; --left) {
    open(act, step, random_.chance(kWrong / 3) ? draw_wrong() : draw_query(), "");
    const size_t index = act.statements.size() - 1;
    for (bool has_limit = random_.chance(0.2); has_limit; has_limit = random_.chance(0.3)) {
      const uint32_t rows_max = draw_limit();
      step.bytes += execute_message("", rows_max);
      expect(step, Expected::Kind::kExecuted, index, rows_max);
    }
    execute(step, index);
    if (left == 1 || random_.chance(synced)) {
      sync(step);
      ++syncs;
    } else if (random_.chance(0.1)) {
      step.bytes += flush_message();
    }
    if (random_.chance(0.3)) {
      step.waits = false;
      act.steps.push_back(std::exchange(step, {}));
    }
  }
  act.has_several_syncs = syncs > 1;
  if (!step.bytes.empty()) {
    act.steps.push_back(std::move(step));
  }
  return act;
}

Act ActMaker::repeated() {
  Act act{.kind = ActKind::kPipeline};
  ActStep step;
  ActStatement statement = draw_query();
  const std::vector<ValueText> parameters = draw_parameters(act, statement);
  const std::string name = fmt::format("s{}", ++last_name_);
  step.bytes = parse_message(name, statement.sql);
  expect(step, Expected::Kind::kParsed, 0);
  for (int64_t left = random_.between(2, 6); left > 0; --left) {
    const size_t index = add(act, step, statement);
    bind(step, index, "", name, parameters);
    execute(step, index);
    if (left > 1 && random_.chance(0.3)) {
      step.waits = false;
      act.steps.push_back(std::exchange(step, {}));
    }
  }
  sync(step);
  act.steps.push_back(std::move(step));
  return act;
}

Act ActMaker::portal() {
  Act act{.kind = ActKind::kPortal};
  ActStep step;
  open(act, step, draw_query(), "");
  for (int64_t left = random_.between(1, 4); left > 0; --left) {
    const uint32_t rows_max = draw_limit();
    step.bytes += execute_message("", rows_max) + flush_message();
    expect(step, Expected::Kind::kExecuted, 0, rows_max);
    act.steps.push_back(std::exchange(step, {}));
  }
  if (random_.chance(0.3)) {
    act.statements[0].is_abandoned = true;
    step.bytes += close_message("");
    expect(step, Expected::Kind::kClosed);
  } else {
    execute(step, 0);
  }
  sync(step);
  act.steps.push_back(std::move(step));
  return act;
}

Act ActMaker::portal_in_block() {
  Act act{.kind = ActKind::kPortal};
  add_simple(act, command("BEGIN"), false);
  ActStep step;
  const std::string name = fmt::format("p{}", ++last_name_);
  open(act, step, draw_query(), name);
  const size_t index = act.statements.size() - 1;
  for (int64_t left = random_.between(1, 4); left > 0; --left) {
    const uint32_t rows_max = draw_limit();
    step.bytes += execute_message(name, rows_max);
    expect(step, Expected::Kind::kExecuted, index, rows_max);
    sync(step);
    act.steps.push_back(std::exchange(step, {}));
    if (random_.chance(0.3)) {
      add_simple(act, random_.chance(kWrong / 3) ? draw_wrong() : draw_query(), false);
    }
  }
  act.statements[index].is_abandoned = random_.chance(0.3);
  if (!act.statements[index].is_abandoned) {
    step.bytes += execute_message(name, 0);
    expect(step, Expected::Kind::kExecuted, index);
    sync(step);
    act.steps.push_back(std::move(step));
  }
  add_simple(act, command(random_.chance(0.7) ? "COMMIT" : "ROLLBACK"), false);
  return act;
}

// ---- writes ----

/// INSERTs that follow each other are one part.
void ActMaker::draw_insert(Writes& writes) {
  Workload::Update update = workload_.next_insert();
  const auto& rows = std::get<PlainInsert>(update.parts.front()).rows;
  ActStatement& insert = writes.statements.emplace_back();
  insert.kind = Kind::kInsert;
  insert.sql = *update.text;
  insert.tag = fmt::format("INSERT 0 {}", rows.size());
  insert.returning = update.returning;
  insert.inserted = rows;
  wire::v1::UpdateBody alone;
  CHECK(alone.ParseFromString(update_body(*schema_, update.parts)));
  const wire::v1::InsertPart& packed = alone.parts(0).insert();
  if (writes.parts.empty() || !std::holds_alternative<PlainInsert>(writes.parts.back())) {
    writes.parts.emplace_back(PlainInsert());
    writes.body.add_parts()->mutable_insert()->set_first_ordinal(writes.rows);
  }
  auto& part = *writes.body.mutable_parts(writes.body.parts_size() - 1)->mutable_insert();
  part.mutable_rows()->append(packed.rows());
  part.set_row_count(part.row_count() + packed.row_count());
  writes.rows += packed.row_count();
  auto& together = std::get<PlainInsert>(writes.parts.back()).rows;
  together.insert(together.end(), rows.begin(), rows.end());
}

/// Which one it is shows in its bytes: no two are the same.
void ActMaker::draw_modify(Writes& writes) {
  Workload::Update update = workload_.next_modify(++last_mark_);
  ActStatement& modify = writes.statements.emplace_back();
  modify.kind = Kind::kModify;
  modify.sql = *update.text;
  modify.tag = modify.sql.substr(0, modify.sql.find(' '));
  modify.part = writes.parts.size();
  wire::v1::StatementBody statement;
  statement.set_sql(modify.sql);
  const auto compiled = compiler_.compile(statement, 0);
  CHECK(compiled.has_value());
  *writes.body.add_parts() = std::get<aggregator::CompiledUpdate>(*compiled).body.parts(0);
  writes.parts.push_back(std::move(update.parts.front()));
}

std::vector<ActStatement> ActMaker::submit(Act& act, Writes writes) {
  act.submission = register_(std::move(writes.parts), writes.body.SerializeAsString());
  return std::move(writes.statements);
}

std::vector<ActStatement> ActMaker::draw_inserts(Act& act, uint64_t count) {
  Writes writes;
  for (; count > 0; --count) {
    draw_insert(writes);
  }
  return submit(act, std::move(writes));
}

void ActMaker::write_extended(Act& act, ActStep& step, ActStatement statement) {
  open(act, step, std::move(statement), "");
  execute(step, act.statements.size() - 1);
}

Act ActMaker::change() {
  Act act{.kind = ActKind::kChange};
  Writes writes;
  random_.chance(0.4) ? draw_insert(writes) : draw_modify(writes);
  ActStatement statement = std::move(submit(act, std::move(writes)).front());
  if (random_.chance(0.5)) {
    add_simple(act, std::move(statement), true);
    return act;
  }
  ActStep step;
  step.decides = true;
  write_extended(act, step, std::move(statement));
  sync(step);
  act.steps.push_back(std::move(step));
  return act;
}

Act ActMaker::group() {
  Act act{.kind = ActKind::kGroup};
  Writes drawn;
  for (int64_t left = random_.between(2, 5); left > 0; --left) {
    random_.chance(0.5) ? draw_insert(drawn) : draw_modify(drawn);
  }
  std::vector<ActStatement> writes = submit(act, std::move(drawn));
  if (random_.chance(kWrong)) {
    writes.insert(writes.begin() + static_cast<std::ptrdiff_t>(random_.below(writes.size() + 1)), draw_wrong());
  }
  ActStep step;
  step.decides = true;
  if (random_.chance(0.4)) {
    std::string text;
    for (ActStatement& write : writes) {
      text += (text.empty() ? "" : ";") + write.sql;
      expect(step, Expected::Kind::kSimple, add(act, step, std::move(write)));
    }
    step.bytes = query_message(text);
    expect(step, Expected::Kind::kReady);
  } else {
    for (ActStatement& write : writes) {
      write_extended(act, step, std::move(write));
    }
    sync(step);
  }
  act.steps.push_back(std::move(step));
  return act;
}

Act ActMaker::block() {
  Act act{.kind = ActKind::kBlock};
  add_simple(act, command("BEGIN"), false);
  const bool is_extended = random_.chance(0.5);
  for (ActStatement& insert : draw_inserts(act, static_cast<uint64_t>(random_.between(1, 4)))) {
    if (random_.chance(kWrong / 4)) {
      add_simple(act, draw_wrong(), false);
    }
    if (!is_extended) {
      add_simple(act, std::move(insert), false);
      continue;
    }
    ActStep step;
    step.waits = random_.chance(0.5);
    write_extended(act, step, std::move(insert));
    sync(step);
    act.steps.push_back(std::move(step));
  }
  act.is_rolled_back = random_.chance(0.25);
  add_simple(act, command(act.is_rolled_back ? "ROLLBACK" : "COMMIT"), !act.is_rolled_back);
  return act;
}

}  // namespace daedalus::testing
