// Tells the log how far a recovery is: once a second while it goes on, and what it came to.
#pragma once

#include "daedalus/base/units.hpp"
#include "daedalus/durability/checkpoint_load.hpp"
#include "daedalus/durability/replay.hpp"

namespace daedalus::node {

class RecoveryReport {
 public:
  explicit RecoveryReport(Instant now) : began_(now), said_(now), loaded_at_(now) {}

  void on_loading(const durability::LoadState& state, Instant now);
  /// All rows of the checkpoint are there.
  void on_loaded(Instant now) { loaded_at_ = now; }
  void on_progress(const durability::ReplayProgress& progress, Instant now);
  void on_end(Instant now) const;

 private:
  Instant began_;
  Instant said_;
  Instant loaded_at_;
  durability::LoadState loaded_;
  durability::ReplayProgress last_;
};

}  // namespace daedalus::node
