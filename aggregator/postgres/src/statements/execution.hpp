// One Execute, while it waits for something: of which portal, and how far it has come.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "daedalus/base/units.hpp"
#include "portal.hpp"

namespace daedalus::postgres {

struct Execution {
  Portal* portal;
  std::optional<uint64_t> rows_left;  ///< None: no limit.
  uint64_t rows_sent = 0;
  Instant fetch_due = kNever;  ///< A FETCH has to end by then.

  /// Wants at most so many rows; 0: all.
  Execution(Portal& executed, uint32_t rows_max);
  [[nodiscard]] bool wants_rows() const { return rows_left != 0u; }
  [[nodiscard]] uint64_t rows_max() const { return rows_left.value_or(UINT64_MAX); }
  void on_sent(uint32_t rows);

  /// Says whether it is one of a FETCH or MOVE that has begun.
  [[nodiscard]] bool is_fetching() const { return portal->fetch.has_value(); }
  /// Returns the tag that ends it once all its rows have been sent. An INSERT's count is told once.
  [[nodiscard]] std::string tag();
};

}  // namespace daedalus::postgres
