#include "recovery_report.hpp"

#include <spdlog/spdlog.h>

namespace daedalus::node {

namespace {

double seconds_between(Instant from, Instant to) { return static_cast<double>(to.ns - from.ns) / kSecond; }

}  // namespace

void RecoveryReport::on_progress(const durability::ReplayProgress& progress, Instant now) {
  last_ = progress;
  if (now >= after(said_, kSecond)) {
    said_ = now;
    spdlog::info("recovering: update {} replayed, {} MiB of updates in {:.0f} s", raw(progress.reached),
                 progress.bytes >> 20, seconds_between(began_, now));
  }
}

void RecoveryReport::on_end(Instant now) const {
  spdlog::info("recovered: updates up to {}, {} of them from the log ({} MiB), in {:.2f} s", raw(last_.reached),
               last_.records, last_.bytes >> 20, seconds_between(began_, now));
}

}  // namespace daedalus::node
