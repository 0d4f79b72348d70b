// The updates of one cycle: how they are admitted, applied chunk by chunk, and replayed after a checkpoint was loaded.
//
// Decides nothing itself: puts admission, application and replay together for whoever runs cycles. After a checkpoint
// was loaded, a chunk takes no update that it has already. Refuses to know queries.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <vector>

#include "admitted_updates.hpp"
#include "change_list.hpp"
#include "daedalus/engine/operation.hpp"
#include "daedalus/engine/segment_options.hpp"
#include "slot_allocator.hpp"
#include "update_admission.hpp"
#include "update_application.hpp"
#include "update_replay.hpp"
#include "window.hpp"

namespace daedalus::engine {

class UpdateSweep {
 public:
  /// memory: what parts are compiled into; may be given back after end(). window_bytes: see
  /// SegmentOptions::window_bytes.
  UpdateSweep(const TableLayout& layout, ChunkStore& store, Sketches& sketches, std::pmr::memory_resource& memory,
              AccessPaths paths, uint64_t window_bytes);
  UpdateSweep(const UpdateSweep&) = delete;
  UpdateSweep& operator=(const UpdateSweep&) = delete;

  /// Admits an update and reserves the slots of its inserts: room that its own deletes make is for later updates.
  /// False, and `update` untouched, when it has to wait for the next cycle. Never false for a cycle's first update.
  /// Precondition (CHECKed): an update that the loaded allocator knows of brings its slots along, and they are slots.
  [[nodiscard]] bool admit(Update& update) { return admission_.admit(update); }
  [[nodiscard]] uint32_t count() const { return admitted_.count(); }

  /// Bytes of what is assigned by all that was admitted.
  [[nodiscard]] uint64_t assigned_bytes() const { return changes_.assigned_bytes(); }

  /// Plans for what was admitted.
  void begin() { application_.begin(); }

  /// The next chunk at or after `chunk` that something admitted may touch; chunk_count() when there is none.
  [[nodiscard]] uint32_t next_chunk(uint32_t chunk) const { return application_.next_chunk(chunk); }
  void sweep(uint32_t chunk) { application_.sweep(chunk); }

  /// By timestamp, complete after the sweep. They may be taken before end().
  [[nodiscard]] std::vector<UpdateOutput>& outputs() { return admitted_.outputs; }
  void end();

  /// Live rows of the segment.
  [[nodiscard]] uint64_t live_rows() const { return application_.live_rows(); }

  /// Returns the bounds of what rows have in each chunk; in those that were swept with this cycle's changes.
  [[nodiscard]] const ChunkBounds& bounds() const { return application_.bounds(); }

  /// Returns what the updates overwrote.
  [[nodiscard]] Window& window() { return window_; }
  /// See Window::trim().
  void trim_window(Timestamp keep_from);

  /// Before the first cycle: the rows of this chunk were loaded. Everything derived from them is made anew.
  void on_load(uint32_t chunk) { application_.on_load(chunk); }
  /// See SlotAllocator.
  [[nodiscard]] Result<void> load(const AllocatorImage& image);
  [[nodiscard]] AllocatorImage allocator_image(Timestamp prefix) const { return slots_.image(prefix); }
  [[nodiscard]] Timestamp known_through() const { return slots_.known_through(); }

  /// Before the first cycle: from now on each chunk leaves out the updates up to its own prefix, by chunk.
  /// From the highest of these on the window can answer.
  void begin_replay(std::vector<Timestamp> prefixes);
  /// Returns whether a segment with all updates up to `prefix` has chunks that are beyond it.
  [[nodiscard]] bool is_replaying(Timestamp prefix) const { return replay_.is_under_way(prefix); }
  /// The prefix of a chunk that the sweep of a cycle up to `prefix` has passed.
  [[nodiscard]] Timestamp prefix_of(uint32_t chunk, Timestamp prefix) const { return replay_.prefix_of(chunk, prefix); }

 private:
  SlotAllocator slots_;
  ChangeList changes_;
  AdmittedUpdates admitted_;
  Window window_;
  UpdateReplay replay_;
  UpdateAdmission admission_;
  UpdateApplication application_;
};

}  // namespace daedalus::engine
