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

#include "update_lines.hpp"

namespace daedalus::contract {
namespace {

class UpdateVectors : public UpdateLines {
 protected:
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
            {kClock, raw(int64_t{0})},
            {kClock, raw(int64_t{-1})},
            {kClock, raw(int64_t{86'400'000'000})},
            {kClock, raw(int64_t{86'400'000'001})},
            {kTag, std::string(16, '\xff')},
            {kTag, std::string(15, '\0')},
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
      const bool is_wider =
          column == kDate || column == kTime || column == kClock || column == kSingle || column == kDouble;
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
      // The node brings into its range what no row may hold, or refuses it; the writer refuses it always.
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
    for (const uint32_t at :
         {kKey, kBool, kShort, kLong, kSingle, kDouble, kMoney, kWide, kDate, kTime, kText, kClock, kTag}) {
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

  void add_computed() {
    using enum semantics::FunctionId;
    const auto number = [](semantics::FunctionId id) { return static_cast<uint32_t>(id); };
    const auto plus = [](const wire::v1::Expression& left, const wire::v1::Expression& right) {
      return function("+", true, {TypeKind::kInt, TypeKind::kInt}, {left, right});
    };
    const wire::v1::Expression sum = plus(column(kKey), column(kPlace));
    const wire::v1::Expression truth = column(kBool);
    for (uint32_t from = 0; from < kColumns; ++from) {
      for (uint32_t to = 0; to < kColumns; ++to) {
        add(fmt::format("compute {} of {}", schema_.columns[to].name, schema_.columns[from].name),
            modify(to, column(from)));
      }
      add(fmt::format("compute condition {}", schema_.columns[from].name), remove_computed({truth, column(from)}));
    }
    const Expressions some = {
        column(kKey),          truth, column(kText), column(kDouble), column(kSingle), sum, null({TypeKind::kInterval}),
        null({TypeKind::kInt})};
    for (uint32_t id = 0; id <= number(kCast) + 1; ++id) {
      add(fmt::format("compute form {} of nothing", id), modify(kText, form(id, {})), "either");
      for (size_t first = 0; first < some.size(); ++first) {
        add(fmt::format("compute form {} of {}", id, first), modify(kText, form(id, {some[first]})), "either");
        for (size_t second = 0; id > 0 && second < some.size(); ++second) {
          add(fmt::format("compute form {} of {} and {}", id, first, second),
              modify(kText, form(id, {some[first], some[second]})));
          if (id == number(kCase) || id == number(kIn)) {
            add(fmt::format("compute form {} of three, {} and {}", id, first, second),
                modify(kText, form(id, {truth, some[first], some[second]})));
          }
        }
        add(fmt::format("compute form {} of {} to text", id, first),
            modify(kText, form(id, {some[first]}, TypeKind::kText)), id == 0 ? "either" : "both");
        add(fmt::format("compute form {} of {} to integer", id, first),
            modify(kLong, form(id, {some[first]}, TypeKind::kInt)), id == 0 ? "either" : "both");
      }
    }
    add("compute sum", modify(kLong, sum));
    add("compute key", modify(kKey, sum));
    add("compute place", modify(kPlace, sum));
    add("compute sum of others", modify(kLong, form(sum.call().function(), {column(kLong), column(kKey)})));
    add("compute sum of one", modify(kLong, form(sum.call().function(), {column(kKey)})));
    add("compute no function", modify(kLong, form(65'000, {})));
    add("compute column beyond", modify(kLong, plus(column(kKey), column(kColumns))));
    add("compute sine", modify(kDouble, function("sin", false, {TypeKind::kDouble}, {column(kDouble)})));
    add("compute root", modify(kDouble, function("sqrt", false, {TypeKind::kDouble}, {column(kDouble)})));
    add("compute condition of a sine",
        remove_computed({function("<", true, {TypeKind::kDouble, TypeKind::kDouble},
                                  {function("sin", false, {TypeKind::kDouble}, {column(kDouble)}), column(kDouble)})}));
    wire::v1::Expression aggregate;
    aggregate.mutable_aggregate()->set_function(wire::v1::AGGREGATE_FUNCTION_COUNT_ROWS);
    add("compute aggregate", modify(kLong, aggregate));
    add("compute of an aggregate", modify(kLong, form(number(kCoalesce), {aggregate})));
    for (const uint32_t count : {semantics::kClausesMax, semantics::kClausesMax + 1}) {
      add(fmt::format("compute {} conditions", count), remove_computed(Expressions(count, truth)));
    }
    for (const uint32_t levels : {38u, 39u, 40u}) {
      wire::v1::Expression deep = sum;
      for (uint32_t level = 2; level < levels; ++level) {
        deep = plus(deep, column(kKey));
      }
      add(fmt::format("compute {} levels", levels + 1), modify(kLong, plus(deep, column(kKey))));
    }
    for (const uint32_t count : {semantics::kCallNodesMax - 1, semantics::kCallNodesMax}) {
      const std::string body = modify(kLong, form(number(kCoalesce), Expressions(count, column(kKey))));
      const std::string argument = "12020800";
      const size_t at = body.find(argument);
      add(fmt::format("compute of {} parts", count + 1),
          fmt::format("{} {}*{} {}", body.substr(0, at), count, argument, body.substr(at + count * argument.size())));
    }
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
};

TEST_F(UpdateVectors, AreWhatANodeTakesAndRefuses) {
  add_shapes();
  add_rows();
  add_filters();
  add_assignments();
  add_computed();
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
