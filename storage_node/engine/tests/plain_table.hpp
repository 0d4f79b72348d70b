// The plain twin of a segment: a list of rows of values, and answers computed the obvious way.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "daedalus/engine/segment.hpp"
#include "test_table.hpp"

namespace daedalus::engine::test {

class PlainTable {
 public:
  PlainTable(const semantics::Schema& schema, uint64_t rows_max) : schema_(&schema), rows_max_(rows_max) {}

  /// What the update does; the table is then in that state.
  UpdateOutput apply(const Update& update);

  /// Fails the running test unless `output` is an answer to `selection` from the present state.
  void expect_answer(const semantics::Selection& selection, const QueryOutput& output) const;

  [[nodiscard]] const std::vector<Row>& rows() const { return rows_; }

 private:
  [[nodiscard]] std::vector<Row> matching(const semantics::Predicate& predicate) const;
  void expect_rows(const semantics::Selection& selection, const QueryOutput& output) const;
  void expect_groups(const semantics::Selection& selection, const QueryOutput& output) const;
  /// False when a sum leaves its column's range; `row` is then as it was.
  [[nodiscard]] bool modify_row(const std::vector<semantics::Assignment>& assignments, Row& row) const;

  const semantics::Schema* schema_;
  uint64_t rows_max_;
  std::vector<Row> rows_;
};

}  // namespace daedalus::engine::test
