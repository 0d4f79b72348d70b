// Merging answers without aggregates: laid end to end in the order of parts, or sorted.
#include <algorithm>
#include <map>
#include <string>

#include "answer_merge.hpp"
#include "daedalus/base/check.hpp"
#include "daedalus/semantics/decimal.hpp"
#include "daedalus/semantics/packed.hpp"
#include "int128.hpp"
#include "packed_walk.hpp"

namespace daedalus::semantics {

Result<void> AnswerWriter::append_bytes(std::string_view row) {
  if (rows_.rows.size() + sizeof(uint32_t) + row.size() > kAnswerBytesMax) {
    return answer_too_large();
  }
  append(static_cast<uint32_t>(row.size()), rows_.rows);
  rows_.rows.append(row);
  ++rows_.row_count;
  return {};
}

Result<void> AnswerWriter::append_values(std::span<const Type> types, std::span<const Value> values) {
  for (const Value& value : values) {
    const auto* decimal = std::get_if<Decimal>(&value);
    if (decimal != nullptr && !fits_precision(*decimal, kDecimalDigitsMax)) {
      return rejected("22003", "value overflows numeric format");
    }
  }
  append_packed_row(types, values, rows_.rows);
  ++rows_.row_count;
  if (rows_.rows.size() > kAnswerBytesMax) {
    return answer_too_large();
  }
  return {};
}

Result<void> append_visible(const MergePlan& plan, std::string_view row, AnswerWriter& writer) {
  if (plan.final_types.size() == plan.partial_types.size()) {
    return writer.append_bytes(row);
  }
  // Hidden outputs come last: the visible ones are a prefix of the values, under a shorter bitmap.
  const size_t visible = plan.final_types.size();
  const size_t bitmap_size = (plan.partial_types.size() + 7) / 8;
  std::string cut(row.substr(0, (visible + 7) / 8));
  if (visible % 8 != 0) {
    cut.back() = static_cast<char>(static_cast<uint8_t>(cut.back()) & ((1u << (visible % 8)) - 1));
  }
  const char* end = row.data() + bitmap_size;
  const WalkEnd walk = walk_packed_row(
      plan.partial_types.size(), row, [&](size_t column) -> const Type& { return plan.partial_types[column]; },
      [&](size_t column, bool null, std::string_view bytes) {
        if (column < visible && !null) {
          end = bytes.data() + bytes.size();
        }
        return column + 1 < visible;
      });
  CHECK(walk == WalkEnd::kStopped);
  cut.append(row.data() + bitmap_size, end);
  return writer.append_bytes(cut);
}

namespace {

Result<void> check_shape(const MergePlan& plan, std::string_view row) {
  const WalkEnd end = walk_packed_row(
      plan.partial_types.size(), row, [&](size_t column) -> const Type& { return plan.partial_types[column]; },
      [](size_t, bool, std::string_view) { return true; });
  return end == WalkEnd::kComplete ? Result<void>() : Result<void>(malformed_row(end));
}

class Concatenation final : public Merge {
 public:
  explicit Concatenation(const MergePlan& plan) : plan_(plan) {}

  Result<void> add(uint32_t part, std::string_view row) override {
    if (const Result<void> checked = check_shape(plan_, row); !checked) {
      return checked;
    }
    Part& it = parts_[part];
    if (it.row_count >= plan_.rows_wanted) {
      return {};
    }
    bytes_ += sizeof(uint32_t) + row.size();
    if (bytes_ > kAnswerBytesMax) {
      return answer_too_large();
    }
    append(static_cast<uint32_t>(row.size()), it.rows);
    it.rows.append(row);
    ++it.row_count;
    return {};
  }

  Result<MergedRows> finish(bool is_final) override {
    AnswerWriter writer;
    const uint64_t skipped = is_final ? plan_.selection.offset : 0;
    uint64_t position = 0;
    for (auto& [number, part] : parts_) {
      PackedRows rows(part.rows);
      for (uint64_t i = 0; i < part.row_count && position < plan_.rows_wanted; ++i, ++position) {
        const auto row = rows.next();
        CHECK(row.has_value() && row->has_value());
        if (position < skipped) {
          continue;
        }
        const Result<void> written = is_final ? append_visible(plan_, **row, writer) : writer.append_bytes(**row);
        if (!written) {
          return written.error();
        }
      }
      part.rows = std::string();  // Never hold the answer twice.
    }
    return writer.take();
  }

 private:
  struct Part {
    std::string rows;
    uint64_t row_count = 0;
  };

  const MergePlan& plan_;
  std::map<uint32_t, Part> parts_;
  uint64_t bytes_ = 0;
};

/// Keeps every row with its decoded keys; under a limit, from time to time only the best.
class SortedMerge final : public Merge {
 public:
  explicit SortedMerge(const MergePlan& plan) : plan_(plan) {}

  Result<void> add(uint32_t part, std::string_view row) override {
    Row kept;
    if (const Result<void> decoded = decode_keys(row, kept); !decoded) {
      return decoded;
    }
    kept.part = part;
    kept.sequence = sequence_++;
    kept.bytes.assign(row);
    bytes_ += cost(kept);
    rows_.push_back(std::move(kept));
    if (rows_.size() >= kTrimRowsMin && rows_.size() / kTrimFactor >= plan_.rows_wanted) {
      trim();
    }
    return bytes_ > kSortBytesMax ? Result<void>(answer_too_large()) : Result<void>();
  }

  Result<MergedRows> finish(bool is_final) override {
    std::sort(rows_.begin(), rows_.end(), [this](const Row& left, const Row& right) { return precedes(left, right); });
    AnswerWriter writer;
    const uint64_t end = std::min<uint64_t>(rows_.size(), plan_.rows_wanted);
    for (uint64_t i = is_final ? plan_.selection.offset : 0; i < end; ++i) {
      const Result<void> written =
          is_final ? append_visible(plan_, rows_[i].bytes, writer) : writer.append_bytes(rows_[i].bytes);
      if (!written) {
        return written.error();
      }
    }
    return writer.take();
  }

 private:
  // An answer of small rows takes several times its size while it is sorted.
  static constexpr uint64_t kSortBytesMax = 4 * kAnswerBytesMax;
  // Trimming costs a selection over all rows: rarely enough to be linear in total.
  static constexpr size_t kTrimRowsMin = 1024;
  static constexpr uint64_t kTrimFactor = 4;

  struct Row {
    std::vector<Value> keys;
    std::string bytes;
    uint32_t part = 0;
    uint64_t sequence = 0;
  };

  /// Bytes counted against the bound: what the row takes here, keys included, not only in the answer.
  static uint64_t cost(const Row& row) { return sizeof(Row) + row.bytes.size() + row.keys.size() * sizeof(Value); }

  bool precedes(const Row& left, const Row& right) const {
    const std::strong_ordering keys = compare_keys(plan_.selection.order_by, left.keys, right.keys);
    if (keys != 0) {
      return keys < 0;
    }
    return left.part != right.part ? left.part < right.part : left.sequence < right.sequence;
  }

  void trim() {
    const auto middle = rows_.begin() + static_cast<std::ptrdiff_t>(plan_.rows_wanted);
    std::nth_element(rows_.begin(), middle, rows_.end(),
                     [this](const Row& left, const Row& right) { return precedes(left, right); });
    rows_.erase(middle, rows_.end());
    bytes_ = 0;
    for (const Row& row : rows_) {
      bytes_ += cost(row);
    }
  }

  Result<void> decode_keys(std::string_view row, Row& kept) const {
    const std::vector<OrderKey>& order_by = plan_.selection.order_by;
    kept.keys.resize(order_by.size());
    std::optional<Error> error;
    const WalkEnd end = walk_packed_row(
        plan_.partial_types.size(), row, [&](size_t column) -> const Type& { return plan_.partial_types[column]; },
        [&](size_t column, bool null, std::string_view bytes) {
          for (size_t key = 0; key < order_by.size() && !null; ++key) {
            if (order_by[key].output != column) {
              continue;
            }
            Result<Value> value = decode_packed(plan_.partial_types[column], bytes);
            if (!value) {
              error = std::move(value).error();
              return false;
            }
            kept.keys[key] = std::move(*value);
          }
          return true;
        });
    if (end == WalkEnd::kStopped) {
      return *std::move(error);
    }
    return end == WalkEnd::kComplete ? Result<void>() : Result<void>(malformed_row(end));
  }

  const MergePlan& plan_;
  std::vector<Row> rows_;
  uint64_t bytes_ = 0;
  uint64_t sequence_ = 0;
};

}  // namespace

std::unique_ptr<Merge> make_concatenation(const MergePlan& plan) { return std::make_unique<Concatenation>(plan); }

std::unique_ptr<Merge> make_sorted_merge(const MergePlan& plan) { return std::make_unique<SortedMerge>(plan); }

}  // namespace daedalus::semantics
