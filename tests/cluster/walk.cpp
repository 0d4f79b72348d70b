// One INSERT or one SELECT through a whole simulated cluster, for tools/walk.py, which looks on through a debugger and
// notes which functions are entered between walk_begins() and walk_ends(). What is made only once has been made before.
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "aggregator_process.hpp"
#include "client_process.hpp"
#include "daedalus/base/check.hpp"
#include "node_process.hpp"
#include "topology.hpp"
#include "writer_process.hpp"

// Nothing but places to stop at.
extern "C" [[gnu::noinline]] void walk_begins() { __asm__ volatile(""); }
extern "C" [[gnu::noinline]] void walk_ends() { __asm__ volatile(""); }

namespace daedalus::testing {
namespace {

constexpr int64_t kPatienceNs = 60 * kSecond;

ClusterConfiguration configuration() {
  const Topology topology{.nodes = 2, .segments = 1, .aggregators = 1, .partitions_by = Placement::kHash};
  return {.schema = std::make_shared<const semantics::Schema>(simulated_schema(TableShape::kSmall)),
          .map = std::make_shared<const contract::PartitionMap>(map_of(topology)),
          .segments = topology.segments,
          .nodes = {"node-0:1", "node-1:1"},
          .aggregators = {"aggregator-0:1"},
          .writer = "writer:1"};
}

/// A quiet cluster, and an application that says one thing at a time.
class WalkedCluster {
 public:
  WalkedCluster() {
    for (uint32_t node = 0; node < configuration_.nodes.size(); ++node) {
      nodes_.push_back(std::make_unique<NodeProcess>(configuration_, NodeId{node}, network_));
    }
    CHECK(network_.run_until([this] { return writer_.model().phase() == WriterModel::Phase::kActive; }, kPatienceNs));
    network_.run_for(kSecond);
  }

  /// Until the answer is there.
  void write(const std::string& text) {
    const uint32_t before = reports_;
    client_.submit(++number_, {.text = text}, true, kPatienceNs);
    CHECK(network_.run_until([&] { return reports_ != before; }, kPatienceNs));
  }

  void read(const std::string& text) {
    const size_t before = client_.answers().size();
    CHECK(client_.ask({.text = text}, {.is_text = true}, 0));
    CHECK(network_.run_until([&] { return client_.answers().size() != before; }, kPatienceNs));
    CHECK(client_.answers().back().has_end);
  }

 private:
  const ClusterConfiguration configuration_ = configuration();
  rpc::SimulatedNetwork network_{{}};
  std::vector<std::unique_ptr<NodeProcess>> nodes_;
  AggregatorProcess aggregator_{configuration_, "aggregator-0:1", network_};
  WriterProcess writer_{
      configuration_, writer_options(configuration_), network_, {[](auto&&...) {}, [](auto&&...) {}, [](auto&&...) {}}};
  ClientProcess client_{configuration_,
                        "client:1",
                        configuration_.aggregators,
                        std::string(16, 'c'),
                        network_,
                        [this](const SubmissionReport& report) {
                          CHECK(report.confirmed.has_value());
                          ++reports_;
                        }};
  uint32_t reports_ = 0;
  uint64_t number_ = 0;
};

}  // namespace
}  // namespace daedalus::testing

int main(int argument_count, char** arguments) {
  const bool writes = argument_count > 1 && std::string(arguments[1]) == "INSERT";
  daedalus::testing::WalkedCluster cluster;
  cluster.write("INSERT INTO small VALUES (1, 3, 10, 'first')");
  cluster.read("SELECT id FROM small WHERE place = 3");
  walk_begins();
  if (writes) {
    cluster.write("INSERT INTO small VALUES (2, 3, 20, 'second')");
  } else {
    cluster.read("SELECT id, note FROM small WHERE place = 3 AND amount > 5");
  }
  walk_ends();
  return 0;
}
