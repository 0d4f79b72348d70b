#include "daedalus/machine/machine.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <sys/resource.h>

#include <algorithm>
#include <fstream>

namespace daedalus {

namespace {

constexpr uint32_t kNumaNodesMax = 1024;
/// No process of ours needs more descriptors; "unlimited" cannot be had.
constexpr rlim_t kDescriptorsWanted = 65'536;

}  // namespace

std::string instruction_set() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f")) {
    return "AVX-512";
  }
  if (__builtin_cpu_supports("avx2")) {
    return "AVX2";
  }
  return __builtin_cpu_supports("sse4.2") ? "SSE4.2" : "baseline";
#elif defined(__aarch64__)
  return "NEON";
#else
  return "baseline";
#endif
}

std::string numa_map() {
  std::string map;
  for (uint32_t node = 0; node < kNumaNodesMax; ++node) {
    std::ifstream in(fmt::format("/sys/devices/system/node/node{}/cpulist", node));
    std::string cpus;
    if (!std::getline(in, cpus)) {
      break;
    }
    map += fmt::format("{}{}: {}", map.empty() ? "" : ", ", node, cpus);
  }
  return map.empty() ? "unknown" : map;
}

std::vector<uint32_t> usable_cpus() {
  std::vector<uint32_t> cpus;
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof(set), &set) == 0) {
    for (uint32_t cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
      if (CPU_ISSET(cpu, &set)) {
        cpus.push_back(cpu);
      }
    }
  }
  if (cpus.empty()) {
    cpus.push_back(0);
  }
  return cpus;
}

uint64_t raise_descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) {
    return 0;
  }
  const rlim_t wanted = std::min<rlim_t>(limit.rlim_max, kDescriptorsWanted);
  const rlimit raised{std::max(wanted, limit.rlim_cur), limit.rlim_max};
  return ::setrlimit(RLIMIT_NOFILE, &raised) == 0 ? raised.rlim_cur : limit.rlim_cur;
}

}  // namespace daedalus
