// The plain twin of a segment: a list of rows of values, and answers computed the obvious way.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "daedalus/engine/segment.hpp"
#include "test_table.hpp"

namespace daedalus::engine::test {

class PlainTable {
 public:
  PlainTable(const semantics::Schema& schema, uint64_t rows_max) : schema_(&schema), rows_max_(rows_max) {}

  /// Returns what the update does; the table is then in that state.
  UpdateOutput apply(const Update& update);

  /// Returns what keeps `output` from being an answer to `selection` from the present state; empty when it is one.
  [[nodiscard]] std::string fault(const semantics::Selection& selection, const QueryOutput& output) const;

  [[nodiscard]] const std::vector<Row>& rows() const { return rows_; }

 private:
  struct KeyLess {
    bool operator()(const Row& left, const Row& right) const;
  };

  [[nodiscard]] std::vector<Row> matching(const semantics::Predicate& predicate) const;
  /// Returns the rows that its whole condition selects, residuals included.
  [[nodiscard]] std::vector<Row> matching(const semantics::Selection& selection) const;
  [[nodiscard]] std::map<Row, std::vector<Row>, KeyLess> groups(const semantics::Selection& selection) const;
  void apply(const UpdatePart& part, uint64_t& room, UpdateOutput& output);
  [[nodiscard]] std::string fault_of_rows(const semantics::Selection& selection, const QueryOutput& output) const;
  [[nodiscard]] std::string fault_of_groups(const semantics::Selection& selection, const QueryOutput& output) const;
  /// Finds a fault in the aggregates of one group.
  [[nodiscard]] std::string fault_of_states(const semantics::Selection& selection, const Row& row,
                                            const std::vector<Row>& members) const;
  /// The SQLSTATE of what fails; `row` is then as it was.
  [[nodiscard]] std::optional<std::string> modify_row(const std::vector<semantics::Assignment>& assignments,
                                                      Row& row) const;
  /// Returns whether a part changes the row; what fails is counted.
  [[nodiscard]] bool selects(const semantics::Predicate& predicate, const semantics::Residuals& residuals,
                             const Row& row, UpdateOutput& output) const;

  const semantics::Schema* schema_;
  uint64_t rows_max_;
  std::vector<Row> rows_;
};

}  // namespace daedalus::engine::test
