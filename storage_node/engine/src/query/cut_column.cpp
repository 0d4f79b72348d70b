#include "cut_column.hpp"

#include <algorithm>

namespace daedalus::engine {
namespace {

/// Values from the first cut to the last that each have an entry of their own: 256 KiB.
constexpr uint64_t kWorthsMax = 1u << 16;

/// The lowest code from `code` on that a value can have; 0: there is none.
uint64_t first_from(const CodeRule& rule, uint64_t code) {
  return rule.is_floating ? code : (code + rule.step() - 1) & ~(rule.step() - 1);
}

}  // namespace

std::pair<uint64_t, uint64_t> CutColumn::ends_of(CodeRange codes) const {
  // Nothing is above the highest code: its successor is 0, too.
  return {first_from(layout_->code, codes.low), first_from(layout_->code, codes.high + 1)};
}

uint32_t CutColumn::missing(CodeRange codes) const {
  const auto [low, above] = ends_of(codes);
  const auto is_missing = [&](uint64_t cut) {
    return cut != 0 && !std::binary_search(cuts_.begin(), cuts_.end(), cut);
  };
  return (is_missing(low) ? 1 : 0) + (is_missing(above) && above != low ? 1 : 0);
}

void CutColumn::add(CodeRange codes) {
  const auto [low, above] = ends_of(codes);
  for (const uint64_t cut : {low, above}) {
    const auto place = std::lower_bound(cuts_.begin(), cuts_.end(), cut);
    if (cut != 0 && (place == cuts_.end() || *place != cut)) {
      cuts_.insert(place, cut);
    }
  }
}

void CutColumn::end(uint32_t weight) {
  weight_ = weight;
  const CodeRule& rule = layout_->code;
  if (rule.is_floating || cuts_.empty() || (cuts_.back() - cuts_.front()) / rule.step() + 2 > kWorthsMax) {
    return;
  }
  const uint64_t steps = (cuts_.back() - cuts_.front()) / rule.step() + 2;
  const uint64_t base = cuts_.front() - rule.step();
  for (uint64_t step = 0; step < steps; ++step) {
    worths_.push_back(interval_of(base + step * rule.step()) * weight);
  }
}

uint32_t CutColumn::interval_of(uint64_t code) const {
  // As many halvings for every code, and none of them a branch: which half it is cannot be predicted.
  const uint64_t* place = cuts_.data();
  auto count = static_cast<uint32_t>(cuts_.size());
  while (count > 1) {
    const uint32_t half = count / 2;
    place += place[half - 1] <= code ? half : 0;
    count -= half;
  }
  return static_cast<uint32_t>(place - cuts_.data()) + (count == 1 && *place <= code ? 1 : 0);
}

IntervalRange CutColumn::intervals(CodeRange codes) const {
  const auto [low, above] = ends_of(codes);
  return {low == 0 ? 0 : interval_of(low), above == 0 ? interval_count() - 2 : interval_of(above) - 1};
}

template <typename CodeOf>
void CutColumn::number_values(const uint8_t* values, uint32_t count, CodeOf&& code, uint32_t* numbers) const {
  const uint32_t stride = layout_->stride;
  if (worths_.empty()) {
    for (uint32_t position = 0; position < count; ++position) {
      numbers[position] = interval_of(code(load<uint64_t>(values + size_t{position} * stride))) * weight_;
    }
    return;
  }
  const uint64_t base = cuts_.front() - layout_->code.step();
  const uint32_t shift = layout_->code.shift;
  const uint64_t last = worths_.size() - 1;
  const uint32_t* worths = worths_.data();
  for (uint32_t position = 0; position < count; ++position) {
    const uint64_t of_value = code(load<uint64_t>(values + size_t{position} * stride));
    const uint64_t steps = (std::max(of_value, base) - base) >> shift;
    numbers[position] = worths[std::min(steps, last)];
  }
}

void CutColumn::number(const ChunkView& chunk, uint32_t first, uint32_t count, uint32_t* room, uint32_t* cells) const {
  const CodeRule rule = layout_->code;
  const uint8_t* values = chunk.planes[column_] + size_t{first} * layout_->stride + rule.offset;
  if (rule.is_floating) {
    number_values(
        values, count, [rule](uint64_t raw) { return code_of_raw(rule, raw); }, room);
  } else if (rule.is_text) {
    const uint64_t mask = ~uint64_t{0} << rule.shift;
    number_values(
        values, count, [mask](uint64_t raw) { return __builtin_bswap64(raw) & mask; }, room);
  } else {
    number_values(
        values, count, [rule](uint64_t raw) { return (raw << rule.shift) ^ rule.flip; }, room);
  }
  if (layout_->nullable) {
    const uint32_t null_worth = all().last * weight_;
    for_each_bit(chunk.nulls[column_] + first / 64, count / 64,
                 [&](uint32_t position) { room[position] = null_worth; });
  }
  for (uint32_t position = 0; position < count; ++position) {
    cells[position] += room[position];
  }
}

}  // namespace daedalus::engine
