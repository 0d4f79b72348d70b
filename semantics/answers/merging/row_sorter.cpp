#include "row_sorter.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace daedalus::semantics {
namespace {

constexpr size_t kHeadSize = sizeof(uint64_t);
/// Keeping one more row costs so much, and so does freeing or sorting one.
constexpr uint64_t kAddUnits = 4;

uint64_t head_of(std::string_view key) {
  uint64_t head = 0;
  for (size_t i = 0; i < kHeadSize; ++i) {
    head = head << 8 | (i < key.size() ? static_cast<uint8_t>(key[i]) : 0);
  }
  return head;
}

}  // namespace

bool RowSorter::precedes(const Run& left_run, const Entry& left, const Run& right_run, const Entry& right) {
  if (left.key_head != right.key_head) {
    return left.key_head < right.key_head;
  }
  // No key is the beginning of another, so keys that differ only in padding are equal.
  const int tails = tail_of(left_run, left).compare(tail_of(right_run, right));
  return tails != 0 ? tails < 0 : left.place < right.place;
}

void RowSorter::add(uint32_t stream, std::string_view key, uint64_t place, std::string_view row, WorkBudget& budget) {
  RunPtr& run = open_[stream];
  if (run == nullptr) {
    run = std::make_unique<Run>();
  }
  Entry entry;
  entry.key_head = head_of(key);
  entry.place = place;
  entry.row = row.data();
  entry.row_size = static_cast<uint32_t>(row.size());
  entry.tail_begin = static_cast<uint32_t>(run->tails.size());
  if (key.size() > kHeadSize) {
    run->tails.append(key.substr(kHeadSize));
    entry.tail_size = static_cast<uint32_t>(key.size() - kHeadSize);
  }
  const bool is_in_order = run->entries.empty() || precedes(*run, run->entries.back(), *run, entry);
  if (run->is_sorted && !is_in_order && run->entries.size() >= kRunRows) {
    // Rows that have come in order so far stay a run of their own.
    entry.tail_begin = 0;
    std::string tail = run->tails.substr(run->tails.size() - entry.tail_size);
    run->tails.resize(run->tails.size() - entry.tail_size);
    close(std::exchange(run, std::make_unique<Run>()), budget);
    run->tails = std::move(tail);
  } else {
    run->is_sorted = run->is_sorted && is_in_order;
  }
  run->entries.push_back(entry);
  ++row_count_;
  run->counted_bytes += sizeof(Entry) + entry.tail_size;
  memory_bytes_ += sizeof(Entry) + entry.tail_size;
  budget.spend(kAddUnits + copy_units(key.size()));
  if (run->entries.size() >= (run->is_sorted ? kSortedRunRows : kRunRows)) {
    close(std::exchange(run, nullptr), budget);
  }
}

void RowSorter::close(RunPtr run, WorkBudget& budget) {
  if (!run->is_sorted) {
    std::sort(run->entries.begin(), run->entries.end(),
              [&](const Entry& left, const Entry& right) { return precedes(*run, left, *run, right); });
    run->is_sorted = true;
    budget.spend(run->entries.size() * static_cast<uint64_t>(std::bit_width(run->entries.size())));
  }
  runs_.push_back(std::move(run));
}

bool RowSorter::prepare(WorkBudget& budget) {
  while (!open_.empty()) {
    if (budget.is_spent()) {
      return false;
    }
    const auto first = open_.begin();
    if (first->second != nullptr && !first->second->entries.empty()) {
      close(std::move(first->second), budget);
    }
    open_.erase(first);
  }
  if (!is_heap_) {
    is_heap_ = true;
    const auto is_later = [](const RunPtr& left, const RunPtr& right) { return precedes(*right, *left); };
    std::make_heap(runs_.begin(), runs_.end(), is_later);
    budget.spend(2 * runs_.size());
  }
  return true;
}

std::optional<RowSorter::Sorted> RowSorter::next(WorkBudget& budget) {
  spent_.reset();
  if (runs_.empty()) {
    return std::nullopt;
  }
  Run& run = *runs_.front();
  const Entry& entry = run.entries[run.at];
  head_bytes_.resize(kHeadSize);
  for (size_t i = 0; i < kHeadSize; ++i) {
    head_bytes_[i] = static_cast<char>(static_cast<uint8_t>(entry.key_head >> (8 * (kHeadSize - 1 - i))));
  }
  const Sorted sorted{{entry.row, entry.row_size}, head_bytes_, tail_of(run, entry), entry.place};
  --row_count_;
  ++run.at;
  if (run.at == run.entries.size()) {
    memory_bytes_ -= run.counted_bytes;
    spent_ = std::move(runs_.front());
    runs_.front() = std::move(runs_.back());
    runs_.pop_back();
  }
  sift_down();
  budget.spend(4 + 2 * static_cast<uint64_t>(std::bit_width(runs_.size())));
  return sorted;
}

/// The first run may have become too late for its place.
void RowSorter::sift_down() {
  size_t at = 0;
  while (true) {
    size_t child = 2 * at + 1;
    if (child >= runs_.size()) {
      return;
    }
    if (child + 1 < runs_.size() && precedes(*runs_[child + 1], *runs_[child])) {
      ++child;
    }
    if (!precedes(*runs_[child], *runs_[at])) {
      return;
    }
    std::swap(runs_[child], runs_[at]);
    at = child;
  }
}

bool RowSorter::drop(WorkBudget& budget) {
  spent_.reset();
  while (!runs_.empty()) {
    if (budget.is_spent()) {
      return false;
    }
    budget.spend(page_units(runs_.back()->counted_bytes));
    runs_.pop_back();
  }
  open_.clear();
  memory_bytes_ = 0;
  return true;
}

}  // namespace daedalus::semantics
