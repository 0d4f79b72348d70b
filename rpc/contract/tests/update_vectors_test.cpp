// rpc/vectors/updates.tsv is what this test writes: updates that a node takes and refuses. The writer, which decides
// before an update gets its number, must refuse whatever a node refuses: after numbering that breaks the node.
#include <fmt/format.h>
#include <google/protobuf/unknown_field_set.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "contract_fixture.hpp"
#include "daedalus/wire/v1/results.pb.h"

namespace daedalus::contract {
namespace {

using semantics::Type;
using semantics::TypeKind;
using semantics::Value;

std::string hex(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) {
    fmt::format_to(std::back_inserter(text), "{:02x}", static_cast<uint8_t>(byte));
  }
  return text;
}

class UpdateVectors : public ContractTest {
 protected:
  enum : uint32_t {
    kKey,
    kPlace,
    kBool,
    kShort,
    kLong,
    kSingle,
    kDouble,
    kMoney,
    kWide,
    kDate,
    kTime,
    kCode,
    kText,
    kColumns
  };

  UpdateVectors() {
    schema_.columns = {{"key", {TypeKind::kInt}, false, {}},
                       {"place", {TypeKind::kInt}, true, {}},
                       {"bool", {TypeKind::kBool}, true, {}},
                       {"short", {TypeKind::kSmallint}, true, {}},
                       {"long", {TypeKind::kBigint}, true, {}},
                       {"single", {TypeKind::kReal}, true, {}},
                       {"double", {TypeKind::kDouble}, true, {}},
                       {"money", {TypeKind::kNumeric, 5, 2}, true, {}},
                       {"wide", {TypeKind::kNumeric, 30, 4}, true, {}},
                       {"date", {TypeKind::kDate}, true, {}},
                       {"time", {TypeKind::kTimestamp}, true, {}},
                       {"code", {TypeKind::kChar, 0, 0, 5}, true, {}},
                       {"text", {TypeKind::kVarchar, 0, 0, 20}, true, {}}};
    placement_ = {{kPlace}, {}};
  }

  // ---- the file ----

  /// What is said of one update: `both` take it, `node` only the node does, `neither` does, `either` the writer may
  /// refuse it.
  void add(const std::string& name, const std::string& pieces, std::string_view if_taken = "both") {
    const std::string error = refusal(body_of(pieces));
    lines_.push_back(fmt::format("{}\t{}\t{}", error.empty() ? if_taken : "neither:" + error, name, pieces));
  }

  /// Pieces are separated by blanks; `N*` repeats one.
  static std::string body_of(const std::string& pieces) {
    std::string body;
    for (size_t at = 0; at < pieces.size();) {
      const size_t end = std::min(pieces.find(' ', at), pieces.size());
      const std::string piece = pieces.substr(at, end - at);
      const size_t star = piece.find('*');
      const size_t count = star == std::string::npos ? 1 : std::stoul(piece.substr(0, star));
      std::string bytes;
      for (size_t digit = star == std::string::npos ? 0 : star + 1; digit < piece.size(); digit += 2) {
        bytes.push_back(static_cast<char>(std::stoi(piece.substr(digit, 2), nullptr, 16)));
      }
      for (size_t i = 0; i < count; ++i) {
        body.append(bytes);
      }
      at = end + 1;
    }
    return body;
  }

  /// Why a node refuses what the writer, who reads and writes messages anew, would send; empty: it does not.
  std::string refusal(const std::string& bytes) const {
    wire::v1::UpdateBody body;
    if (!body.ParseFromString(bytes)) {
      return "08P01";
    }
    const std::string sent = body.SerializeAsString();
    const auto parts = to_update(schema_, placement_, sent);
    return parts ? std::string() : parts.error().sqlstate;
  }

  std::string table_line() const {
    wire::v1::DescribeReply reply;
    for (const semantics::Column& column : schema_.columns) {
      *reply.add_columns() = from_column(column);
    }
    reply.mutable_map()->set_version(1);
    reply.mutable_map()->set_distribution(wire::v1::DISTRIBUTION_HASH);
    reply.mutable_map()->add_columns(kPlace);
    reply.mutable_limits()->set_update_rows_max(kUpdateRowsMax);
    reply.mutable_limits()->set_update_bytes_max(kUpdateBytesMax);
    reply.mutable_limits()->set_literals_max(semantics::kLiteralsMax);
    return "table\t" + hex(reply.SerializeAsString());
  }

  // ---- updates ----

  static std::string insert(const std::string& rows, uint32_t row_count, uint32_t first_ordinal = 0) {
    wire::v1::UpdateBody body;
    wire::v1::InsertPart* part = body.add_parts()->mutable_insert();
    part->set_rows(rows);
    part->set_row_count(row_count);
    part->set_first_ordinal(first_ordinal);
    return hex(body.SerializeAsString());
  }

  static std::string remove(const wire::v1::Expression& filter) {
    wire::v1::UpdateBody body;
    *body.add_parts()->mutable_delete_()->mutable_filter() = filter;
    return hex(body.SerializeAsString());
  }

  static std::string modify(uint32_t column, const wire::v1::Expression& value) {
    wire::v1::UpdateBody body;
    wire::v1::Assignment* assignment = body.add_parts()->mutable_modify()->add_assignments();
    assignment->set_column(column);
    *assignment->mutable_value() = value;
    return hex(body.SerializeAsString());
  }

  /// A row of NULLs but for the key and, if it is one of `columns`, the given bytes.
  static std::string raw_row(uint32_t column, const std::string& packed) {
    std::string row(2, '\0');
    const auto is_there = [&](uint32_t at) { return at == kKey || at == column; };
    for (uint32_t at = 0; at < kColumns; ++at) {
      if (!is_there(at)) {
        row[at / 8] = static_cast<char>(static_cast<uint8_t>(row[at / 8]) | (1u << (at % 8)));
      }
    }
    row.append(std::string("\7\0\0\0", 4)).append(packed);
    std::string sized(4, '\0');
    const auto size = static_cast<uint32_t>(row.size());
    std::memcpy(sized.data(), &size, sizeof size);
    return sized + row;
  }

  static std::string text(const std::string& bytes) {
    std::string packed(2, '\0');
    packed[0] = static_cast<char>(bytes.size() & 0xff);
    packed[1] = static_cast<char>(bytes.size() >> 8);
    return packed + bytes;
  }

  template <typename T>
  static std::string raw(T value) {
    std::string bytes(sizeof value, '\0');
    std::memcpy(bytes.data(), &value, sizeof value);
    return bytes;
  }

  static wire::v1::Expression raw_constant(const Type& type, const std::string& packed) {
    wire::v1::Expression made;
    *made.mutable_constant()->mutable_type() = from_type(type);
    made.mutable_constant()->set_packed(packed);
    return made;
  }

  const Type& type_of(uint32_t column) const { return schema_.columns[column].type; }

  wire::v1::Expression compare(wire::v1::Operator op, uint32_t column_at, const wire::v1::Expression& constant) const {
    return call(op, column(column_at), constant);
  }

  static wire::v1::Expression list(wire::v1::Operator op, const std::vector<wire::v1::Expression>& arguments) {
    wire::v1::Expression made;
    made.mutable_call()->set_operator_(op);
    for (const wire::v1::Expression& argument : arguments) {
      *made.mutable_call()->add_arguments() = argument;
    }
    return made;
  }

  // ---- what the file holds ----

  std::vector<std::pair<uint32_t, std::string>> values() const {
    const std::string nan32 = raw(uint32_t{0x7fc00000});
    return {{kBool, std::string(1, '\0')},
            {kBool, "\1"},
            {kBool, "\2"},
            {kShort, raw(int16_t{-1})},
            {kShort, "\1"},
            {kLong, raw(INT64_MIN)},
            {kSingle, nan32},
            {kSingle, raw(uint32_t{0xffc00000})},
            {kSingle, raw(uint32_t{0x7f800001})},
            {kSingle, raw(uint32_t{0x80000000})},
            {kDouble, raw(uint64_t{0x7ff8000000000000})},
            {kDouble, raw(uint64_t{0xfff8000000000000})},
            {kMoney, raw(int64_t{99'999})},
            {kMoney, raw(int64_t{-99'999})},
            {kMoney, raw(int64_t{100'000})},
            {kMoney, raw(INT64_MIN)},
            {kWide, raw(int64_t{-1}) + raw(int64_t{-1})},
            {kWide, raw(uint64_t{0x4674edea3fffffff}) + raw(int64_t{0xc9f2c9cd0})},
            {kWide, raw(uint64_t{0x4674edea40000000}) + raw(int64_t{0xc9f2c9cd0})},
            {kWide, raw(int64_t{0}) + raw(INT64_MIN)},
            {kDate, raw(int32_t{-719'162})},
            {kDate, raw(int32_t{-719'163})},
            {kDate, raw(int32_t{2'145'042'905})},
            {kDate, raw(int32_t{2'145'042'906})},
            {kTime, raw(int64_t{9'223'371'244'799'999'999})},
            {kTime, raw(int64_t{9'223'371'244'800'000'000})},
            {kTime, raw(int64_t{-62'135'596'800'000'000})},
            {kTime, raw(int64_t{-62'135'596'800'000'001})},
            {kCode, text("")},
            {kCode, text("abcde")},
            {kCode, text("abcdef")},
            {kCode, text("a ")},
            {kCode, text("a b")},
            {kText, text("a ")},
            {kText, text(std::string(20, 'x'))},
            {kText, text(std::string(21, 'x'))},
            {kText, text(std::string("a\0b", 3))},
            {kText, text("\xc3\xa9")},
            {kText, text("\xc3")},
            {kText, text("\xc0\x80")},
            {kText, text("\xe0\x9f\xbf")},
            {kText, text("\xed\xa0\x80")},
            {kText, text("\xef\xbf\xbf")},
            {kText, text("\xf0\x8f\xbf\xbf")},
            {kText, text("\xf4\x8f\xbf\xbf")},
            {kText, text("\xf4\x90\x80\x80")},
            {kText, text("\xff")},
            {kText, "\5"},
            {kText, std::string("\5\0abc", 5)}};
  }

  void add_rows() {
    for (const auto& [column, packed] : values()) {
      add(fmt::format("row {} {}", schema_.columns[column].name, hex(packed)), insert(raw_row(column, packed), 1));
    }
    const std::string row = raw_row(kBool, "\1");
    add("row two", insert(row + row, 2));
    add("row fewer", insert(row, 2));
    add("row more", insert(row + row, 1));
    add("row none", insert("", 0));
    add("row ordinal", insert(row, 1, 1));
    add("row second part", insert(row, 1) + " " + insert(row, 1, 1));
    add("row second part again", insert(row, 1) + " " + insert(row, 1));
    std::string changed = row;
    changed[4] = '\1';  // The key is NULL now, and its bytes are somebody else's.
    add("row null", insert(changed, 1));
    changed = row;
    changed[5] = static_cast<char>(changed[5] | '\x20');
    add("row stray null bit", insert(changed, 1));
    add("row left over", insert("\x08" + row.substr(1) + "\x00", 1));
    add("row without bitmap", insert(std::string("\1\0\0\0\0", 5), 1));
    add("row no bytes", insert(std::string("\0\0\0\0", 4), 1));
    add("row too large", insert(std::string("\1\0\20\0", 4) + std::string(16, '\0'), 1));
    std::mt19937 random(2'013);
    for (int i = 0; i < 150; ++i) {
      std::string flipped =
          raw_row(kText, text("abc\xc3\xa9")) + raw_row(kMoney, raw(int64_t{12'345})) + raw_row(kDate, raw(20));
      flipped[random() % flipped.size()] ^= static_cast<char>(1u << (random() % 8));
      add(fmt::format("row flipped {}", i), insert(flipped, 3));
    }
  }

  void add_filters() {
    using enum wire::v1::Operator;
    for (const auto& [column, packed] : values()) {
      // A date, a timestamp or a NaN that no row may hold still orders: the node takes what the writer refuses.
      const bool is_wider = column == kDate || column == kTime || column == kSingle || column == kDouble;
      add(fmt::format("filter {} {}", schema_.columns[column].name, hex(packed)),
          remove(compare(OPERATOR_EQUAL, column, raw_constant(type_of(column), packed))), is_wider ? "either" : "both");
    }
    for (uint32_t at = 0; at < kColumns; ++at) {
      for (const auto op : {OPERATOR_NOT_EQUAL, OPERATOR_LESS, OPERATOR_LESS_OR_EQUAL, OPERATOR_GREATER,
                            OPERATOR_GREATER_OR_EQUAL, OPERATOR_IN, OPERATOR_NOT_IN}) {
        add(fmt::format("filter {} {} NULL", schema_.columns[at].name, wire::v1::Operator_Name(op)),
            remove(compare(op, at, null(type_of(at)))));
      }
      add(fmt::format("filter {} IS NULL", schema_.columns[at].name), remove(list(OPERATOR_IS_NULL, {column(at)})));
      add(fmt::format("filter {} LIKE", schema_.columns[at].name),
          remove(compare(OPERATOR_STARTS_WITH, at, constant({TypeKind::kVarchar, 0, 0, 3}, "ab"))));
    }
    const auto key = [&](int64_t value) { return constant({TypeKind::kInt}, std::to_string(value)); };
    const wire::v1::Expression one = compare(OPERATOR_EQUAL, kKey, key(1));
    add("filter AND of nothing", remove(list(OPERATOR_AND, {})));
    add("filter IN nothing", remove(list(OPERATOR_IN, {column(kKey)})));
    add("filter IN", remove(list(OPERATOR_IN, {column(kKey), key(1), key(2), null({TypeKind::kInt})})));
    add("filter two columns", remove(compare(OPERATOR_EQUAL, kKey, column(kPlace))));
    add("filter column beyond", remove(compare(OPERATOR_EQUAL, kColumns, key(1))));
    add("filter NOT", remove(list(OPERATOR_NOT, {one})), "node");
    add("filter constant first", remove(call(OPERATOR_EQUAL, key(1), column(kKey))), "node");
    add("filter bigint beside int", remove(compare(OPERATOR_EQUAL, kKey, constant({TypeKind::kBigint}, "1"))), "node");
    add("filter bool column", remove(column(kBool)), "node");
    add("filter empty", remove(wire::v1::Expression()));
    add("filter operator", remove(list(OPERATOR_ADD, {column(kKey), key(1)})));
    wire::v1::Expression both = null({TypeKind::kInt});
    both.mutable_constant()->set_packed("abcd");
    add("filter NULL with a value", remove(compare(OPERATOR_EQUAL, kKey, both)));
    add("filter char beside text", remove(compare(OPERATOR_EQUAL, kText, constant({TypeKind::kChar, 0, 0, 3}, "ab"))));
    add("filter char beside char", remove(compare(OPERATOR_EQUAL, kCode, constant({TypeKind::kChar, 0, 0, 9}, "ab"))));
    add("filter text beside char",
        remove(compare(OPERATOR_LESS, kCode, constant({TypeKind::kVarchar, 0, 0, 30}, "longer than it"))));
    for (const uint32_t length : {4096u, 4097u, 70'000u}) {
      add(fmt::format("filter type of length {}", length),
          remove(compare(OPERATOR_LESS, kText, raw_constant({TypeKind::kVarchar, 0, 0, length}, text("ab")))));
    }
    add("filter untyped", remove(compare(OPERATOR_EQUAL, kText, raw_constant({TypeKind::kVarchar}, text("ab")))),
        "node");
    add("filter precision", remove(compare(OPERATOR_EQUAL, kMoney, raw_constant({TypeKind::kNumeric, 39, 2}, "ab"))));
    add_large_filters(one, key);
    std::mt19937 random(1'997);
    const wire::v1::Expression both_sides =
        list(OPERATOR_AND, {one, list(OPERATOR_OR, {compare(OPERATOR_LESS, kText, constant(type_of(kText), "abc")),
                                                    compare(OPERATOR_IN, kMoney, constant(type_of(kMoney), "1.25"))})});
    for (int i = 0; i < 150; ++i) {
      std::string body = body_of(remove(both_sides));
      body[random() % body.size()] ^= static_cast<char>(1u << (random() % 8));
      add(fmt::format("filter flipped {}", i), hex(body), "either");
    }
  }

  template <typename Key>
  void add_large_filters(const wire::v1::Expression& one, Key key) {
    using enum wire::v1::Operator;
    for (const uint32_t levels : {40u, 46u, 47u, 60u, 64u}) {
      wire::v1::Expression deep = one;
      for (uint32_t level = 0; level < levels; ++level) {
        deep = level % 2 == 0 ? list(OPERATOR_OR, {deep}) : list(OPERATOR_AND, {deep});
      }
      add(fmt::format("filter of {} levels", levels), remove(deep), levels <= 46 ? "both" : "either");
    }
    for (const uint32_t count : {16u, 17u, 300u}) {
      std::vector<wire::v1::Expression> products;
      for (uint32_t i = 0; i < count; ++i) {
        products.push_back(
            list(OPERATOR_AND, {compare(OPERATOR_EQUAL, kKey, key(i)), compare(OPERATOR_GREATER, kPlace, key(i + 1))}));
      }
      add(fmt::format("filter of {} products", count), remove(list(OPERATOR_OR, products)));
    }
  }

  void add_assignments() {
    using enum wire::v1::Operator;
    for (const auto& [column, packed] : values()) {
      // What no row may hold, the node brings into its range or refuses; the writer refuses it always.
      add(fmt::format("set {} {}", schema_.columns[column].name, hex(packed)),
          modify(column, raw_constant(type_of(column), packed)), "either");
    }
    const std::vector<std::pair<Type, std::vector<std::string>>> numbers = {
        {{TypeKind::kSmallint}, {"1", "32767", "-32768"}},
        {{TypeKind::kInt}, {"1", "2147483647", "-2147483648"}},
        {{TypeKind::kBigint}, {"1", "9223372036854775807", "-9223372036854775808"}},
        {{TypeKind::kNumeric, 5, 2}, {"1.25", "-999.99"}},
        {{TypeKind::kNumeric, 30, 4}, {"1.2500"}},
        {{TypeKind::kReal}, {"1.5", "NaN"}},
        {{TypeKind::kDouble}, {"1.5", "-Infinity"}},
        {{TypeKind::kChar, 0, 0, 5}, {"1"}},
        {{TypeKind::kBool}, {"t"}}};
    for (const uint32_t at : {kKey, kBool, kShort, kLong, kSingle, kDouble, kMoney, kWide, kDate, kTime, kText}) {
      for (const auto& [type, texts] : numbers) {
        for (const std::string& number : texts) {
          const bool is_own = type == type_of(at) || (at == kDate && type.kind == TypeKind::kInt) ||
                              (at == kSingle && type.kind == TypeKind::kDouble);
          for (const auto op : {OPERATOR_ADD, OPERATOR_SUBTRACT}) {
            add(fmt::format("{} {} {} {}", schema_.columns[at].name, wire::v1::Operator_Name(op),
                            semantics::to_string(type), number),
                modify(at, call(op, column(at), constant(type, number))), is_own ? "both" : "node");
          }
        }
      }
    }
    add("add NULL", modify(kShort, call(OPERATOR_ADD, column(kShort), null(type_of(kShort)))), "node");
    add("add to another", modify(kShort, call(OPERATOR_ADD, column(kKey), constant({TypeKind::kInt}, "1"))));
    add("set NOT NULL", modify(kKey, null({TypeKind::kInt})));
    add("set place", modify(kPlace, constant({TypeKind::kInt}, "1")));
    add("set beyond", modify(kColumns, constant({TypeKind::kInt}, "1")));
  }

  void add_shapes() {
    add("no parts", "");
    add("part of no kind", "0a00");
    add("delete everything", "0a021a00");
    add("unknown field of the body", "0a021a00 1001");
    add("unknown field of a part", "0a041a002001");
    wire::v1::UpdateBody odd;
    ASSERT_TRUE(odd.ParseFromString(body_of(insert(raw_row(kBool, "\1"), 1))));
    odd.mutable_parts(0)
        ->mutable_insert()
        ->GetReflection()
        ->MutableUnknownFields(odd.mutable_parts(0)->mutable_insert())
        ->AddVarint(9, 1);
    add("unknown field of an insert", hex(odd.SerializeAsString()));
    add("unknown field of a delete", "0a041a023001");
    add("modify without assignments", "0a021200");
    add(fmt::format("{} parts", kUpdateRowsMax), fmt::format("{}*0a021a00", kUpdateRowsMax));
    add(fmt::format("{} parts", kUpdateRowsMax + 1), fmt::format("{}*0a021a00", kUpdateRowsMax + 1));
  }

  PlacementColumns placement_;
  std::vector<std::string> lines_;
};

TEST_F(UpdateVectors, AreWhatANodeTakesAndRefuses) {
  add_shapes();
  add_rows();
  add_filters();
  add_assignments();
  std::string text = table_line() + "\n";
  for (const std::string& line : lines_) {
    text.append(line).append("\n");
  }
  if (std::getenv("DAEDALUS_WRITE_VECTORS") != nullptr) {
    std::ofstream(UPDATE_VECTORS, std::ios::binary) << text;
  }
  std::ifstream file(UPDATE_VECTORS, std::ios::binary);
  const std::string written((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  EXPECT_EQ(written, text) << "DAEDALUS_WRITE_VECTORS=1 writes the file anew";
}

}  // namespace
}  // namespace daedalus::contract
