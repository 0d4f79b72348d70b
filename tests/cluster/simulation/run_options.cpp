#include "run_options.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace daedalus::testing {

namespace {

TableShape shape_of(uint64_t seed) {
  switch (seed % 32) {
    case 5:
      return TableShape::kWide;
    case 10:
      return TableShape::kManyColumns;
    default:
      return TableShape::kSmall;
  }
}

Story story_of(uint64_t seed) {
  if (seed % 16 == 8 || seed % 16 == 13) {
    return Story::kOldJournal;
  }
  if (seed % 16 == 5) {
    return Story::kRottenJournal;
  }
  switch (seed % 8) {
    case 4:
      return Story::kDiskLies;
    case 1:
      return Story::kNodeIsLost;
    case 3:
    case 7:
      return Story::kTakeOver;
    case 6:
      return Story::kOlderMap;
    default:
      return Story::kNone;
  }
}

}  // namespace

RunOptions options_of(uint64_t seed) {
  rpc::Random random(~seed);  // Not the sequence of the run itself.
  RunOptions options;
  options.seed = seed;
  options.topology = draw_topology(random);
  options.story = story_of(seed);
  options.shape = shape_of(seed);
  options.has_log = random.below(2) == 0;
  options.journals_late = random.below(2) == 0;
  options.shape_handles = static_cast<uint32_t>(random.below(5));
  options.session_reads = 24;
  options.session_writes = 18;
  options.holds = 4;
  if (options.story == Story::kDiskLies || options.story == Story::kOldJournal ||
      options.story == Story::kRottenJournal) {
    options.has_log = true;
  }
  options.writer_looks = seed % 16 != 8;
  if (seed % 8 == 2 && options.shape == TableShape::kSmall) {
    options.has_log = true;
    options.is_tight = true;
    options.topology.nodes = std::min(options.topology.nodes, 2u);
    options.topology.partitions_per_node = 1;
    options.topology.segments = 1;
  }
  return options;
}

std::string describe(const RunOptions& options) {
  static constexpr const char* kStories[] = {"no story",
                                             "a node is lost",
                                             "a second writer takes over",
                                             "an older map is about",
                                             "a disk lies",
                                             "an old journal is put back",
                                             "a journal rots"};
  static constexpr const char* kShapes[] = {"small", "wide", "many columns"};
  const Topology& topology = options.topology;
  return fmt::format("{} nodes of {} partitions of {} segments, {} aggregators, table: {}; {}{}{}{}", topology.nodes,
                     topology.partitions_per_node, topology.segments, topology.aggregators,
                     kShapes[static_cast<size_t>(options.shape)], kStories[static_cast<size_t>(options.story)],
                     options.has_log ? "; nodes have a log" : "", options.journals_late ? "; the journal is slow" : "",
                     options.has_faults ? "" : "; no faults");
}

}  // namespace daedalus::testing
