// Keeps what the processes of a simulated cluster have in common: the configuration, and how they greet each other.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "daedalus/contract/translate.hpp"
#include "daedalus/semantics/language.hpp"
#include "daedalus/semantics/types.hpp"
#include "daedalus/wire/v1/session.pb.h"
#include "event_log.hpp"
#include "fault_catalogue.hpp"
#include "sabotage.hpp"

namespace daedalus::testing {

constexpr const char* kClusterId = "simulated";
/// Little enough that answers of a few rows take several turns.
constexpr int64_t kStepUnits = 300;

/// The configuration of every process of the cluster.
struct ClusterConfiguration {
  std::shared_ptr<const semantics::Schema> schema;
  std::shared_ptr<const contract::PartitionMap> map;
  uint32_t segments = 2;               ///< The segments of each partition.
  uint64_t segment_bytes = 64u << 10;  ///< Room for every row of a run.
  std::vector<std::string> nodes;      ///< Endpoints; index is the node id.
  std::vector<std::string> aggregators;
  std::string writer;
  /// The language of aggregators and nodes, but for node 0 where that is of this build and the others are of a later
  /// one.
  const semantics::Language* language = &semantics::Language::own();
  SabotageKind sabotage = SabotageKind::kNone;  ///< In every aggregator.
  bool has_log = false;        ///< Updates wait for a log, which takes its time, before they are applied.
  bool journals_late = false;  ///< So does the writer's journal, and what it lacks is not sent.
  uint32_t shape_handles = 3;  ///< That nodes and aggregators announce: few, so that slots are defined anew.
  /// Says whether transcripts are kept of what writers hear and say.
  bool keeps_transcripts = false;
  uint32_t submissions_known_max = 16;  ///< Few, so that the writer forgets some in every run.
  std::shared_ptr<EventLog> events = std::make_shared<EventLog>();
  std::shared_ptr<FaultCounts> faults = std::make_shared<FaultCounts>();
};

[[nodiscard]] wire::v1::Hello make_hello(const ClusterConfiguration& configuration, wire::v1::Role role,
                                         const std::string& name);

}  // namespace daedalus::testing
