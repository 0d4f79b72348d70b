#include "host.hpp"

#include <fmt/format.h>

#include <fstream>

namespace daedalus::aggregator {

namespace {

constexpr int kNumaNodesMax = 1'024;  // The kernel's own limit on common machines.

}  // namespace

std::string instruction_set() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw")) {
    return "AVX-512";
  }
  if (__builtin_cpu_supports("avx2")) {
    return "AVX2";
  }
  return __builtin_cpu_supports("sse4.2") ? "SSE4.2" : "plain";
#elif defined(__aarch64__)
  return "NEON";
#else
  return "plain";
#endif
}

std::string numa_map() {
  std::string map;
  for (int node = 0; node < kNumaNodesMax; ++node) {
    std::ifstream file(fmt::format("/sys/devices/system/node/node{}/cpulist", node));
    std::string cores;
    if (!std::getline(file, cores)) {
      break;
    }
    map += fmt::format("{}{}:{}", map.empty() ? "" : " ", node, cores);
  }
  return map.empty() ? "unknown" : map;
}

}  // namespace daedalus::aggregator
