#include "classic.hpp"

#include <bit>
#include <cstring>
#include <optional>

namespace daedalus::engine::bench {
namespace {

using semantics::TypeKind;

int64_t load_number(const uint8_t* bytes, uint32_t width, TypeKind kind) {
  int64_t number = 0;
  std::memcpy(&number, bytes, width);
  if (kind == TypeKind::kDouble) {
    return number;  // The bits of a double that is not negative are ordered as the number.
  }
  const uint32_t shift = 64 - 8 * width;
  return kind == TypeKind::kBool ? number : static_cast<int64_t>(static_cast<uint64_t>(number) << shift) >> shift;
}

uint64_t composite_key(uint64_t flight, uint64_t day) { return (flight << 32 | (day & UINT32_MAX)) + 1; }

uint64_t hashed(uint64_t key) { return key * 0x9e3779b97f4a7c15u >> 20; }

/// Queries by composite key: open addressing, 0 is an empty place.
class CompositeTable {
 public:
  explicit CompositeTable(size_t query_count) : places_(std::bit_ceil(query_count * 2 + 2)) {}

  void add(uint64_t key, uint32_t query) {
    Place& place = find(key);
    place.key = key;
    place.queries.push_back(query);
  }
  [[nodiscard]] const std::vector<uint32_t>& queries(uint64_t key) { return find(key).queries; }

 private:
  struct Place {
    uint64_t key = 0;
    std::vector<uint32_t> queries;
  };

  Place& find(uint64_t key) {
    size_t at = hashed(key) & (places_.size() - 1);
    while (places_[at].key != 0 && places_[at].key != key) {
      at = (at + 1) & (places_.size() - 1);
    }
    return places_[at];
  }

  std::vector<Place> places_;
};

/// The equality on the attribute with the most values.
const Between* access_path(const TicketTable& table, const TicketQuery& query) {
  const Between* best = nullptr;
  for (const Between& between : query) {
    if (between.is_equality() &&
        (best == nullptr || table.columns()[between.column].cardinality > table.columns()[best->column].cardinality)) {
      best = &between;
    }
  }
  return best != nullptr && table.columns()[best->column].cardinality >= 20 ? best : nullptr;
}

const Between* equality_on(const TicketQuery& query, uint32_t column) {
  for (const Between& between : query) {
    if (between.column == column && between.is_equality()) {
      return &between;
    }
  }
  return nullptr;
}

}  // namespace

RowStore::RowStore(const TicketTable& table)
    : table_(&table), row_size_(table.row_size()), rows_(size_t{table.row_count()} * row_size_) {
  for (uint32_t row = 0; row < table.row_count(); ++row) {
    const auto ordinals = table.ordinals(row);
    uint8_t* out = rows_.data() + size_t{row} * row_size_;
    uint64_t nulls = 0;
    for (uint32_t column = 0; column < kTicketColumns; ++column) {
      table.store(column, ordinals[column], out + table.columns()[column].offset);
      nulls |= uint64_t{ordinals[column] == kNullOrdinal} << column;
    }
    std::memcpy(out + row_size_ - 8, &nulls, 8);
    flights_.push_back(static_cast<int16_t>(ordinals[kFlight]));
    days_.push_back(static_cast<int32_t>(ordinals[kDateIn]));
  }
}

RowStore::Conditions RowStore::compile(const TicketQuery& query) const {
  Conditions conditions;
  for (const Between& between : query) {
    const ColumnSpec& spec = table_->columns()[between.column];
    Condition condition{between.column, spec.offset, spec.width, semantics::is_string(spec.type.kind)};
    std::string low(spec.width, '\0');
    std::string high(spec.width, '\0');
    table_->store(between.column, between.low, reinterpret_cast<uint8_t*>(low.data()));
    table_->store(between.column, between.high, reinterpret_cast<uint8_t*>(high.data()));
    if (condition.is_text) {
      condition.low_text = low;
      condition.high_text = high;
    } else {
      condition.low = load_number(reinterpret_cast<const uint8_t*>(low.data()), spec.width, spec.type.kind);
      condition.high = load_number(reinterpret_cast<const uint8_t*>(high.data()), spec.width, spec.type.kind);
    }
    conditions.push_back(std::move(condition));
  }
  return conditions;
}

bool RowStore::matches(const Conditions& conditions, const uint8_t* row) const {
  uint64_t nulls = 0;
  std::memcpy(&nulls, row + row_size_ - 8, 8);
  for (const Condition& condition : conditions) {
    const uint8_t* value = row + condition.offset;
    if (((nulls >> condition.column) & 1) != 0) {
      return false;
    }
    if (condition.is_text) {
      if (std::memcmp(value, condition.low_text.data(), condition.width) < 0 ||
          std::memcmp(value, condition.high_text.data(), condition.width) > 0) {
        return false;
      }
    } else {
      const int64_t number = load_number(value, condition.width, table_->columns()[condition.column].type.kind);
      if (number < condition.low || number > condition.high) {
        return false;
      }
    }
  }
  return true;
}

void RowStore::write_out(const uint8_t* row, std::string& out, Answer& answer) const {
  for (const uint32_t column : fetched_columns()) {
    const ColumnSpec& spec = table_->columns()[column];
    out.append(reinterpret_cast<const char*>(row + spec.offset), spec.width);
  }
  int64_t id = 0;
  std::memcpy(&id, row + table_->columns()[kId].offset, sizeof id);
  ++answer.rows;
  answer.id_sum += static_cast<uint64_t>(id);
}

uint64_t RowStore::key_of(uint32_t column, const uint8_t* row) const {
  const ColumnSpec& spec = table_->columns()[column];
  uint64_t key = 0;
  std::memcpy(&key, row + spec.offset, std::min(spec.width, 8u));
  return key;
}

std::vector<Answer> RowStore::sweep(const std::vector<TicketQuery>& queries, bool composite) const {
  std::vector<Answer> answers(queries.size());
  std::vector<std::string> results(queries.size());
  std::vector<Conditions> conditions;
  std::vector<std::unordered_map<uint64_t, std::vector<uint32_t>>> indexes(kTicketColumns);
  CompositeTable flights_and_days(queries.size());
  std::vector<uint32_t> scans;
  std::vector<uint8_t> constant(table_->row_size());
  for (uint32_t number = 0; number < queries.size(); ++number) {
    const TicketQuery& query = queries[number];
    conditions.push_back(compile(query));
    const auto store = [&](const Between* path) {
      table_->store(path->column, path->low, constant.data() + table_->columns()[path->column].offset);
      return key_of(path->column, constant.data());
    };
    const Between* flight = equality_on(query, kFlight);
    const Between* day = equality_on(query, kDateIn);
    if (composite && flight != nullptr && day != nullptr) {
      flights_and_days.add(composite_key(store(flight), store(day)), number);
    } else if (const Between* path = access_path(*table_, query); path != nullptr) {
      indexes[path->column][store(path)].push_back(number);
    } else {
      scans.push_back(number);
    }
  }
  std::vector<uint32_t> indexed;
  for (uint32_t column = 0; column < kTicketColumns; ++column) {
    if (!indexes[column].empty()) {
      indexed.push_back(column);
    }
  }
  const auto try_all = [&](const std::vector<uint32_t>& candidates, const uint8_t* row) {
    for (const uint32_t number : candidates) {
      if (matches(conditions[number], row)) {
        write_out(row, results[number], answers[number]);
      }
    }
  };
  for (uint32_t position = 0; position < table_->row_count(); ++position) {
    const uint8_t* row = rows_.data() + size_t{position} * row_size_;
    for (const uint32_t column : indexed) {
      if (const auto found = indexes[column].find(key_of(column, row)); found != indexes[column].end()) {
        try_all(found->second, row);
      }
    }
    if (composite) {
      try_all(flights_and_days.queries(composite_key(key_of(kFlight, row), key_of(kDateIn, row))), row);
    }
    try_all(scans, row);
  }
  return answers;
}

uint64_t RowStore::read_keys() const {
  uint64_t sum = 0;
  for (const int16_t flight : flights_) {
    sum += static_cast<uint64_t>(flight);
  }
  for (const int32_t day : days_) {
    sum += static_cast<uint64_t>(day);
  }
  return sum;
}

}  // namespace daedalus::engine::bench
