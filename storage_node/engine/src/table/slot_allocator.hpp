// Which slots the rows of an insert get.
//
// The choice is a pure function of the sequence of updates, however they are cut into cycles, so that scan order, and
// with it the order of an answer's rows, repeats. Slots are handed out lowest first. A slot freed by an update cools:
// inserts prefer other slots until the generation after the next (1,024 timestamps make a generation), and take a
// cooling one only when nothing else is left. An insert whose slots depend on a delete that was admitted but not yet
// swept has to wait for the next cycle. Refuses to know rows and chunks.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "daedalus/base/result.hpp"
#include "daedalus/base/units.hpp"
#include "daedalus/engine/checkpoint.hpp"

namespace daedalus::engine {

/// Timestamps of one generation. Large against the updates of a cycle, so that admission hardly ever stops for a
/// delete; small against the slots of a segment.
constexpr uint64_t kGenerationTimestamps = 1024;

class SlotAllocator {
 public:
  explicit SlotAllocator(uint32_t slot_count);

  /// Forgets the deletes admitted so far: they have been swept.
  void begin_cycle() { pending_delete_.reset(); }

  struct Demand {
    Timestamp timestamp{};
    uint32_t insert_rows = 0;
    bool deletes = false;  ///< Has a delete part: slots may come free when it is swept.
  };

  /// Reserves the slots of one update: as many as it wants or as there are, appended to `slots` in ascending order.
  /// Room that the update itself frees is there for later updates only. False: nothing was taken, the slots depend on
  /// deletes of this cycle; ask again in the next one. Never false for the first update of a cycle.
  [[nodiscard]] bool admit(const Demand& demand, std::vector<uint32_t>& slots);

  /// Makes all slots free that cool.
  void end_cooling();

  /// Its whole state, once everything up to `prefix` was swept. Borrowed: until the next call.
  [[nodiscard]] AllocatorImage image(Timestamp prefix) const;
  /// Takes over a state that another allocator was in. Error (XX001): it is of other slots, or none that an allocator
  /// can be in. Precondition: nothing was admitted.
  [[nodiscard]] Result<void> load(const AllocatorImage& image);
  /// Names the update up to which the image that was loaded has what updates took and freed.
  [[nodiscard]] Timestamp known_through() const { return known_through_; }

  /// Takes back the slot of a row deleted by the update with this timestamp; nothing if that is known already.
  void release(Timestamp timestamp, uint32_t slot) { release_word(timestamp, slot / 64, uint64_t{1} << (slot % 64)); }
  /// Takes back slots of one bitmap: bit b of rows[w] stands for slot first_slot + 64·w + b. first_slot is a multiple
  /// of 64. Cost: a pass over the words.
  void release(Timestamp timestamp, uint32_t first_slot, std::span<const uint64_t> rows);

 private:
  struct Cooling {
    uint64_t generation = 0;
    uint32_t count = 0;
    std::vector<uint64_t> slots;
  };

  void release_cooled(Cooling& cooling);
  void release_word(Timestamp timestamp, uint32_t word, uint64_t slots);
  void take(uint32_t count, std::vector<uint32_t>& slots);

  std::vector<uint64_t> free_;
  uint32_t free_count_;
  uint32_t first_free_word_ = 0;  ///< No free slot lies in a word before it.
  std::array<Cooling, 2> cooling_;
  Timestamp known_through_{};
  std::optional<uint64_t> pending_delete_;  ///< Generation of the first delete admitted in this cycle.
};

}  // namespace daedalus::engine
