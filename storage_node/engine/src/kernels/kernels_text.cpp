#include "kernels_text.hpp"

#include <algorithm>
#include <cstring>

#include "branches.hpp"
#include "kernels_bitmap.hpp"

namespace daedalus::engine {
namespace {

/// Rows that are held against codes before any is looked at: their first bytes stay in the first-level cache.
constexpr uint32_t kBlockRows = 1024;
constexpr uint32_t kCodeBytes = 8;

/// Calls use(first row, rows, words of matches) for one block of rows after the other.
template <typename Use>
void for_each_block(uint32_t row_count, uint64_t* matches, Use&& use) {
  for (uint32_t first = 0; first < row_count; first += kBlockRows) {
    use(first, std::min(kBlockRows, row_count - first), matches + first / 64);
  }
}

BytesPlane first_bytes(const TextPlanes& planes, uint32_t first_row) {
  return {planes.bytes(first_row), planes.first.width};
}

uint64_t code_of_text(const CodeRule& rule, const uint8_t* text, uint32_t width) {
  uint8_t bytes[kCodeBytes] = {};
  std::memcpy(bytes, text, std::min(width, kCodeBytes));
  return code_of(rule, bytes);
}

int compare_tails(const TextPlanes& planes, uint32_t row, const uint8_t* constant) {
  return planes.tails.width == 0 ? 0 : std::memcmp(planes.tail(row), constant + planes.first.width, planes.tails.width);
}

/// How a constant orders against the string of a row.
int order_of(const uint8_t* constant, const TextPlanes& planes, uint32_t row) {
  const int order = std::memcmp(constant, planes.bytes(row), planes.first.width);
  if (order != 0 || planes.tails.width == 0) {
    return order;
  }
  return std::memcmp(constant + planes.first.width, planes.tail(row), planes.tails.width);
}

/// Takes marks from rows that do not pass.
template <typename Passes>
void keep_if(uint64_t* marks, uint32_t rows, Passes&& passes) {
  for_each_bit(marks, bitmap_words(rows), [&](uint32_t row) {
    if (!passes(row)) {
      clear_bit(marks, row);
    }
  });
}

}  // namespace

void compare_texts(const TextPlanes& planes, uint32_t row_count, CompareOp op, const uint8_t* constant,
                   uint64_t* matches) noexcept {
  const CodeRule rule = code_rule(Native::kBytes, planes.width());
  const uint64_t code = code_of_text(rule, constant, planes.width());
  const CodeRange reach = op == CompareOp::kNotEqual ? CodeRange{} : range_of(op, code, false);
  for_each_block(row_count, matches, [&](uint32_t first, uint32_t rows, uint64_t* marks) {
    mark_code_range(first_bytes(planes, first), rows, rule, reach, marks);
    uint64_t open[bitmap_words(kBlockRows)];
    mark_code_range(first_bytes(planes, first), rows, rule, {code, code}, open);
    for_each_bit(open, bitmap_words(rows), [&](uint32_t row) {
      mark_branch(Branch::kTailDecides);
      if (holds(op, compare_tails(planes, first + row, constant))) {
        set_bit(marks, row);
      } else {
        clear_bit(marks, row);
      }
    });
  });
}

void in_texts(const TextPlanes& planes, uint32_t row_count, const uint8_t* constants, uint32_t constant_count,
              uint64_t* matches) noexcept {
  if (constant_count == 0) {
    std::fill_n(matches, bitmap_words(row_count), 0);
    return;
  }
  const uint32_t width = planes.width();
  const CodeRule rule = code_rule(Native::kBytes, width);
  const CodeRange reach = {code_of_text(rule, constants, width),
                           code_of_text(rule, constants + size_t{constant_count - 1} * width, width)};
  for_each_block(row_count, matches, [&](uint32_t first, uint32_t rows, uint64_t* marks) {
    mark_code_range(first_bytes(planes, first), rows, rule, reach, marks);
    keep_if(marks, rows, [&](uint32_t row) {
      return has_member(constant_count, [&](uint32_t member) {
        return order_of(constants + size_t{member} * width, planes, first + row);
      });
    });
  });
}

CodeRange codes_of(Prefix prefix) noexcept {
  const uint32_t coded = std::min(prefix.fixed_size, kCodeBytes);
  const uint64_t low = coded == 0 ? 0 : code_of_text({.is_text = true}, prefix.fixed, coded);
  return {low, low | (coded == kCodeBytes ? 0 : UINT64_MAX >> (8 * coded))};
}

bool starts_with(const TextPlanes& planes, uint32_t row, Prefix prefix) noexcept {
  const uint8_t* bytes = planes.bytes(row);
  const uint8_t* tail = planes.tail(row);
  const uint32_t in_first = std::min(prefix.fixed_size, planes.first.width);
  const uint32_t in_tail = prefix.fixed_size - in_first;
  if ((in_first > 0 && std::memcmp(bytes, prefix.fixed, in_first) != 0) ||
      (in_tail > 0 && std::memcmp(tail, prefix.fixed + in_first, in_tail) != 0)) {
    return false;
  }
  for (uint32_t at = prefix.fixed_size; at < prefix.fixed_size + prefix.blank_count; ++at) {
    const uint8_t byte = at < planes.first.width ? bytes[at] : tail[at - planes.first.width];
    if (byte != ' ' && byte != 0) {
      return false;
    }
  }
  return true;
}

void starts_with_texts(const TextPlanes& planes, uint32_t row_count, Prefix prefix, uint64_t* matches) noexcept {
  const CodeRule rule = code_rule(Native::kBytes, planes.width());
  const CodeRange reach = codes_of(prefix);
  for_each_block(row_count, matches, [&](uint32_t first, uint32_t rows, uint64_t* marks) {
    mark_code_range(first_bytes(planes, first), rows, rule, reach, marks);
    if (prefix.fixed_size > kCodeBytes || prefix.blank_count > 0) {
      keep_if(marks, rows, [&](uint32_t row) { return starts_with(planes, first + row, prefix); });
    }
  });
}

}  // namespace daedalus::engine
