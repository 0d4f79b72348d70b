#include "row_store.hpp"

#include <algorithm>
#include <bit>

namespace daedalus::engine::bench {
namespace {

using semantics::TypeKind;

constexpr uint32_t kSampleRows = 1024;
constexpr uint32_t kWord = sizeof(uint64_t);

}  // namespace

RowStore::RowStore(const TicketTable& table)
    : table_(&table), row_size_(table.row_size()), rows_(size_t{table.row_count()} * row_size_ + kWord) {
  for (uint32_t column = 0; column < kTicketColumns; ++column) {
    const ColumnSpec& spec = table.columns()[column];
    const uint32_t width = std::min(spec.width, kWord);
    // The NULL bits come first: they share a cache line with what nearly every query asks for.
    fields_[column] = {kWord + spec.offset, UINT64_MAX >> (64 - 8 * width)};
  }
  for (uint32_t number = 0; number < table.row_count(); ++number) {
    const auto ordinals = table.ordinals(number);
    for (uint32_t column = 0; column < kTicketColumns; ++column) {
      set(number, column, ordinals[column]);
    }
    if (number % std::max(1u, table.row_count() / kSampleRows) == 0) {
      for (uint32_t column = 0; column < kTicketColumns; ++column) {
        samples_[column].push_back(ordinals[column]);
      }
    }
  }
  for (std::vector<uint32_t>& sample : samples_) {
    std::sort(sample.begin(), sample.end());
  }
  std::vector<uint32_t> fetched = fetched_columns();
  std::sort(fetched.begin(), fetched.end());
  for (const uint32_t column : fetched) {
    const uint32_t width = table.columns()[column].width;
    if (!pieces_.empty() && pieces_.back().offset + pieces_.back().size == fields_[column].offset) {
      pieces_.back().size += width;
    } else {
      pieces_.push_back({fields_[column].offset, width});
    }
    fetched_size_ += width;
  }
}

void RowStore::set(uint32_t row, uint32_t column, uint32_t ordinal) {
  uint8_t* bytes = rows_.data() + size_t{row} * row_size_;
  const uint64_t bit = uint64_t{1} << column;
  const uint64_t nulls = ordinal == kNullOrdinal ? load_word(bytes) | bit : load_word(bytes) & ~bit;
  std::memcpy(bytes, &nulls, sizeof nulls);
  encode(column, ordinal, bytes + fields_[column].offset);
}

void RowStore::encode(uint32_t column, uint32_t ordinal, uint8_t* out) const {
  const ColumnSpec& spec = table_->columns()[column];
  table_->store(column, ordinal, out);
  const uint32_t width = std::min(spec.width, kWord);
  if (semantics::is_string(spec.type.kind)) {
    std::reverse(out, out + width);
  } else if (spec.type.kind != TypeKind::kBool) {
    // The highest byte is the last one. Floating numbers of this table are not negative.
    out[width - 1] ^= 0x80;
  }
}

uint64_t RowStore::key_of(uint32_t column, uint32_t ordinal) const {
  std::array<uint8_t, 64> bytes{};
  encode(column, ordinal, bytes.data());
  return load_word(bytes.data()) & fields_[column].mask;
}

double RowStore::share(const Between& between) const {
  const std::vector<uint32_t>& sample = samples_[between.column];
  const auto first = std::lower_bound(sample.begin(), sample.end(), between.low);
  const auto last = std::upper_bound(first, sample.end(), between.high);
  // Rarer than the sample shows: as often as the number of values says.
  const double least = (between.high - between.low + 1.0) / table_->columns()[between.column].cardinality;
  return first == last ? std::min(least, 1.0 / static_cast<double>(sample.size()))
                       : static_cast<double>(last - first) / static_cast<double>(sample.size());
}

std::vector<ReadyQuery> RowStore::make_ready(const std::vector<TicketQuery>& queries) const {
  std::vector<ReadyQuery> all;
  for (const TicketQuery& query : queries) {
    ReadyQuery& ready = all.emplace_back();
    for (const Between& between : query) {
      ReadyBetween& made = ready.emplace_back(
          ReadyBetween{between, key_of(between.column, between.low), key_of(between.column, between.high), {}});
      const uint32_t width = table_->columns()[between.column].width;
      for (const uint32_t bound : {between.low, between.high}) {
        std::string text(width, '\0');
        encode(between.column, bound, reinterpret_cast<uint8_t*>(text.data()));
        made.tails.append(text, std::min(width, kWord));
      }
    }
  }
  return all;
}

void RowStore::compile(const ReadyQuery& query, uint64_t settled_columns, Conditions& conditions) const {
  std::vector<std::pair<double, const ReadyBetween*>> ordered;
  Conditions::Query compiled{static_cast<uint32_t>(conditions.all.size()), 0, 0};
  for (const ReadyBetween& between : query) {
    compiled.columns |= uint64_t{1} << between.column;
    if (((settled_columns >> between.column) & 1) == 0) {
      ordered.emplace_back(share(between), &between);
    }
  }
  std::sort(ordered.begin(), ordered.end(), [](const auto& one, const auto& other) { return one.first < other.first; });
  for (const auto& [share, between] : ordered) {
    WordCondition condition{
        .field = fields_[between->column], .low = between->low_word, .span = between->high_word - between->low_word};
    if (!between->tails.empty()) {
      condition.tail_size = static_cast<uint32_t>(between->tails.size() / 2);
      condition.tails = static_cast<uint32_t>(conditions.tails.size());
      conditions.tails += between->tails;
    }
    conditions.all.push_back(condition);
  }
  compiled.count = static_cast<uint32_t>(ordered.size());
  conditions.queries.push_back(compiled);
}

bool RowStore::tail_holds(const Conditions& conditions, const WordCondition& condition, const uint8_t* row) {
  const uint64_t distance = load_word(row + condition.field.offset) - condition.low;
  const uint8_t* tail = row + condition.field.offset + kWord;
  const char* bounds = conditions.tails.data() + condition.tails;
  return (distance != 0 || std::memcmp(tail, bounds, condition.tail_size) >= 0) &&
         (distance != condition.span || std::memcmp(tail, bounds + condition.tail_size, condition.tail_size) <= 0);
}

void RowStore::write_out(const uint8_t* row, std::string& out, Answer& answer) const {
  size_t at = out.size();
  out.resize(at + fetched_size_);
  for (const Piece& piece : pieces_) {
    std::memcpy(out.data() + at, row + piece.offset, piece.size);
    at += piece.size;
  }
  ++answer.rows;
  answer.id_sum += load_word(row + fields_[kId].offset) ^ (uint64_t{1} << 63);
}

}  // namespace daedalus::engine::bench
