// Whose data a directory holds: written when the node is initialised, and compared at every start.
//
// Decides that an empty directory is never taken for a first start, nor another node's for one's own, that rows are
// not read into another shape of segments than they were written from, and that a log is read only by a build whose
// language has all numbers that may be in it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "daedalus/base/result.hpp"
#include "daedalus/base/units.hpp"
#include "daedalus/durability/disk.hpp"
#include "daedalus/semantics/language.hpp"

namespace daedalus::durability {

struct DataIdentity {
  std::string cluster_id;
  NodeId node{};
  std::string schema_fingerprint;
  std::string map;           ///< The part of the partition map that places rows, as text.
  uint32_t segments = 0;     ///< The number of the node's segments.
  uint32_t chunk_rows = 0;   ///< The number of rows in a chunk of each segment,
  uint32_t chunk_count = 0;  ///< and how many of those.
  uint64_t language = 0;     ///< The hash of the newest version that the log may be in; 0: the first one.
};

/// Nothing where the directory has not been initialised. Errors: XX001 damaged, 58030 unreadable.
[[nodiscard]] Result<std::optional<DataIdentity>> read_identity(Disk& disk);
/// Makes the directory ready for a node that holds nothing. Errors: 55000 there is data in it already; the disk's.
[[nodiscard]] Result<void> initialise(Disk& disk, const DataIdentity& identity);
/// Error (55000) that names what differs, and what to do, where `found` is not what the node is configured to be. Their
/// languages are not compared: see claim_language().
[[nodiscard]] Result<void> check_identity(const Disk& disk, const DataIdentity& found, const DataIdentity& configured);
/// That the directory was made ready for a node so configured. Errors: 55000 it was not, or for something else, XX001,
/// 58030.
[[nodiscard]] Result<void> check_directory(Disk& disk, const DataIdentity& configured);

/// That this build has the language of the directory. Errors: 55000 it has not, XX001, 58030.
[[nodiscard]] Result<void> check_language(Disk& disk, const semantics::Language& language);
/// As check_language(); from then on the directory is of the newest version of `language`, and is refused by builds
/// that lack it, whatever they would find in the log. Precondition: check_directory(). Errors besides: the disk's.
[[nodiscard]] Result<void> claim_language(Disk& disk, const semantics::Language& language);

}  // namespace daedalus::durability
