// hashtext, hashint8 and their kin: what PostgreSQL's hash indexes and partitions make of a value, equal values alike.
#include <bit>
#include <cmath>
#include <limits>

#include "adder.hpp"
#include "daedalus/semantics/decimal.hpp"
#include "daedalus/semantics/infinity.hpp"
#include "decimal_digits.hpp"
#include "hash_bytes.hpp"
#include "interval.hpp"
#include "units_of_time.hpp"

namespace daedalus::semantics::scalar {
namespace {

using enum TypeKind;

/// Appends the same bytes on every machine: integers as they lie in memory of the usual order, the lowest first.
template <typename Number>
void append(std::string& bytes, Number number) {
  for (size_t at = 0; at < sizeof(number); ++at) {
    bytes += static_cast<char>(static_cast<uint64_t>(number) >> (8 * at));
  }
}

/// A value is hashed as a word or as bytes; `mask` is laid over the hash. Zeros of floating numbers and numerics
/// have none, but a hash of their own.
struct Hashed {
  bool is_word = false;
  uint32_t word = 0;
  std::string_view text;  ///< These bytes, which lie in the value or in the call's room.
  uint32_t mask = 0;
  bool is_fixed = false;
  int64_t fixed = 0;  ///< Its seed is added.
};

Hashed of_word(uint32_t word) { return {.is_word = true, .word = word}; }
Hashed of_bytes(std::string_view bytes) { return {.text = bytes}; }
Hashed of_fixed(int64_t fixed) { return {.is_fixed = true, .fixed = fixed}; }

/// As the same number of 32 bits is hashed, where it fits.
Hashed of_long(int64_t value) {
  const auto low = static_cast<uint32_t>(value);
  const auto high = static_cast<uint32_t>(static_cast<uint64_t>(value) >> 32);
  return of_word(low ^ (value >= 0 ? high : ~high));
}

Hashed of_integer(const Value& value, std::string&) { return of_word(static_cast<uint32_t>(integer(value))); }
Hashed of_bigint(const Value& value, std::string&) { return of_long(integer(value)); }
Hashed of_timestamp(const Value& value, std::string&) {
  return of_long(since_2000(TypeKind::kTimestamp, integer(value)));
}
Hashed of_text(const Value& value, std::string&) { return of_bytes(text(value)); }
Hashed of_interval(const Value& value, std::string&) {
  return of_long(static_cast<int64_t>(interval_micros(std::get<Interval>(value))));
}

Hashed of_floating(const Value& value, std::string& room) {
  double number = floating(value);
  if (number == 0) {
    return of_fixed(0);
  }
  if (std::isnan(number)) {
    number = std::numeric_limits<double>::quiet_NaN();
  }
  append(room, std::bit_cast<uint64_t>(number));
  return of_bytes(room);
}

/// Digits of 10,000 without zeros before or behind, and how many of them the first is before the point.
Hashed of_numeric(const Value& value, std::string& room) {
  const DecimalGroups groups(decimal(value));
  if (groups.empty()) {
    return of_fixed(-1);
  }
  for (size_t place = 0; place < groups.size(); ++place) {
    append(room, static_cast<uint16_t>(groups[place]));
  }
  Hashed hashed = of_bytes(room);
  hashed.mask = static_cast<uint32_t>(groups.weight());
  return hashed;
}

using Of = Hashed (*)(const Value& value, std::string& room);

int64_t hash_with(const Hashed& hashed) {
  if (hashed.is_fixed) {
    return hashed.fixed;
  }
  const uint32_t made = hashed.is_word ? hash_of(hashed.word) : hash_of(hashed.text);
  return int64_t{static_cast<int32_t>(made ^ hashed.mask)};
}

int64_t hash_with(const Hashed& hashed, uint64_t seed) {
  if (hashed.is_fixed) {
    return static_cast<int64_t>(seed + static_cast<uint64_t>(hashed.fixed));
  }
  const uint64_t made = hashed.is_word ? hash_of(hashed.word, seed) : hash_of(hashed.text, seed);
  return static_cast<int64_t>(made ^ static_cast<uint64_t>(int64_t{static_cast<int32_t>(hashed.mask)}));
}

template <Of kOf>
Result<Value> hash(Arguments arguments, const BoundExpression&) {
  std::string room = arguments.spare_text();
  const int64_t made = hash_with(kOf(arguments[0], room));
  arguments.give_back(std::move(room));
  return Value(made);
}

template <Of kOf>
Result<Value> seeded_hash(Arguments arguments, const BoundExpression&) {
  std::string room = arguments.spare_text();
  const int64_t made = hash_with(kOf(arguments[0], room), static_cast<uint64_t>(integer(arguments[1])));
  arguments.give_back(std::move(room));
  return Value(made);
}

class HashAdder : public Adder {
 public:
  using Adder::Adder;

  template <Of kOf>
  void add_both(uint16_t first, std::string_view name, std::string_view seeded, TypeKind kind) {
    add(first, name, {kind}, kInt, hash<kOf>, nullptr, false);
    add(first + 1, seeded, {kind, kBigint}, kBigint, seeded_hash<kOf>, nullptr, false);
  }
};

}  // namespace

void add_hashes(Functions& functions) {
  HashAdder adder(functions);
  adder.start_helpers();
  adder.add_both<of_integer>(1500, "hashint2", "hashint2extended", TypeKind::kSmallint);
  adder.add_both<of_integer>(1502, "hashint4", "hashint4extended", kInt);
  adder.add_both<of_bigint>(1504, "hashint8", "hashint8extended", kBigint);
  adder.add_both<of_floating>(1506, "hashfloat4", "hashfloat4extended", TypeKind::kReal);
  adder.add_both<of_floating>(1508, "hashfloat8", "hashfloat8extended", TypeKind::kDouble);
  adder.add_both<of_numeric>(1510, "hash_numeric", "hash_numeric_extended", TypeKind::kNumeric);
  adder.add_both<of_text>(1512, "hashtext", "hashtextextended", TypeKind::kText);
  adder.add_both<of_text>(1514, "hashbpchar", "hashbpcharextended", TypeKind::kChar);
  adder.add_both<of_bigint>(1516, "time_hash", "time_hash_extended", TypeKind::kTime);
  adder.add_both<of_timestamp>(1518, "timestamp_hash", "timestamp_hash_extended", TypeKind::kTimestamp);
  adder.add_both<of_interval>(1520, "interval_hash", "interval_hash_extended", TypeKind::kInterval);
  adder.add_both<of_text>(1522, "uuid_hash", "uuid_hash_extended", TypeKind::kUuid);
}

}  // namespace daedalus::semantics::scalar
