// Random updates and questions over one table, from the simulation's own randomness: what is asked (question.hpp), and
// the body and routes in which it travels.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "daedalus/contract/translate.hpp"
#include "daedalus/rpc/random.hpp"
#include "daedalus/semantics/types.hpp"
#include "question.hpp"

namespace daedalus::testing {

constexpr uint32_t kId = 0;
constexpr uint32_t kPlace = 1;
constexpr uint32_t kAmount = 2;
constexpr uint32_t kNote = 3;

/// id bigint, place int (what rows are placed by), amount int NULL, note varchar(8) NULL, and by shape further columns.
/// Keys are few, so that updates collide.
enum class TableShape : uint8_t {
  kSmall,        ///< No further ones.
  kWide,         ///< Three of varchar(4096), full in a few rows.
  kManyColumns,  ///< Eighty of four types: more than the sketches of a row have places for.
};

[[nodiscard]] semantics::Schema simulated_schema(TableShape shape);

enum class Placement : uint8_t { kRoundRobin, kHash };

/// One partition per node.
[[nodiscard]] contract::PartitionMap small_map(uint32_t node_count, Placement placement);

class Workload {
 public:
  Workload(const semantics::Schema& schema, const contract::PartitionMap& map, rpc::Random& random)
      : schema_(schema), map_(map), random_(random) {}

  struct Update {
    std::vector<PlainPart> parts;
    std::string body;
    std::vector<wire::v1::Route> routes;
  };
  [[nodiscard]] Update next_update();

  struct Query {
    Question question;
    std::string body;  ///< SelectBody, RESULT_FORM_FINAL.
    std::vector<wire::v1::Route> routes;
  };
  [[nodiscard]] Query next_query();
  /// Of a table with wide columns: more than a row of an answer may hold.
  [[nodiscard]] Query too_wide_query();
  /// Everything.
  [[nodiscard]] Query whole_table() const;

 private:
  [[nodiscard]] PlainInsert draw_insert();
  [[nodiscard]] PlainModify draw_modify();
  [[nodiscard]] PlainDelete draw_delete();
  [[nodiscard]] Row draw_row();
  [[nodiscard]] semantics::Value draw_value(const semantics::Type& type);
  [[nodiscard]] semantics::Expression draw_filter();
  [[nodiscard]] semantics::Expression draw_pinned();
  [[nodiscard]] int64_t draw_place() { return random_.between(0, 11); }
  [[nodiscard]] Query query(Question question) const;

  const semantics::Schema& schema_;
  const contract::PartitionMap& map_;
  rpc::Random& random_;
  int64_t next_id_ = 1;
};

}  // namespace daedalus::testing
