#include "daedalus/semantics/spare_limbs.hpp"

#include <array>
#include <bit>
#include <cstdint>
#include <new>

namespace daedalus::semantics {
namespace {

/// Sizes are powers of two: from what Boost asks for first to what powers with 4,000 digits take.
constexpr size_t kBytesMinBits = 6;
constexpr size_t kBytesMaxBits = 13;
constexpr size_t kSizes = kBytesMaxBits - kBytesMinBits + 1;
/// As many temporaries as a series and its callers have at a time, and some values beside them.
constexpr uint32_t kKeptOfEachSize = 16;

/// A shelf keeps rooms of one size: each begins with where the next one is.
struct Shelf {
  void* first = nullptr;
  uint32_t count = 0;

  [[nodiscard]] void* take() {
    void* const room = first;
    first = *static_cast<void**>(room);
    --count;
    return room;
  }
  void give(void* room) {
    *static_cast<void**>(room) = first;
    first = room;
    ++count;
  }
};

enum class Keeping : uint8_t { kNotYet, kYes, kNoMore };

// Numbers outlive what a thread destroys at its end, so this has no destructor of its own.
constinit thread_local std::array<Shelf, kSizes> shelves;
constinit thread_local Keeping keeping = Keeping::kNotYet;

struct Clearing {
  ~Clearing() {
    keeping = Keeping::kNoMore;
    for (Shelf& shelf : shelves) {
      while (shelf.count > 0) {
        ::operator delete(shelf.take());
      }
    }
  }
};

bool may_keep() {
  if (keeping == Keeping::kNotYet) {
    static thread_local const Clearing clearing;
    static_cast<void>(&clearing);
    keeping = Keeping::kYes;
  }
  return keeping == Keeping::kYes;
}

/// Which size holds so many bytes; kSizes or more: none that is kept.
size_t size_number(size_t bytes) {
  const auto bits = static_cast<size_t>(std::bit_width(bytes - 1));
  return bits < kBytesMinBits ? 0 : bits - kBytesMinBits;
}

}  // namespace

void* take_limbs(size_t bytes) {
  const size_t number = size_number(bytes);
  if (number >= kSizes) {
    return ::operator new(bytes);
  }
  Shelf& shelf = shelves[number];
  return shelf.count > 0 ? shelf.take() : ::operator new(size_t{1} << (number + kBytesMinBits));
}

void give_limbs(void* room, size_t bytes) noexcept {
  const size_t number = size_number(bytes);
  if (number < kSizes && shelves[number].count < kKeptOfEachSize && may_keep()) {
    shelves[number].give(room);
  } else {
    ::operator delete(room);
  }
}

}  // namespace daedalus::semantics
