// Random updates and queries over one small table, from the simulation's own randomness.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "daedalus/contract/translate.hpp"
#include "daedalus/rpc/random.hpp"
#include "daedalus/semantics/types.hpp"

namespace daedalus::testing {

/// id bigint, place int (what rows are placed by), amount int NULL, note varchar(8) NULL. Keys are few, so that updates
/// collide.
[[nodiscard]] semantics::Schema small_schema();

enum class Placement : uint8_t { kRoundRobin, kHash };

/// One partition per node.
[[nodiscard]] contract::PartitionMap small_map(uint32_t node_count, Placement placement);

class Workload {
 public:
  Workload(const semantics::Schema& schema, const contract::PartitionMap& map, rpc::Random& random)
      : schema_(schema), map_(map), random_(random) {}

  struct Update {
    std::string body;
    std::vector<wire::v1::Route> routes;
  };
  [[nodiscard]] Update next_update();

  struct Query {
    std::string body;  ///< SelectBody, all columns, RESULT_FORM_FINAL.
    std::vector<wire::v1::Route> routes;
    semantics::Predicate predicate;
  };
  [[nodiscard]] Query next_query();
  /// Everything.
  [[nodiscard]] Query whole_table() const;

 private:
  void add_insert(wire::v1::UpdateBody& body, uint32_t& ordinal);
  void add_modify(wire::v1::UpdateBody& body);
  void add_delete(wire::v1::UpdateBody& body);
  [[nodiscard]] semantics::Expression filter();
  [[nodiscard]] Query query(const semantics::Expression* filter) const;

  const semantics::Schema& schema_;
  const contract::PartitionMap& map_;
  rpc::Random& random_;
  int64_t next_id_ = 1;
};

}  // namespace daedalus::testing
