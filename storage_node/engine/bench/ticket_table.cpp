#include "ticket_table.hpp"

#include <algorithm>
#include <cstring>

#include "daedalus/base/check.hpp"

namespace daedalus::engine::bench {
namespace {

using semantics::Type;
using semantics::TypeKind;

constexpr uint32_t kDays = 365;
constexpr uint32_t kRowsPerFlightAndDay = 32;
constexpr int64_t kFirstDay = 18'000;
constexpr std::array<uint32_t, 8> kCodeLengths = {1, 1, 3, 4, 2, 1, 2, 3};
constexpr int64_t kMicrosPerMinute = 60'000'000;

uint64_t mixed(uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

/// Takes a share of 2^32.
uint64_t to_the_fourth(uint64_t share) {
  const uint64_t square = share * share >> 32;
  return square * square >> 32;
}

/// Capital letters that ascend with the ordinal; long strings get a filler behind them. At most 17 bytes.
std::string letters(uint32_t ordinal, uint32_t length) {
  const uint32_t digits = std::min(length, 7u);
  std::string text(digits, 'A');
  for (uint32_t digit = digits; digit > 0; --digit) {
    text[digit - 1] = static_cast<char>('A' + ordinal % 26);
    ordinal /= 26;
  }
  return length > 17 ? text + "/PASSENGER" : text;
}

}  // namespace

TicketTable::TicketTable(uint32_t row_count, uint32_t domain_rows, Frequencies frequencies, Width width)
    : row_count_(row_count), frequencies_(frequencies), width_(width) {
  if (width == Width::kNarrow) {
    add_narrow_columns();
  } else {
    add_ticket_columns(std::max(row_count, domain_rows));
  }
  if (width == Width::kWide) {
    add_more_columns();
  }
  row_size_ += (column_count() + 63) / 64 * 8;
  schema_.table_name = "ticket";
  schema_.fingerprint = std::string(64, '0');
}

void TicketTable::add_ticket_columns(uint32_t domain) {
  const uint32_t flights = std::max(4u, domain / kDays / kRowsPerFlightAndDay);
  add("id", {.kind = TypeKind::kBigint}, row_count_, 0);
  add("rloc", {.kind = TypeKind::kChar, .length = 6}, std::max(1u, domain / 2), 0);
  add("product_id", {.kind = TypeKind::kSmallint}, std::min(flights, 30'000u), 0);
  add("date_in", {.kind = TypeKind::kDate}, kDays, 0);
  add("provider", {.kind = TypeKind::kChar, .length = 2}, 20, 0);
  add("sgt_qualifier", {.kind = TypeKind::kChar, .length = 1}, 4, 0);
  add("cancel_flag", {.kind = TypeKind::kBool}, 2, 0);
  add("cabin", {.kind = TypeKind::kChar, .length = 1}, 4, 0);
  add("departure", {.kind = TypeKind::kTimestamp}, kDays * 1440, 5);
  add("arrival", {.kind = TypeKind::kTimestamp}, kDays * 1440, 5);
  add("origin", {.kind = TypeKind::kChar, .length = 3}, 300, 0);
  add("destination", {.kind = TypeKind::kChar, .length = 3}, 300, 0);
  add("fare", {.kind = TypeKind::kNumeric, .precision = 10, .scale = 2}, 100'000, 10);
  add("seat", {.kind = TypeKind::kVarchar, .length = 4}, 400, 30);
  add("passenger", {.kind = TypeKind::kVarchar, .length = 60}, 200'000, 0);
  add("ticket_number", {.kind = TypeKind::kBigint}, domain, 0);
  add("coupon", {.kind = TypeKind::kSmallint}, 8, 0);
  add("booked", {.kind = TypeKind::kDate}, kDays * 2, 0);
  for (uint32_t flag = 0; flag < 8; ++flag) {
    add("flag_" + std::to_string(flag), {.kind = TypeKind::kBool}, 2, flag * 3);
  }
  for (uint32_t code = 0; code < 8; ++code) {
    add("code_" + std::to_string(code), {.kind = TypeKind::kChar, .length = kCodeLengths[code]}, 10u << (code % 5),
        code * 4);
  }
  for (uint32_t count = 0; count < 5; ++count) {
    add("count_" + std::to_string(count), {.kind = TypeKind::kInt}, 50u << (count * 2), count * 5);
  }
  add("weight", {.kind = TypeKind::kDouble}, 1'000, 20);
  add("tax", {.kind = TypeKind::kNumeric, .precision = 12, .scale = 2}, 5'000, 10);
  add("agent", {.kind = TypeKind::kChar, .length = 8}, 5'000, 0);
  add("office", {.kind = TypeKind::kChar, .length = 10}, 500, 0);
  add("remark", {.kind = TypeKind::kVarchar, .length = 40}, 1'000, 60);
  add("corporate", {.kind = TypeKind::kVarchar, .length = 20}, 2'000, 70);
  add("frequent_flyer", {.kind = TypeKind::kVarchar, .length = 16}, 50'000, 50);
  add("changed", {.kind = TypeKind::kTimestamp}, kDays * 1440, 0);
  CHECK(columns_.size() == kTicketColumns);
}

void TicketTable::add_narrow_columns() {
  add("id", {.kind = TypeKind::kBigint}, row_count_, 0);
  add("many", {.kind = TypeKind::kInt}, 200'000, 0);
  add("day", {.kind = TypeKind::kDate}, 2 * kDays, 0);
  add("seats", {.kind = TypeKind::kInt}, 1'000'000, 0);
  add("price", {.kind = TypeKind::kDouble}, 100'000, 0);
  CHECK(columns_.size() == kNarrowColumns);
}

void TicketTable::add_more_columns() {
  while (columns_.size() < kWideColumns) {
    const auto number = static_cast<uint32_t>(columns_.size());
    const std::string name = "more_" + std::to_string(number);
    const uint32_t nulls = number % 4 * 10;
    switch (number % 6) {
      case 0:
        add(name, {.kind = TypeKind::kChar, .length = kCodeLengths[number % kCodeLengths.size()]}, 26, nulls);
        break;
      case 1:
        add(name, {.kind = TypeKind::kInt}, 1'000, nulls);
        break;
      case 2:
        add(name, {.kind = TypeKind::kBool}, 2, nulls);
        break;
      case 3:
        add(name, {.kind = TypeKind::kNumeric, .precision = 10, .scale = 2}, 10'000, nulls);
        break;
      case 4:
        add(name, {.kind = TypeKind::kDouble}, 1'000, nulls);
        break;
      default:
        add(name, {.kind = TypeKind::kVarchar, .length = 12}, 5'000, nulls);
    }
  }
}

void TicketTable::add(std::string name, Type type, uint32_t cardinality, uint32_t null_percent) {
  const uint32_t width = semantics::plane_width(type);
  schema_.columns.push_back({name, type, null_percent > 0, {}});
  columns_.push_back({std::move(name), type, cardinality, null_percent, width, row_size_});
  row_size_ += width;
}

Ordinals TicketTable::ordinals(uint32_t row) const {
  Ordinals made{};
  for (uint32_t column = 0; column < column_count(); ++column) {
    const ColumnSpec& spec = columns_[column];
    const uint64_t drawn = mixed(uint64_t{row} * column_count() + column);
    const bool null = (drawn >> 32) % 100 < spec.null_percent;
    const uint64_t share =
        frequencies_ == Frequencies::kSkewed ? to_the_fourth(drawn & UINT32_MAX) : drawn & UINT32_MAX;
    made[column] = null ? kNullOrdinal : static_cast<uint32_t>(share * spec.cardinality >> 32);
  }
  made[kId] = row;
  if (!has_tickets()) {
    return made;
  }
  // One ticket in ten is cancelled, and every other one belongs to the home airline.
  made[kCancelFlag] = mixed(row) % 10 == 0 ? 1 : 0;
  made[kProvider] = mixed(row + 1) % 2 == 0 ? 0 : made[kProvider];
  return made;
}

semantics::Value TicketTable::value(uint32_t column, uint32_t ordinal) const {
  const Type& type = columns_[column].type;
  switch (type.kind) {
    case TypeKind::kBool:
      return ordinal != 0;
    case TypeKind::kDouble:
      return static_cast<double>(ordinal) / 4;
    case TypeKind::kNumeric:
      return semantics::Decimal{semantics::BigInt{ordinal}, static_cast<int32_t>(type.scale)};
    case TypeKind::kDate:
      return kFirstDay + ordinal;
    case TypeKind::kTimestamp:
    case TypeKind::kTimestampTz:
      return (kFirstDay * 1440 + ordinal) * kMicrosPerMinute;
    case TypeKind::kChar:
    case TypeKind::kVarchar:
    case TypeKind::kText:
    case TypeKind::kInterval:
    case TypeKind::kUuid:
      return letters(ordinal, type.length);
    default:
      return static_cast<int64_t>(ordinal);
  }
}

void TicketTable::store(uint32_t column, uint32_t ordinal, uint8_t* out) const {
  const ColumnSpec& spec = columns_[column];
  std::memset(out, 0, spec.width);
  if (ordinal == kNullOrdinal) {
    return;
  }
  if (spec.type.kind == TypeKind::kChar || spec.type.kind == TypeKind::kVarchar) {
    const std::string text = letters(ordinal, spec.type.length);
    std::memcpy(out, text.data(), text.size());
  } else if (spec.type.kind == TypeKind::kDouble) {
    const double number = static_cast<double>(ordinal) / 4;
    std::memcpy(out, &number, sizeof number);
  } else {
    const int64_t number = spec.type.kind == TypeKind::kDate        ? kFirstDay + ordinal
                           : spec.type.kind == TypeKind::kTimestamp ? (kFirstDay * 1440 + ordinal) * kMicrosPerMinute
                                                                    : int64_t{ordinal};
    std::memcpy(out, &number, spec.width);  // Little-endian: the low bytes come first.
  }
}

void TicketTable::append_packed(std::span<const uint32_t> columns, const Ordinals& ordinals, std::string& out) const {
  const size_t start = out.size();
  out.append(sizeof(uint32_t) + (columns.size() + 7) / 8, '\0');
  std::array<uint8_t, 64> bytes{};
  for (uint32_t place = 0; place < columns.size(); ++place) {
    const uint32_t column = columns[place];
    const ColumnSpec& spec = columns_[column];
    if (ordinals[column] == kNullOrdinal) {
      char& bits = out[start + sizeof(uint32_t) + place / 8];
      bits = static_cast<char>(static_cast<uint8_t>(bits) | (1u << (place % 8)));
      continue;
    }
    store(column, ordinals[column], bytes.data());
    uint32_t size = spec.width;
    if (semantics::is_string(spec.type.kind)) {
      size = static_cast<uint32_t>(strnlen(reinterpret_cast<const char*>(bytes.data()), spec.width));
      const auto length = static_cast<uint16_t>(size);
      out.append(reinterpret_cast<const char*>(&length), sizeof length);
    }
    out.append(reinterpret_cast<const char*>(bytes.data()), size);
  }
  const auto row_bytes = static_cast<uint32_t>(out.size() - start - sizeof(uint32_t));
  std::memcpy(out.data() + start, &row_bytes, sizeof row_bytes);
}

}  // namespace daedalus::engine::bench
