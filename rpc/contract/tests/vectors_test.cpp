// rpc/vectors/packed.json is what this test writes: values, rows, placement and digests for the other implementation.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "contract_fixture.hpp"
#include "daedalus/semantics/placement.hpp"

namespace daedalus::contract {
namespace {

using semantics::Type;
using semantics::TypeKind;
using semantics::Value;

std::string hex(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) {
    text.append(fmt::format("{:02x}", static_cast<uint8_t>(byte)));
  }
  return text;
}

std::string json_string(std::string_view text) {
  std::string made = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      made.push_back('\\');
    }
    if (static_cast<uint8_t>(c) < 0x20) {
      made.append(fmt::format("\\u{:04x}", static_cast<uint8_t>(c)));
    } else {
      made.push_back(c);
    }
  }
  return made.append("\"");
}

std::string type_json(const Type& type) {
  return fmt::format(R"({{"kind": "{}", "precision": {}, "scale": {}, "length": {}}})",
                     wire::v1::TypeKind_Name(static_cast<wire::v1::TypeKind>(type.kind)), type.precision, type.scale,
                     type.length);
}

struct Example {
  Type type;
  std::vector<std::string> texts;
};

const std::vector<Example>& examples() {
  static const std::vector<Example> kExamples = {
      {{TypeKind::kBool}, {"t", "f"}},
      {{TypeKind::kSmallint}, {"0", "1", "-1", "32767", "-32768"}},
      {{TypeKind::kInt}, {"0", "42", "-2", "2147483647", "-2147483648"}},
      {{TypeKind::kBigint}, {"0", "258", "-1", "9223372036854775807", "-9223372036854775808"}},
      {{TypeKind::kReal}, {"0", "-0", "1.5", "0.1", "3.4028235e+38", "1e-45", "NaN", "Infinity", "-Infinity"}},
      {{TypeKind::kDouble},
       {"0", "-0", "0.1", "1e+20", "1.7976931348623157e+308", "5e-324", "NaN", "Infinity", "-Infinity"}},
      {{TypeKind::kNumeric, 5, 2}, {"0.00", "1.50", "-1.50", "999.99", "-999.99", "0.01"}},
      {{TypeKind::kNumeric, 18, 0}, {"999999999999999999", "-999999999999999999"}},
      {{TypeKind::kNumeric, 19, 4}, {"0.0000", "-0.0001", "999999999999999.9999"}},
      {{TypeKind::kNumeric, 38, 10},
       {"9999999999999999999999999999.9999999999", "-9999999999999999999999999999.9999999999", "1.0000000000"}},
      {{TypeKind::kNumeric},
       {"0", "0.00", "12.7", "12.8", "-12.8", "-12.9", "1.5000000000000000", "-1", "255", "256", "-256", "-257",
        "123456789012345678901234567890123456789012345678901234567890.5"}},
      {{TypeKind::kDate}, {"1970-01-01", "1969-12-31", "2013-01-01", "0001-01-01", "5874897-12-31", "2012-02-29"}},
      {{TypeKind::kTimestamp},
       {"1970-01-01 00:00:00", "1969-12-31 23:59:59.999999", "2013-01-01 05:00:00.5", "0001-01-01 00:00:00",
        "294246-12-31 23:59:59.999999"}},
      {{TypeKind::kTimestampTz}, {"1970-01-01 00:00:00+00", "2013-01-01 05:00:00.5+00", "0001-01-01 00:00:00+00"}},
      {{TypeKind::kUuid},
       {"00000000-0000-0000-0000-000000000000", "00112233-4455-6677-8899-aabbccddeeff",
        "80000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff"}},
      {{TypeKind::kTime}, {"00:00:00", "04:05:06.5", "23:59:59.999999", "24:00:00"}},
      {{TypeKind::kChar, 0, 0, 5}, {"     ", "ab   ", "\xc3\xa9t\xc3\xa9", "a b  "}},
      {{TypeKind::kVarchar, 0, 0, 20}, {"", "ab ", "\xe6\x97\xa5\xe6\x9c\xac", "\"quoted\\\"", "a\x01"}},
      {{TypeKind::kVarchar}, {"", "no bound"}},
      {{TypeKind::kInterval},
       {"00:00:00", "1 year 2 mons 3 days 04:05:06.5", "-1 years -2 mons +3 days -00:00:00.000001", "1 mon", "30 days",
        "720:00:00", "178956970 years 7 mons 2147483647 days 2562047788:00:54.775807",
        "-178956970 years -7 mons -2147483647 days -2562047788:00:54.775807"}}};
  return kExamples;
}

/// Placement is for columns only: computed types have no key.
bool is_column_type(const Type& type) {
  return !(type.kind == TypeKind::kInterval || (type.kind == TypeKind::kNumeric && type.precision == 0) ||
           (semantics::is_string(type.kind) && type.length == 0));
}

std::string placement_json(const Type& type, const Value& value) {
  const uint64_t key = semantics::placement_key(type, value);
  return fmt::format(R"("key": "{:016x}", "partition_of_7": {}, "segment_of_4": {})", key,
                     semantics::hash_partition(key, 7), semantics::hash_segment(key, 4));
}

std::string value_line(const Type& type, const std::string& text) {
  const Result<Value> value = semantics::parse_text(type, text);
  EXPECT_TRUE(value) << text;
  std::string packed;
  semantics::append_packed(type, *value, packed);
  const Result<Value> back = semantics::read_packed(type, packed);
  EXPECT_TRUE(back);
  EXPECT_EQ(semantics::format_text(type, *back), text) << "not the canonical text";
  const std::string placement = is_column_type(type) ? ", " + placement_json(type, *value) : std::string();
  return fmt::format(R"({{"type": {}, "text": {}, "packed": "{}"{}}})", type_json(type), json_string(text), hex(packed),
                     placement);
}

std::vector<std::string> value_lines() {
  std::vector<std::string> lines;
  for (const Example& example : examples()) {
    for (const std::string& text : example.texts) {
      lines.push_back(value_line(example.type, text));
    }
  }
  return lines;
}

/// One row with the first example of the types whose position is not in `nulls`.
std::string row_line(const std::vector<Type>& types, const std::vector<Value>& values) {
  std::string type_list;
  std::string text_list;
  for (size_t i = 0; i < types.size(); ++i) {
    type_list.append(i == 0 ? "" : ", ").append(type_json(types[i]));
    text_list.append(i == 0 ? "" : ", ")
        .append(semantics::is_null(values[i]) ? "null" : json_string(semantics::format_text(types[i], values[i])));
  }
  std::string row;
  semantics::append_packed_row(types, values, row);
  return fmt::format(R"({{"types": [{}], "values": [{}], "row": "{}"}})", type_list, text_list, hex(row));
}

std::vector<std::string> row_lines() {
  std::vector<std::string> lines = {row_line({}, {}), row_line({{TypeKind::kBool}}, {Value()}),
                                    row_line({{TypeKind::kBool}}, {Value(true)})};
  for (const size_t which : {0, 1}) {
    std::vector<Type> types;
    std::vector<Value> values;
    std::vector<Value> with_nulls;
    for (const Example& example : examples()) {
      types.push_back(example.type);
      values.push_back(*semantics::parse_text(example.type, example.texts[which]));
      with_nulls.push_back(types.size() % 3 == which ? Value() : values.back());
    }
    lines.push_back(row_line(types, values));
    lines.push_back(row_line(types, with_nulls));
  }
  std::vector<Type> nine(9, Type{TypeKind::kSmallint});
  lines.push_back(row_line(nine, std::vector<Value>(9)));
  return lines;
}

std::vector<std::string> round_robin_lines() {
  std::vector<std::string> lines;
  for (const uint64_t timestamp : {uint64_t{1}, uint64_t{2}, uint64_t{1'000'000}, UINT64_MAX}) {
    for (const uint32_t ordinal : {0u, 1u, 1023u, 1024u, 65'535u}) {
      const semantics::RowIdentity row{Timestamp{timestamp}, ordinal};
      lines.push_back(fmt::format(R"({{"timestamp": "{}", "ordinal": {}, "partition_of_7": {}, "segment_of_4": {}}})",
                                  timestamp, ordinal, semantics::round_robin_partition(row, 7),
                                  semantics::round_robin_segment(row, 4)));
    }
  }
  return lines;
}

std::vector<std::string> digest_lines() {
  std::vector<std::string> lines;
  std::string bytes;
  // Lengths on both sides of every branch of XXH3.
  for (const size_t size : {0, 1, 3, 4, 8, 9, 16, 17, 128, 129, 240, 241, 1024, 1025, 5000}) {
    while (bytes.size() < size) {
      bytes.push_back(static_cast<char>(bytes.size() * 31 + 7));
    }
    lines.push_back(fmt::format(R"({{"bytes": "{}", "digest": "{:016x}"}})", hex(bytes), semantics::digest(bytes)));
  }
  return lines;
}

struct Malformed {
  Type type;
  std::string bytes;
};

std::vector<std::string> malformed_lines() {
  const std::vector<Malformed> cases = {{{TypeKind::kBool}, "\x02"},
                                        {{TypeKind::kBool}, ""},
                                        {{TypeKind::kInt}, std::string("\0\0\0", 3)},
                                        {{TypeKind::kInt}, std::string("\0\0\0\0\0", 5)},
                                        {{TypeKind::kNumeric, 2, 0}, std::string("\x64\0\0\0\0\0\0\0", 8)},
                                        {{TypeKind::kNumeric}, std::string("\0\0\0", 3)},
                                        {{TypeKind::kNumeric}, std::string("\2\0\0\0\1", 5)},
                                        {{TypeKind::kNumeric}, std::string("\1\xff\xff\1", 4)},
                                        {{TypeKind::kVarchar, 0, 0, 1}, std::string("\2\0ab", 4)},
                                        {{TypeKind::kChar, 0, 0, 3}, std::string("\2\0a ", 4)},
                                        {{TypeKind::kVarchar}, std::string("\1\0\xff", 3)},
                                        {{TypeKind::kVarchar}, std::string("\1\0\0", 3)},
                                        {{TypeKind::kVarchar}, std::string("\2\0a", 3)},
                                        {{TypeKind::kInterval}, std::string(15, '\0')},
                                        {{TypeKind::kInterval}, std::string(17, '\0')}};
  std::vector<std::string> lines;
  for (const Malformed& it : cases) {
    const Result<Value> value = semantics::read_packed(it.type, it.bytes);
    EXPECT_FALSE(value);
    lines.push_back(fmt::format(R"({{"type": {}, "packed": "{}", "sqlstate": "{}"}})", type_json(it.type),
                                hex(it.bytes), value.error().sqlstate));
  }
  return lines;
}

void append_section(std::string& text, std::string_view name, const std::vector<std::string>& lines) {
  text.append(text.empty() ? "{\n" : ",\n").append(fmt::format("  \"{}\": [\n", name));
  for (size_t i = 0; i < lines.size(); ++i) {
    text.append("    ").append(lines[i]).append(i + 1 < lines.size() ? ",\n" : "\n");
  }
  text.append("  ]");
}

TEST(PackedVectors, AreWhatThisImplementationWrites) {
  std::string text;
  append_section(text, "values", value_lines());
  append_section(text, "rows", row_lines());
  append_section(text, "null_key", {fmt::format("{{{}}}", placement_json({TypeKind::kInt}, Value()))});
  append_section(text, "round_robin", round_robin_lines());
  append_section(text, "digests", digest_lines());
  append_section(text, "malformed", malformed_lines());
  text.append("\n}\n");
  if (std::getenv("DAEDALUS_WRITE_VECTORS") != nullptr) {
    std::ofstream(PACKED_VECTORS, std::ios::binary) << text;
  }
  std::ifstream file(PACKED_VECTORS, std::ios::binary);
  const std::string written((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  EXPECT_EQ(written, text) << "DAEDALUS_WRITE_VECTORS=1 writes the file anew";
}

}  // namespace
}  // namespace daedalus::contract
