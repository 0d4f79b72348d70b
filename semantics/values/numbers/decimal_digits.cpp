#include "decimal_digits.hpp"

#include <algorithm>
#include <charconv>
#include <span>

#include "int128.hpp"

namespace daedalus::semantics {
namespace {

/// The greatest power of ten that a word holds.
constexpr uint32_t kDigitsOfWord = 19;
constexpr uint64_t kWord = 10'000'000'000'000'000'000U;

/// Divides by kWord; what is left over.
uint64_t divide_by_word(std::span<uint64_t> limbs) {
  Uint128 rest = 0;
  for (size_t at = limbs.size(); at-- > 0;) {
    rest = rest << 64 | limbs[at];
    limbs[at] = static_cast<uint64_t>(rest / kWord);
    rest %= kWord;
  }
  return static_cast<uint64_t>(rest);
}

std::span<uint64_t> without_zeros(std::span<uint64_t> limbs) {
  while (!limbs.empty() && limbs.back() == 0) {
    limbs = limbs.first(limbs.size() - 1);
  }
  return limbs;
}

/// Writes the digits of what is not zero so that they end at `end`; where they begin. Uses `limbs` up.
char* write_before(char* end, std::span<uint64_t> limbs) {
  for (limbs = without_zeros(limbs); limbs.size() > 1; limbs = without_zeros(limbs)) {
    uint64_t word = divide_by_word(limbs);
    for (uint32_t digit = 0; digit < kDigitsOfWord; ++digit, word /= 10) {
      *--end = static_cast<char>('0' + word % 10);
    }
  }
  std::array<char, kDigitsOfWord + 1> first;
  const auto written = std::to_chars(first.data(), first.data() + first.size(), limbs[0]);
  return std::copy_backward(first.data(), written.ptr, end);
}

}  // namespace

DecimalDigits::DecimalDigits(const BigInt& value) {
  const auto& backend = value.backend();
  if (backend.size() > kLimbs) {
    many_ = BigInt(boost::multiprecision::abs(value)).str();
    text_ = many_;
    return;
  }
  char* const end = room_.data() + room_.size();
  if (value.is_zero()) {
    *(end - 1) = '0';
    text_ = {end - 1, 1};
    return;
  }
  std::array<uint64_t, kLimbs> limbs;
  std::copy_n(backend.limbs(), backend.size(), limbs.begin());
  const char* const begin = write_before(end, std::span(limbs).first(backend.size()));
  text_ = {begin, static_cast<size_t>(end - begin)};
}

DecimalGroups::DecimalGroups(const Decimal& value) : digits_(value.unscaled) {
  if (value.unscaled.is_zero()) {
    return;
  }
  const auto exponent = static_cast<int32_t>(digits_.size()) - 1 - value.scale;  // The first decimal digit has it.
  weight_ = weight_of(exponent);
  first_ = static_cast<size_t>(exponent - kDigits * weight_ + 1);
  const size_t last = digits_.text().find_last_not_of('0');
  size_ = (last + kDigits - first_) / kDigits + 1;
}

int32_t DecimalGroups::operator[](size_t place) const {
  const std::string_view text = digits_.text();
  const size_t end = first_ + place * kDigits;
  int32_t made = 0;
  for (size_t at = end - std::min<size_t>(end, kDigits); at < end; ++at) {
    made = made * 10 + (at < text.size() ? text[at] - '0' : 0);
  }
  return made;
}

}  // namespace daedalus::semantics
