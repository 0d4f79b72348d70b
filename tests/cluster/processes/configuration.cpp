#include "configuration.hpp"

#include "daedalus/contract/features.hpp"
#include "daedalus/contract/shape_handles.hpp"

namespace daedalus::testing {

wire::v1::Hello make_hello(const ClusterConfiguration& configuration, wire::v1::Role role, const std::string& name) {
  wire::v1::Hello hello;
  hello.set_role(role);
  hello.set_name(name);
  hello.set_software_version("simulated");
  contract::announce_features(hello);
  if (role == wire::v1::ROLE_AGGREGATOR || role == wire::v1::ROLE_STORAGE_NODE) {
    hello.set_cluster_id(kClusterId);
    hello.set_schema_fingerprint(configuration.schema->fingerprint);
    hello.set_map_version(configuration.map->version);
    contract::announce({configuration.shape_handles, contract::kShapeBytesMax}, hello);
  }
  return hello;
}

}  // namespace daedalus::testing
