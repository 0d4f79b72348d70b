// Room for the limbs of integers beyond 128 bits: each thread keeps what was given back for those that come.
//
// Decides how much of it is kept. After some rows no number needs memory, whatever its digits.
#pragma once

#include <cstddef>
#include <type_traits>

namespace daedalus::semantics {

/// Memory of so many bytes, aligned as a word: some that this thread was given back, if there is any of this size.
[[nodiscard]] void* take_limbs(size_t bytes);
/// Takes such memory back, from any thread. Of each size a few are kept, of 8 KiB at most; what is beyond is freed.
void give_limbs(void* room, size_t bytes) noexcept;

/// As which Boost's integers ask for it.
template <typename Limb>
struct SpareLimbs {
  using value_type = Limb;
  using is_always_equal = std::true_type;

  SpareLimbs() = default;
  template <typename Other>
  explicit SpareLimbs(const SpareLimbs<Other>&) noexcept {}

  [[nodiscard]] Limb* allocate(size_t count) { return static_cast<Limb*>(take_limbs(count * sizeof(Limb))); }
  void deallocate(Limb* room, size_t count) noexcept { give_limbs(room, count * sizeof(Limb)); }

  friend bool operator==(SpareLimbs, SpareLimbs) { return true; }
};

}  // namespace daedalus::semantics
