#include "plain_model.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <thread>

#include "daedalus/semantics/packed.hpp"

namespace daedalus::engine::bench {
namespace {

uint64_t booking_key(uint32_t rloc, uint32_t arrival) { return uint64_t{rloc} << 32 | arrival; }

}  // namespace

Content content_of(std::string_view packed_rows) {
  Content content;
  semantics::PackedRows rows(packed_rows);
  while (const auto row = rows.next().value()) {
    ++content.rows;
    content.hash_sum += std::hash<std::string_view>{}(*row);
  }
  return content;
}

PlainModel::PlainModel(const TicketTable& table) : table_(&table) {
  for (uint32_t column = 0; column < table.column_count(); ++column) {
    columns_.emplace_back(table.row_count());
  }
  rows_by_booking_.reserve(table.row_count());
  for (uint32_t row = 0; row < table.row_count(); ++row) {
    const auto ordinals = table.ordinals(row);
    for (uint32_t column = 0; column < table.column_count(); ++column) {
      columns_[column][row] = ordinals[column];
    }
    if (table.has_tickets() && ordinals[kArrival] != kNullOrdinal) {
      rows_by_booking_.emplace_back(booking_key(ordinals[kRloc], ordinals[kArrival]), row);
    }
  }
  std::sort(rows_by_booking_.begin(), rows_by_booking_.end());
}

std::vector<uint32_t> PlainModel::rows_of(const TicketUpdate& update) const {
  const uint64_t key = booking_key(update.rloc, update.arrival);
  std::vector<uint32_t> rows;
  for (auto at = std::lower_bound(rows_by_booking_.begin(), rows_by_booking_.end(), std::pair{key, 0u});
       at != rows_by_booking_.end() && at->first == key; ++at) {
    rows.push_back(at->second);
  }
  return rows;
}

std::vector<uint32_t> PlainModel::matching(const TicketQuery& query) const {
  TicketQuery ordered = query;
  const auto share = [this](const Between& between) {
    return (between.high - between.low + 1.0) / table_->columns()[between.column].cardinality;
  };
  std::sort(ordered.begin(), ordered.end(),
            [&](const Between& one, const Between& other) { return share(one) < share(other); });
  // Made once a thread: clearing 4 bytes a row for each query would take longer than the query.
  static thread_local std::vector<uint32_t> rows;
  rows.resize(table_->row_count());
  size_t count = rows.size();
  bool is_first = true;
  for (const Between& between : ordered) {
    const uint32_t* values = columns_[between.column].data();
    const uint32_t span = between.high - between.low;
    size_t kept = 0;
    // NULL is the highest ordinal and lies in no range.
    for (size_t at = 0; at < count; ++at) {
      const uint32_t row = is_first ? static_cast<uint32_t>(at) : rows[at];
      rows[kept] = row;
      kept += values[row] - between.low <= span ? 1 : 0;
    }
    count = kept;
    is_first = false;
  }
  CHECK(!is_first);
  return {rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(count)};
}

std::vector<uint32_t> PlainModel::holding(const std::vector<uint32_t>& columns,
                                          std::vector<std::vector<uint32_t>> members) const {
  std::sort(members.begin(), members.end());
  std::vector<bool> is_first(table_->columns()[columns[0]].cardinality);  // Rules most rows out.
  for (const std::vector<uint32_t>& member : members) {
    is_first[member[0]] = true;
  }
  std::vector<uint32_t> rows;
  std::vector<uint32_t> held(columns.size());
  for (uint32_t row = 0; row < table_->row_count(); ++row) {
    const uint32_t first = columns_[columns[0]][row];
    if (first == kNullOrdinal || !is_first[first]) {
      continue;
    }
    std::transform(columns.begin(), columns.end(), held.begin(),
                   [&](uint32_t column) { return columns_[column][row]; });
    if (std::binary_search(members.begin(), members.end(), held)) {
      rows.push_back(row);
    }
  }
  return rows;
}

Content PlainModel::content(const std::vector<uint32_t>& rows, const std::vector<uint32_t>& columns) const {
  std::string packed;
  Ordinals ordinals{};
  for (const uint32_t row : rows) {
    for (const uint32_t column : columns) {
      ordinals[column] = columns_[column][row];
    }
    table_->append_packed(columns, ordinals, packed);
  }
  return content_of(packed);
}

std::vector<Content> PlainModel::contents(const std::vector<TicketQuery>& queries) const {
  std::vector<Content> contents(queries.size());
  std::atomic<size_t> next{0};
  const auto work = [&] {
    for (size_t number = next++; number < queries.size(); number = next++) {
      contents[number] = content(matching(queries[number]), fetched_columns());
    }
  };
  std::thread other(work);
  work();
  other.join();
  return contents;
}

}  // namespace daedalus::engine::bench
