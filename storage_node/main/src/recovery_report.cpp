#include "recovery_report.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>

namespace daedalus::node {

namespace {

double seconds_between(Instant from, Instant to) { return static_cast<double>(to.ns - from.ns) / kSecond; }

double mib(uint64_t bytes) { return static_cast<double>(bytes) / (1 << 20); }

}  // namespace

void RecoveryReport::on_loading(const durability::LoadState& state, Instant now) {
  loaded_ = state;
  if (now >= after(said_, kSecond)) {
    said_ = now;
    const double spent = seconds_between(began_, now);
    const double share = static_cast<double>(state.chunks) / std::max(state.chunk_count, 1u);
    spdlog::info("recovering: {} rows of the checkpoint read, {} MiB, {:.0f} % in {:.0f} s, {:.0f} s left", state.rows,
                 state.bytes >> 20, 100 * share, spent, share > 0 ? spent / share - spent : 0.0);
  }
}

void RecoveryReport::on_progress(const durability::ReplayProgress& progress, Instant now) {
  last_ = progress;
  if (now >= after(said_, kSecond)) {
    said_ = now;
    spdlog::info("recovering: update {} replayed, {} MiB of updates in {:.0f} s", raw(progress.reached),
                 progress.bytes >> 20, seconds_between(began_, now));
  }
}

void RecoveryReport::on_end(Instant now) const {
  spdlog::info(
      "recovered: {} rows from the checkpoint ({:.1f} MiB in {:.3f} s), {} updates from the log ({:.1f} MiB in {:.3f} "
      "s), in {:.2f} s",
      loaded_.rows, mib(loaded_.bytes), seconds_between(began_, loaded_at_), last_.records, mib(last_.bytes),
      seconds_between(loaded_at_, now), seconds_between(began_, now));
}

}  // namespace daedalus::node
