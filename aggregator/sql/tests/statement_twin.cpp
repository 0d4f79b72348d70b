// Compiles statements from standard input and shows what they mean on rows in memory, for comparison with PostgreSQL:
// tests/oracle/test_statements_against_postgres.py.
//
// A line in, a line out:
//   now MICROSECONDS             what "now" means from here on; answered with "ok"
//   zone NAME                    the zone of the session's clocks from here on; answered with "ok"
//   INSERT INTO t (i, …) …       keeps the rows; answered with their values, as text and joined by '|', NULL as '-'
//   UPDATE t …, DELETE FROM t …  answered with the rows that were changed, those it failed on by SQLSTATE, and \x06 and
//                                the message of each kind of failure
//   SELECT … FROM t …            answered with the types of the answer, '|' and its rows as PostgreSQL writes records
//   condition CONDITION          answered with "fails" where computing it, or reading it, may end in an error, with
//                                "known" where PostgreSQL's planner computes it, else with "certain"
//   functions                    answered with the table of functions: name, sign or not, arguments, result,
//                                volatility, whether an update may compute it
//   casts                        answered with pairs of kinds that are cast: 'i' without being asked, 'e' where written
//   signatures                   answered with the lines of the writer's functions.tsv but its forms
// An error is answered with "error SQLSTATE message", \x05 and its position in the statement, from 1; 0: none. Rows
// qualify by the plain evaluation of the normal form and of what is computed besides; groups are merged as nodes and
// aggregators merge them.
#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "daedalus/aggregator/compile.hpp"
#include "daedalus/contract/translate.hpp"
#include "daedalus/semantics/answer.hpp"
#include "daedalus/semantics/language.hpp"
#include "daedalus/semantics/packed.hpp"
#include "daedalus/semantics/plain_answer.hpp"
#include "daedalus/semantics/predicate.hpp"
#include "daedalus/semantics/scalar_function.hpp"
#include "daedalus/semantics/session_zone.hpp"
#include "daedalus/semantics/text.hpp"
#include "daedalus/semantics/update.hpp"
#include "daedalus/time_zones/system_zones.hpp"
#include "sql_fixture.hpp"

namespace daedalus::aggregator::testing {
namespace {

using semantics::Value;
using Row = std::vector<Value>;

/// A field of a record, quoted where PostgreSQL quotes it.
std::string field_of(const std::string& text) {
  if (!text.empty() && text.find_first_of("\"\\(), \t\n\v\f\r") == std::string::npos) {
    return text;
  }
  std::string quoted = "\"";
  for (const char c : text) {
    quoted += std::string(c == '"' || c == '\\' ? 2 : 1, c);
  }
  return quoted + "\"";
}

std::string error_of(const Error& error) {
  return fmt::format("error {} {}\x05{}", error.sqlstate, error.message, error.position);
}

std::vector<semantics::TypeKind> all_kinds() {
  std::vector<semantics::TypeKind> kinds;
  for (int number = 1; number <= wire::v1::TypeKind_MAX; ++number) {
    if (wire::v1::TypeKind_IsValid(number)) {
      kinds.push_back(static_cast<semantics::TypeKind>(number));
    }
  }
  return kinds;
}

class StatementTwin {
 public:
  std::string answer(const std::string& line) {
    constexpr std::string_view kNow = "now ";
    if (line.starts_with(kNow)) {
      now_us_ = std::stoll(line.substr(kNow.size()));
      return "ok";
    }
    constexpr std::string_view kZone = "zone ";
    if (line.starts_with(kZone)) {
      zone_ = *semantics::SessionZone::find(line.substr(kZone.size()), zones_.get());
      return "ok";
    }
    constexpr std::string_view kCondition = "condition ";
    if (line.starts_with(kCondition)) {
      return kind_of(line.substr(kCondition.size()));
    }
    if (line == "functions") {
      return functions();
    }
    if (line == "names") {
      return names();
    }
    if (line == "casts") {
      return casts();
    }
    if (line == "signatures") {
      return signatures();
    }
    wire::v1::StatementBody statement;
    statement.set_sql(line);
    statement.set_time_zone(zone_ == nullptr || zone_->is_utc() ? "" : zone_->name());
    Result<Compiled> compiled = compiler_.compile(statement, now_us_);
    if (!compiled) {
      return error_of(compiled.error());
    }
    if (const auto* select = std::get_if<CompiledSelect>(&*compiled)) {
      return answer_of(*select);
    }
    const std::string body = std::get<CompiledUpdate>(*compiled).body.SerializeAsString();
    const auto parts = contract::to_update(*schema_, map_->placement_columns(), body);
    if (!parts) {
      return error_of(parts.error());
    }
    if (const auto* inserted = std::get_if<contract::InsertPart>(&(*parts)[0])) {
      const std::string kept = keep(inserted->rows);
      const auto& returning = std::get<CompiledUpdate>(*compiled).returning;
      return returning ? "returned|" + records_of(types_of(*returning->columns), returning->rows.rows) : kept;
    }
    return change((*parts)[0]);
  }

 private:
  [[nodiscard]] Result<Compiled> compiled(const std::string& sql) {
    wire::v1::StatementBody statement;
    statement.set_sql(sql);
    return compiler_.compile(statement, now_us_);
  }

  [[nodiscard]] std::string kind_of(const std::string& condition) {
    const Result<Compiled> selecting = compiled("SELECT i FROM t WHERE " + condition);
    if (!selecting) {
      return "fails";
    }
    const auto& residuals = std::get<CompiledSelect>(*selecting).selection->residuals;
    if (std::any_of(residuals.begin(), residuals.end(), semantics::can_fail)) {
      return "fails";
    }
    // The planner computes only one side of a CASE whose condition it knows.
    const bool computes_both = !compiled("SELECT CASE WHEN " + condition + " THEN 1 / 0 ELSE 0 END AS e FROM t") &&
                               !compiled("SELECT CASE WHEN " + condition + " THEN 0 ELSE 1 / 0 END AS e FROM t");
    return computes_both ? "certain" : "known";
  }

  /// Applies an UPDATE or a DELETE to the rows, one after the other, and says how many it changed and which failed.
  std::string change(const contract::UpdatePart& part) {
    const auto* modification = std::get_if<contract::ModifyPart>(&part);
    const auto& predicate =
        modification != nullptr ? modification->predicate : std::get<contract::DeletePart>(part).predicate;
    const auto& residuals =
        modification != nullptr ? modification->residuals : std::get<contract::DeletePart>(part).residuals;
    std::map<std::string, uint32_t> failed;
    std::set<std::string> messages;
    uint32_t applied = 0;
    std::vector<Row> left;
    for (const Row& row : rows_) {
      const Result<bool> is_selected = selects(predicate, residuals, row);
      const Result<Row> changed = !is_selected ? Result<Row>(is_selected.error())
                                  : *is_selected && modification != nullptr
                                      ? changed_row(modification->assignments, row)
                                      : Result<Row>(row);
      if (!changed) {
        ++failed[changed.error().sqlstate];
        messages.insert(changed.error().message);
      }
      applied += changed && *is_selected ? 1 : 0;
      if (!changed || !*is_selected || modification != nullptr) {
        left.push_back(changed ? *changed : row);
      }
    }
    rows_ = std::move(left);
    std::string text = fmt::format("applied {}", applied);
    for (const auto& [sqlstate, rows] : failed) {
      text += fmt::format(" failed {} {}", sqlstate, rows);
    }
    for (const std::string& message : messages) {
      text += "\x06" + message;
    }
    return text;
  }

  [[nodiscard]] Result<bool> selects(const semantics::Predicate& predicate, const semantics::Residuals& residuals,
                                     const Row& row) const {
    if (!semantics::evaluate(*schema_, predicate, row)) {
      return false;
    }
    for (size_t at = 0; residuals != nullptr && at < residuals->size(); ++at) {
      const Result<Value> truth = semantics::evaluate((*residuals)[at], row);
      if (!truth) {
        return truth.error();
      }
      if (*truth != Value(true)) {
        return false;
      }
    }
    return true;
  }

  /// `column + constant` as PostgreSQL reads it is tested where it is computed; here only that it is not a call.
  [[nodiscard]] Result<Row> changed_row(const std::vector<semantics::Assignment>& assignments, const Row& row) const {
    Row changed = row;
    for (const semantics::Assignment& assignment : assignments) {
      const semantics::Column& column = schema_->columns[assignment.column];
      if (assignment.kind == semantics::Assignment::Kind::kSet) {
        changed[assignment.column] = assignment.value;
        continue;
      }
      if (assignment.kind == semantics::Assignment::Kind::kAdd) {
        return rejected("0A000", "a sum that nodes compute");
      }
      Result<Value> value = semantics::evaluate_for(column, *assignment.expression, row);
      if (!value) {
        return value.error();
      }
      changed[assignment.column] = std::move(*value);
    }
    return changed;
  }

  std::string keep(std::string_view packed) {
    std::string text;
    semantics::PackedRows rows(packed);
    for (auto row = rows.next(); row.has_value() && row->has_value(); row = rows.next()) {
      rows_.push_back(*semantics::read_packed_row(semantics::column_types(*schema_), **row));
      for (size_t column = 0; column < schema_->columns.size(); ++column) {
        const Value& value = rows_.back()[column];
        text += text.empty() ? "" : "|";
        text += semantics::is_null(value) ? "-" : shown(schema_->columns[column].type, value);
      }
    }
    return text;
  }

  /// By the session's clocks.
  [[nodiscard]] std::string shown(const semantics::Type& type, const Value& value) const {
    return semantics::format_text(type, value, zone_ == nullptr ? nullptr : &zone_->zone());
  }

  [[nodiscard]] std::string record_of(const std::vector<semantics::Type>& types, const Row& row) const {
    std::string text = "(";
    for (size_t number = 0; number < types.size(); ++number) {
      text += number == 0 ? "" : ",";
      text += semantics::is_null(row[number]) ? "" : field_of(shown(types[number], row[number]));
    }
    return text + ")";
  }

  /// Lists the functions that users are told of.
  static std::string functions() {
    return listed(semantics::scalar_functions(),
                  [](const semantics::ScalarFunction& function) { return !function.is_helper; });
  }

  /// Lists the functions that stand behind an operator, an index or an aggregate; then the other names of functions.
  static std::string names() {
    return listed(semantics::scalar_functions(),
                  [](const semantics::ScalarFunction& function) { return function.is_helper; }) +
           "\x04" + listed(semantics::implementation_names(), [](const auto&) { return true; });
  }

  template <typename IsWanted>
  static std::string listed(std::span<const semantics::ScalarFunction> functions, IsWanted is_wanted) {
    std::string text;
    for (const semantics::ScalarFunction& function : functions) {
      if (function.is_refused() || function.is_at_zone || !is_wanted(function)) {
        continue;
      }
      std::string arguments;
      for (const semantics::TypeKind kind : function.arguments) {
        arguments += fmt::format("{}{}", arguments.empty() ? "" : ",", semantics::kind_name(kind));
      }
      if (function.takes_any) {
        arguments += arguments.empty() ? "\"any\"" : ",\"any\"";
      }
      text += fmt::format("{}{}\x03{}\x03{}\x03{}\x03{}\x03{}", text.empty() ? "" : "\x04", function.name,
                          function.is_operator ? 1 : 0, arguments, semantics::kind_name(function.result),
                          function.is_stable ? 's' : 'i', may_update_compute(function) ? 1 : 0);
    }
    return text;
  }

  /// Returns whether an update may compute a function. Another name is judged by the function that it stands for; a
  /// name of a cast always may.
  static bool may_update_compute(const semantics::ScalarFunction& function) {
    const semantics::ScalarFunction* meant = semantics::find_function(function.id);
    return meant == nullptr || semantics::is_exact(*meant);
  }

  static std::string casts() {
    std::string text;
    for (const semantics::TypeKind from : all_kinds()) {
      for (const semantics::TypeKind to : all_kinds()) {
        if (from == to || !semantics::can_cast_explicitly(from, to)) {
          continue;
        }
        text += fmt::format("{}{}\x03{}\x03{}", text.empty() ? "" : "\x04", semantics::kind_name(from),
                            semantics::kind_name(to), semantics::can_cast_implicitly(from, to) ? 'i' : 'e');
      }
    }
    return text;
  }

  static std::string signatures() {
    std::string text;
    for (const semantics::ScalarFunction& function : semantics::scalar_functions()) {
      if (function.evaluate != nullptr) {
        const bool is_exact = semantics::is_exact(function);
        text += fmt::format("function\t{}\t{}\t{}\t{}\t{}\t{}\x04", static_cast<int>(function.id), function.name,
                            fmt::join(numbers(function.arguments), ","), static_cast<int>(function.result),
                            is_exact ? "exact" : "inexact", function.takes_any ? "any" : "");
      }
    }
    for (const semantics::TypeKind from : all_kinds()) {
      for (const semantics::TypeKind to : all_kinds()) {
        const std::string numbers = fmt::format("{}\t{}\x04", static_cast<int>(from), static_cast<int>(to));
        text += semantics::can_cast_explicitly(from, to) ? "cast\t" + numbers : "";
        text += semantics::can_assign(from, to) ? "assignment\t" + numbers : "";
      }
    }
    text += fmt::format(
        "limit\tfunctions from\t{}\x04limit\tcall depth\t{}\x04limit\tcall nodes\t{}\x04limit\tclauses\t{}\x04",
        semantics::kFunctionsFrom, semantics::kCallDepthMax, semantics::kCallNodesMax, semantics::kClausesMax);
    for (const uint64_t hash : semantics::Language::own().hashes()) {
      text += fmt::format("language\t{:016x}\x04", hash);
    }
    for (const semantics::LaterNumber& each : semantics::Language::own().later()) {
      text += fmt::format("later\t{}\t{}\t{}\x04", semantics::kind_name(each.kind), each.number, each.since);
    }
    text.pop_back();
    return text;
  }

  static std::vector<int> numbers(const std::vector<semantics::TypeKind>& kinds) {
    std::vector<int> made;
    std::transform(kinds.begin(), kinds.end(), std::back_inserter(made),
                   [](semantics::TypeKind kind) { return static_cast<int>(kind); });
    return made;
  }

  [[nodiscard]] std::string answer_of(const CompiledSelect& select) const {
    const semantics::Selection& selection = *select.selection;
    auto partial = select.rows != nullptr ? Result<semantics::MergedRows>(*select.rows) : partial_rows(selection);
    if (!partial) {
      return error_of(partial.error());
    }
    semantics::AnswerMerger merger(selection, semantics::AnswerForm::kFinal);
    const Result<void> added = merger.add(0, std::move(*partial));
    const auto merged = added ? semantics::merge_all(merger) : Result<semantics::MergedRows>(added.error());
    const auto final = merged && select.counted != nullptr ? number_of(*select.counted, merged->row_count) : merged;
    if (!final) {
      return error_of(final.error());
    }
    std::string text;
    const std::vector<semantics::Type> types = types_of(*select.columns);
    for (const semantics::Type& type : types) {
      text += fmt::format("{}{}", text.empty() ? "" : ",", semantics::kind_name(type.kind));
    }
    return text + '|' + records_of(types, final->rows);
  }

  /// Returns the answer that is computed of the number of rows.
  static Result<semantics::MergedRows> number_of(const semantics::Selection& answer, uint64_t row_count) {
    const Row number{static_cast<int64_t>(row_count)};
    return semantics::finished_answer(answer, {&number, 1});
  }

  static std::vector<semantics::Type> types_of(const std::vector<semantics::Column>& columns) {
    std::vector<semantics::Type> types;
    std::transform(columns.begin(), columns.end(), std::back_inserter(types),
                   [](const semantics::Column& column) { return column.type; });
    return types;
  }

  [[nodiscard]] std::string records_of(const std::vector<semantics::Type>& types, std::string_view packed) const {
    std::string text;
    semantics::PackedRows rows(packed);
    for (auto row = rows.next(); row.has_value() && row->has_value(); row = rows.next()) {
      text += record_of(types, *semantics::read_packed_row(types, **row)) + '\x02';
    }
    return text;
  }

  /// The selection as a node reads it. What is looked up is no part of what is tried here.
  [[nodiscard]] Result<semantics::Selection> as_sent(const semantics::Selection& selection) const {
    const wire::v1::SelectBody body =
        contract::from_selection(*schema_, selection, nullptr, wire::v1::RESULT_FORM_PARTIAL);
    Result<semantics::Selection> sent = contract::to_selection(*schema_, body, nullptr);
    if (sent) {
      sent->predicate = selection.predicate;
    }
    return sent;
  }

  /// The rows that qualify, as whoever merges them gets them.
  [[nodiscard]] Result<semantics::MergedRows> partial_rows(const semantics::Selection& selection) const {
    const auto sent = as_sent(selection);
    if (!sent) {
      return sent.error();
    }
    std::vector<Row> found;
    std::copy_if(rows_.begin(), rows_.end(), std::back_inserter(found),
                 [&](const Row& row) { return semantics::evaluate(*schema_, sent->predicate, row); });
    return semantics::plain_answer(*sent, found);
  }

  std::shared_ptr<const semantics::Schema> schema_ = test_schema();
  std::shared_ptr<const contract::PartitionMap> map_ = test_map();
  std::shared_ptr<const semantics::TimeZones> zones_ = std::make_shared<const time_zones::SystemZones>();
  std::shared_ptr<const semantics::SessionZone> zone_;  ///< Null: UTC.
  Compiler compiler_{schema_, map_, zones_, [state = std::mt19937_64(1)]() mutable { return state(); }};
  int64_t now_us_ = kNowUs;
  std::vector<Row> rows_;
};

void answer_all() {
  StatementTwin twin;
  for (std::string line; std::getline(std::cin, line);) {
    std::string answer = twin.answer(line);
    std::replace_if(
        answer.begin(), answer.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
    std::cout << answer << '\n';
  }
}

}  // namespace
}  // namespace daedalus::aggregator::testing

int main() {
  daedalus::aggregator::testing::answer_all();
  return 0;
}
