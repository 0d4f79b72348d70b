// The memory of a segment's window: slabs of one size.
//
// Decides where slabs come from and how many there are at most. Blocks of slabs come from the allocator while the
// window grows and stay for its later records, so that recording allocates nothing once the window has had its size.
// Refuses to know what is in a slab, and which one goes when there is no more.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "daedalus/base/units.hpp"

namespace daedalus::engine {

/// Enough for the longest value of a column and what is told of it; a chunk that changes takes one slab at least.
constexpr size_t kSlabBytes = 8192;

/// One thing that an update overwrote: in one row, or in many rows of a chunk that it changed together.
struct Record {
  enum class Kind : uint16_t {
    kInserted,     ///< There was no row.
    kDeleted,      ///< There was a row; its values lie where they were, or in later records.
    kValues,       ///< The row had these values in so many columns.
    kRowsDeleted,  ///< There were these rows.
    kRowsValues,   ///< These rows had these values in one column.
  };

  Timestamp timestamp{};
  uint16_t row = 0;  ///< A record of many rows has the first word of their bitmap here.
  Kind kind = Kind::kInserted;
  uint16_t begin = 0;  ///< Its first byte in Slab::bytes.
  uint16_t count = 0;  ///< Counts columns, or the words of the bitmap.

  [[nodiscard]] bool is_of_many() const { return kind == Kind::kRowsDeleted || kind == Kind::kRowsValues; }
};
static_assert(sizeof(Record) == 16);

/// Records of one chunk in the order in which they came. Their bytes fill a slab from its front, they themselves from
/// its end.
struct alignas(64) Slab {
  Slab* newer = nullptr;
  Slab* older = nullptr;
  Timestamp last{};  ///< The highest timestamp of its records and of those in older slabs.
  uint16_t count = 0;
  uint16_t used = 0;  ///< Counts the bytes of its records.
  alignas(16) std::array<uint8_t, kSlabBytes - 32> bytes;

  /// Returns how many bytes one more record may have. Precondition: there is room for the record itself.
  [[nodiscard]] size_t room() const { return bytes.size() - used - (count + 1) * sizeof(Record); }
  [[nodiscard]] bool has_room_for(size_t record_bytes) const {
    return used + (count + size_t{1}) * sizeof(Record) + record_bytes <= bytes.size();
  }
  [[nodiscard]] uint8_t* end() { return bytes.data() + used; }
  [[nodiscard]] const Record& record(uint32_t number) const {
    return reinterpret_cast<const Record*>(bytes.data() + bytes.size())[-1 - static_cast<int64_t>(number)];
  }
  [[nodiscard]] const uint8_t* bytes_of(const Record& record) const { return bytes.data() + record.begin; }

  /// Appends a record whose bytes were written from end() up to `bytes_end`.
  void append(Record record, const uint8_t* bytes_end);
};
static_assert(sizeof(Slab) == kSlabBytes);

class SlabPool {
 public:
  explicit SlabPool(uint64_t bytes_max) : slabs_max_(bytes_max / kSlabBytes) {}

  /// An empty slab; null when as many are taken as there may be.
  [[nodiscard]] Slab* take();
  void give_back(Slab& slab);

  [[nodiscard]] uint64_t taken_bytes() const { return taken_ * kSlabBytes; }

 private:
  static constexpr size_t kSlabsOfBlock = 32;

  uint64_t slabs_max_;
  uint64_t taken_ = 0;
  std::vector<std::unique_ptr<Slab[]>> blocks_;
  size_t fresh_ = 0;      ///< Counts the slabs of the last block that nobody has taken yet.
  Slab* free_ = nullptr;  ///< A list by `older`.
};

}  // namespace daedalus::engine
