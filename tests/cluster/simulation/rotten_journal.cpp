// A bit turns in the journal of a writer that was killed.
//
// The writer that starts with it says which file is damaged, and where, and does not begin: its operator puts a copy
// of the file back, or starts a writer that adopts what the nodes have. At the end of the file it looks like a tail
// that a crash tore, and is cut: where nodes have more than is left, the writer says that its journal is not the
// newest.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "journal_bytes.hpp"
#include "simulated_cluster.hpp"

namespace daedalus::testing {

namespace {

constexpr int64_t kSilenceLookNs = 5 * kMillisecond;
constexpr int64_t kSilenceNsMax = 300 * kMillisecond;

}  // namespace

/// Every node keeps for good what it has: nobody else is to lose what rots in the journal as well.
void SimulatedCluster::watch_for_rot() {
  const bool is_time = !writer().is_down() && writer().model().phase() == WriterModel::Phase::kActive &&
                       raw(writer().model().last_numbered()) > 0 &&
                       std::all_of(nodes_.begin(), nodes_.end(), [](const auto& node) {
                         return !node->is_down() && node->core().durable() == node->core().accepted();
                       });
  if (is_time) {
    let_journal_rot();
  } else if (network_.now() < traffic_end_) {
    network_.at(after(network_.now(), kSilenceLookNs), [this] { watch_for_rot(); });
  }
}

void SimulatedCluster::let_journal_rot() {
  rpc::Random& random = network_.random();
  submissions_.on_writer_killed(writer().crash(rpc::Notice::kBoth));
  newest_journal_ = writer().journal();
  const JournalBytes& bytes = writer().journal_bytes();
  std::string file = bytes.file();
  judge_sound_journal(file);
  // In the header, from the last update on, in the last record (as often as all others, as it alone may be torn), or
  // anywhere.
  const std::array<uint64_t, 6> begins = {
      0, bytes.last_update(), JournalBytes::kHeaderSize, bytes.last_record(), bytes.last_record(), bytes.last_record()};
  const uint64_t kind = random.below(begins.size());
  const uint64_t first = begins[kind];
  const uint64_t end = kind == 0 ? JournalBytes::kHeaderSize : bytes.end();
  const uint64_t bit = random.between(static_cast<int64_t>(8 * first), static_cast<int64_t>(8 * end - 1));
  file[bit / 8] = static_cast<char>(file[bit / 8] ^ (1 << bit % 8));
  note("writer", fmt::format("killed, and bit {} of byte {} of {} turns", bit % 8, bit / 8, JournalBytes::kName));
  auto found = read_journal(file);
  if (!found) {
    count(FaultPoint::kFlippedJournal);
    on_damaged_journal(found.error());
    return;
  }
  count(FaultPoint::kFlippedJournalTail);
  old_journal_ = std::move(*found);
  writer().put_back(*old_journal_, true);
  network_.at(after(network_.now(), random.between(kMillisecond, kSilenceNsMax)), [this] {
    writer().come_back();
    look_at_old_journal();
  });
}

/// Before the bit turns it has all that its writer had to keep.
void SimulatedCluster::judge_sound_journal(const std::string& file) {
  const auto found = read_journal(file);
  const RecoveredJournal& meant = *newest_journal_;
  const bool is_same = found && found->first_epoch == meant.first_epoch && found->base == meant.base &&
                       found->last_numbered == meant.last_numbered &&
                       std::all_of(meant.updates.begin(), meant.updates.end(), [&](const auto& update) {
                         const auto read = found->updates.find(update.first);
                         return read != found->updates.end() && read->second.body == update.second.body &&
                                read->second.submission == update.second.submission;
                       });
  if (!is_same) {
    violation("a journal that is sound was not read as it was written" + (found ? "" : ": " + found.error().message));
  }
}

void SimulatedCluster::on_damaged_journal(const Error& error) {
  note("writer", "does not start: " + error.message);
  if (error.message.find(JournalBytes::kName) == std::string::npos ||
      error.message.find("offset ") == std::string::npos) {
    violation("a damaged journal is not named: " + error.message);
  }
  const bool has_copy = network_.random().chance(0.5);
  newest_journal_.reset();
  network_.at(after(network_.now(), network_.random().between(kMillisecond, kSilenceNsMax)), [this, has_copy] {
    if (has_copy) {
      writer().come_back();
    } else {
      adopt();
    }
  });
}

}  // namespace daedalus::testing
