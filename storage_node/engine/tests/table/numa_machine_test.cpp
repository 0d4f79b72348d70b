// Tests what takes two NUMA nodes. Runs as it is on a machine that has them, else on one that qemu plays
// (tests/numa/run_on_two_nodes.sh), without a test framework, so that little has to be there.
#include <numa.h>
#include <sched.h>

#include <cstdio>

#include "daedalus/base/check.hpp"
#include "daedalus/engine/segment_thread.hpp"
#include "daedalus/semantics/row_codec.hpp"
#include "reserved_memory.hpp"

namespace daedalus::engine {
namespace {

constexpr uint64_t kSize = 32u << 20;

semantics::Schema make_schema() {
  semantics::Schema schema;
  schema.table_name = "numbers";
  schema.columns = {{"id", {semantics::TypeKind::kBigint}, false, {}}};
  return schema;
}

/// A core of each node, by node.
std::vector<uint32_t> cores_by_node() {
  std::vector<uint32_t> cores;
  for (int node = 0; node <= numa_max_node(); ++node) {
    for (uint32_t core = 0; core < CPU_SETSIZE; ++core) {
      if (numa_node_of_core(core) == static_cast<uint32_t>(node)) {
        cores.push_back(core);
        break;
      }
    }
  }
  return cores;
}

/// Memory goes where it is bound, whoever touches it.
void test_binding(uint32_t node) {
  ReservedMemory memory(kSize);
  const MemoryPlacement placement = memory.settle(node);
  std::printf("bound to node %u: verified %d, %llu of %llu bytes in huge pages %s\n", node, placement.is_verified,
              static_cast<unsigned long long>(placement.huge_page_bytes),
              static_cast<unsigned long long>(placement.bytes), placement.problem.c_str());
  CHECK(placement.is_verified && placement.numa_node == static_cast<int32_t>(node));
}

/// Pages that somebody touched too early are moved.
void test_moving(uint32_t from, uint32_t to) {
  ReservedMemory memory(kSize);
  CHECK(memory.settle(from).is_verified);
  memory.data()[kSize - 1] = 42;
  CHECK(memory.settle(to).is_verified);
  CHECK(memory.data()[kSize - 1] == 42);
}

void test_segment(uint32_t core, uint32_t node) {
  const semantics::Schema schema = make_schema();
  const semantics::GenericRowCodec codec(schema);
  Segment segment(schema, codec.codec(), {.memory_bytes = kSize});
  std::atomic<bool> is_settled{false};
  SegmentThread thread(segment, {.core = core, .memory_settled = [&] {
                                   is_settled.store(true);
                                   is_settled.notify_one();
                                 }});
  CHECK(thread.pinned());
  is_settled.wait(false);
  const MemoryPlacement placement = segment.statistics().placement;
  CHECK(placement.is_settled && placement.is_verified && placement.numa_node == static_cast<int32_t>(node));
}

int run() {
  const std::vector<uint32_t> cores = numa_available() < 0 ? std::vector<uint32_t>() : cores_by_node();
  if (cores.size() < 2) {
    std::printf("not run: this machine has one NUMA node\n");
    return 0;
  }
  for (uint32_t node = 0; node < cores.size(); ++node) {
    test_binding(node);
    test_moving(node, node == 0 ? 1 : 0);
    test_segment(cores[node], node);
  }
  const MemoryPlacement nowhere = ReservedMemory(kSize).settle(static_cast<uint32_t>(cores.size()));
  CHECK(nowhere.is_settled && !nowhere.is_verified && !nowhere.problem.empty());
  std::printf("passed on %zu NUMA nodes\n", cores.size());
  return 0;
}

}  // namespace
}  // namespace daedalus::engine

int main() { return daedalus::engine::run(); }
