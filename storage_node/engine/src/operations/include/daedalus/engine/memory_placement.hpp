// Says where the memory of a segment really lies.
#pragma once

#include <cstdint>
#include <string>

namespace daedalus::engine {

struct MemoryPlacement {
  bool is_settled = false;       ///< Touched by its owner and looked at; all else is meaningless before.
  int32_t numa_node = -1;        ///< It is bound there; -1: to none.
  bool is_verified = false;      ///< The kernel was asked for every page, and all are there.
  uint64_t bytes = 0;            ///< Resident, or meant to be.
  uint64_t huge_page_bytes = 0;  ///< Counts the bytes of these, in huge pages.
  std::string problem;           ///< Why it is not bound or not verified; empty when all is as wanted.
};

}  // namespace daedalus::engine
