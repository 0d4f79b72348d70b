#include "query_twins.hpp"

#include <algorithm>
#include <cstdint>

#include "branches.hpp"

namespace daedalus::engine {
namespace {

/// Queries of one hash that a query is compared with.
constexpr size_t kComparedMax = 16;

struct Hashed {
  uint64_t hash = 0;
  uint32_t query = 0;
};

}  // namespace

void join_twins(std::vector<QueryRun>& queries) {
  std::vector<Hashed> hashed;
  for (uint32_t query = 0; query < queries.size(); ++query) {
    if (queries[query].is_active() && queries[query].is_aggregating()) {
      hashed.push_back({queries[query].predicate().fingerprint(), query});
    }
  }
  std::sort(hashed.begin(), hashed.end(), [](const Hashed& left, const Hashed& right) {
    return left.hash != right.hash ? left.hash < right.hash : left.query < right.query;
  });
  std::vector<uint32_t> firsts;  // Queries of the hash at hand that others may follow.
  for (size_t at = 0; at < hashed.size(); ++at) {
    if (at > 0 && hashed[at].hash != hashed[at - 1].hash) {
      firsts.clear();
    }
    QueryRun& query = queries[hashed[at].query];
    const auto first =
        std::find_if(firsts.begin(), firsts.end(), [&](uint32_t number) { return query.is_twin_of(queries[number]); });
    if (first != firsts.end()) {
      mark_branch(Branch::kTwin);
      query.follow(queries[*first]);
    } else if (firsts.size() < kComparedMax) {
      firsts.push_back(hashed[at].query);
    }
  }
}

}  // namespace daedalus::engine
