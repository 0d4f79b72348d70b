// A vector that needs memory of its own only where it gets longer than usual.
#pragma once

#include <array>
#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

namespace daedalus::semantics {

/// Up to kFew elements lie in the object itself; they are made with it.
template <typename T, size_t kFew>
class SmallVector {
 public:
  [[nodiscard]] size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] T* data() { return many_.empty() ? few_.data() : many_.data(); }
  [[nodiscard]] const T* data() const { return many_.empty() ? few_.data() : many_.data(); }
  [[nodiscard]] T* begin() { return data(); }
  [[nodiscard]] T* end() { return data() + size_; }
  [[nodiscard]] const T* begin() const { return data(); }
  [[nodiscard]] const T* end() const { return data() + size_; }
  [[nodiscard]] auto rbegin() const { return std::make_reverse_iterator(end()); }
  [[nodiscard]] auto rend() const { return std::make_reverse_iterator(begin()); }
  [[nodiscard]] T& operator[](size_t place) { return data()[place]; }
  [[nodiscard]] const T& operator[](size_t place) const { return data()[place]; }
  [[nodiscard]] T& back() { return data()[size_ - 1]; }
  [[nodiscard]] const T& back() const { return data()[size_ - 1]; }

  void push_back(T value) {
    if (size_ < kFew) {
      few_[size_] = std::move(value);
    } else {
      if (many_.empty()) {
        many_.assign(std::make_move_iterator(few_.begin()), std::make_move_iterator(few_.end()));
      }
      many_.push_back(std::move(value));
    }
    ++size_;
  }

 private:
  std::array<T, kFew> few_{};
  std::vector<T> many_;  ///< All of them, if there is any.
  size_t size_ = 0;
};

}  // namespace daedalus::semantics
