// Sessions of PostgreSQL's protocol are told these options once, and the maximum of everything that one keeps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "daedalus/base/units.hpp"
#include "daedalus/contract/shape_handles.hpp"
#include "daedalus/semantics/time_zone.hpp"
#include "daedalus/semantics/types.hpp"

namespace daedalus::postgres {

/// The maximum of everything a session keeps.
struct SessionLimits {
  size_t statements_max = 1024;              ///< Prepared, with names.
  size_t statement_bytes_max = 4u << 20;     ///< Their texts together.
  size_t portals_max = 64;                   ///< With names.
  size_t portal_bytes_max = 16u << 20;       ///< The parameters of all portals.
  size_t pipeline_max = 1024;                ///< Queries under way at once, and the Syncs between them.
  uint64_t pipeline_bytes_max = 1u << 20;    ///< Their parameters; and rows that come before their turn.
  size_t cursors_max = 16;                   ///< DECLARE makes so many at most.
  uint64_t cursor_passed_bytes = 4u << 20;   ///< Rows kept that a cursor has passed and may go back to.
  size_t simple_statements_max = 4096;       ///< In one text.
  size_t input_size_max = 64u << 10;         ///< Read ahead while a statement runs, bytes.
  uint64_t output_pause_size = 256u << 10;   ///< So much unread output: no further message is looked at, bytes.
  int64_t startup_ns_max = 10 * kSecond;     ///< Until its client has logged in.
  int64_t stall_ns_max = 600 * kSecond;      ///< While output waits and none of it leaves.
  int64_t operation_ns_max = 600 * kSecond;  ///< For a statement without statement_timeout.
};

struct SessionOptions {
  std::string database;  ///< The one there is; the table's name.
  std::shared_ptr<const semantics::Schema> schema;
  /// The zones that a session's TimeZone may name; null: UTC and what POSIX spells.
  std::shared_ptr<const semantics::TimeZones> zones = nullptr;
  uint64_t map_version = 0;
  size_t clients_max = 10'000;  ///< Logged in or on their way in, at once.
  /// All clients together may keep so many bytes: statements, parameters, writes before they are submitted.
  uint64_t kept_bytes_max = 1u << 30;
  bool trusts_loopback = false;  ///< Clients of this machine log in without a password, as operators.
  bool requires_tls = false;     ///< Clients of other machines come encrypted.
  bool writes_at_once = false;   ///< daedalus.block_writes of sessions that say nothing of it: immediate.
  SessionLimits limits;
  contract::HandleLimits handles{1024, contract::kShapeBytesMax};  ///< The core's, for each of its clients.
};

}  // namespace daedalus::postgres
