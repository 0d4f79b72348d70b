// Compiles statements from standard input and shows what they mean on rows in memory, for comparison with PostgreSQL:
// tests/oracle/test_statements_against_postgres.py.
//
// A line in, a line out:
//   now MICROSECONDS             what "now" means from here on; answered with "ok"
//   INSERT INTO t (i, …) …       keeps the rows; answered with their values, as text and joined by '|', NULL as '-'
//   SELECT i FROM t WHERE …      answered with column i of the kept rows that qualify, joined by ','
// An error is answered with "error SQLSTATE message". Rows qualify by the plain evaluation of the normal form.
#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <string>
#include <vector>

#include "daedalus/aggregator/compile.hpp"
#include "daedalus/semantics/packed.hpp"
#include "daedalus/semantics/predicate.hpp"
#include "daedalus/semantics/text.hpp"
#include "sql_fixture.hpp"

namespace daedalus::aggregator::testing {
namespace {

using semantics::Value;
using Row = std::vector<Value>;

class StatementTwin {
 public:
  std::string answer(const std::string& line) {
    constexpr std::string_view kNow = "now ";
    if (line.starts_with(kNow)) {
      now_us_ = std::stoll(line.substr(kNow.size()));
      return "ok";
    }
    wire::v1::StatementBody statement;
    statement.set_sql(line);
    Result<Compiled> compiled = compiler_.compile(statement, now_us_);
    if (!compiled) {
      return fmt::format("error {} {}", compiled.error().sqlstate, compiled.error().message);
    }
    if (const auto* select = std::get_if<CompiledSelect>(&*compiled)) {
      return matching(select->selection->predicate);
    }
    return keep(std::get<CompiledUpdate>(*compiled).body.parts(0).insert().rows());
  }

 private:
  std::string keep(std::string_view packed) {
    std::string text;
    semantics::PackedRows rows(packed);
    for (auto row = rows.next(); row.has_value() && row->has_value(); row = rows.next()) {
      rows_.push_back(*semantics::read_packed_row(semantics::column_types(*schema_), **row));
      for (size_t column = 0; column < schema_->columns.size(); ++column) {
        const Value& value = rows_.back()[column];
        text += text.empty() ? "" : "|";
        text += semantics::is_null(value) ? "-" : semantics::format_text(schema_->columns[column].type, value);
      }
    }
    return text;
  }

  [[nodiscard]] std::string matching(const semantics::Predicate& predicate) const {
    std::string text;
    for (const Row& row : rows_) {
      if (semantics::evaluate(*schema_, predicate, row)) {
        text += fmt::format("{}{}", text.empty() ? "" : ",", std::get<int64_t>(row[*schema_->find("i")]));
      }
    }
    return text;
  }

  std::shared_ptr<const semantics::Schema> schema_ = test_schema();
  Compiler compiler_{schema_, test_map()};
  int64_t now_us_ = kNowUs;
  std::vector<Row> rows_;
};

void answer_all() {
  StatementTwin twin;
  for (std::string line; std::getline(std::cin, line);) {
    std::string answer = twin.answer(line);
    std::replace(answer.begin(), answer.end(), '\n', ' ');
    std::cout << answer << '\n';
  }
}

}  // namespace
}  // namespace daedalus::aggregator::testing

int main() {
  daedalus::aggregator::testing::answer_all();
  return 0;
}
