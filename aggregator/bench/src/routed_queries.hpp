// SELECTs on one key each, encoded before the clock starts: what is left to do for one is to put its sequence in. They
// are of one shape, which is defined once on each connection.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "daedalus/base/result.hpp"
#include "daedalus/wire/v1/operations.pb.h"
#include "daedalus/wire/v1/results.pb.h"

namespace daedalus::aggregator::bench {

class RoutedQueries {
 public:
  static constexpr uint32_t kOutputsMax = 27;
  static constexpr uint32_t kConditionsMax = 9;
  static constexpr uint32_t kHandle = 1;

  /// `count` queries with keys drawn by a fixed rule: up to 27 columns of the table where the column that partitions it
  /// and up to eight others have a value, as an aggregator above would ask it (partial form, by handle). Errors: 0A000
  /// when the table is not partitioned by hash of one column, or a column of a condition is no smallint, int or bigint.
  [[nodiscard]] static Result<RoutedQueries> make(const wire::v1::DescribeReply& table, uint32_t count);

  /// One query over and over, as SQL text: for answers with many rows.
  [[nodiscard]] static RoutedQueries of_statement(const std::string& sql);

  /// Returns the operation that has to be sent, with a sequence of its own, before the queries; nothing where they need
  /// no shape.
  [[nodiscard]] const std::optional<wire::v1::Operation>& definition() const { return definition_; }
  /// Adds one query, with this sequence, to the payload of a frame of operations. Cost: one copy.
  void append(uint64_t sequence, std::string& payload) const;
  /// Bytes of one query in a frame.
  [[nodiscard]] size_t size() const { return entries_.front().size(); }

 private:
  void add(const wire::v1::Operation& operation);

  std::optional<wire::v1::Operation> definition_;
  std::vector<std::string> entries_;  ///< Whole members of an OperationBatch.
  /// The place in each operation where its sequence stands, in five bytes.
  std::vector<size_t> sequence_places_;
};

}  // namespace daedalus::aggregator::bench
