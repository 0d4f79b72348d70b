// Strings whose first eight bytes do not decide: every comparison, change, group, order and checkpoint of columns that
// keep a prefix and a tail, against the plain table, on every access path.
#include <gtest/gtest.h>

#include "daedalus/engine/checkpoint.hpp"
#include "daedalus/semantics/packed.hpp"
#include "plane_rows.hpp"
#include "test_table.hpp"
#include "twin_segment.hpp"

namespace daedalus::engine::test {
namespace {

using semantics::Literal;
using semantics::Operator;
using semantics::TypeKind;

enum Column : uint32_t { kNumber, kPadded, kVarying, kNine, kLong };

/// Tails of four, four, one and fifty-two bytes.
const semantics::Schema& schema() {
  static const semantics::Schema kSchema{.table_name = "strings",
                                         .fingerprint = std::string(64, '0'),
                                         .columns = {{"number", {.kind = TypeKind::kBigint}, false, {}},
                                                     {"padded", {.kind = TypeKind::kChar, .length = 12}, true, {}},
                                                     {"varying", {.kind = TypeKind::kVarchar, .length = 12}, true, {}},
                                                     {"nine", {.kind = TypeKind::kVarchar, .length = 9}, false, {}},
                                                     {"long", {.kind = TypeKind::kVarchar, .length = 60}, true, {}}},
                                         .primary_key = {}};
  return kSchema;
}

semantics::RowCodec codec() {
  static const semantics::GenericRowCodec kCodec(schema());
  return kCodec.codec();
}

/// Makes texts of no bytes, fewer than a prefix has, as many, one more, and as many as a column holds; many with one
/// prefix.
std::vector<std::string> texts_of(uint32_t column) {
  std::vector<std::string> texts = {
      "",          "a",         "abcdefg",   "abcdefgh",     "abcdefgi",       "abcdefgh\x01",
      "abcdefghi", "abcdefghj", "abcdefgii", "abcdefgh\x7f", "abcd\xc3\xa9xy", "zzzzzzzz"};
  const uint32_t width = schema().columns[column].type.length;
  if (width > 9) {
    texts.insert(texts.end(), {"abcdefghijk", "abcdefghijkl", "abcdefghijkm", "abcdefgh  k"});
  }
  if (width > 12) {
    const std::string whole = "abcdefgh" + std::string(width - 8, 'x');
    texts.insert(texts.end(), {whole, whole.substr(0, width - 1), whole.substr(0, width - 1) + 'y'});
  }
  if (schema().columns[column].type.kind == TypeKind::kVarchar) {
    texts.emplace_back("abcdefgh ");
    texts.emplace_back("abcdefg ");
  }
  return texts;
}

std::vector<Row> all_rows() {
  std::vector<Row> rows;
  for (size_t place = 0; place < 40; ++place) {
    Row row = {static_cast<int64_t>(place)};
    for (uint32_t column = kPadded; column <= kLong; ++column) {
      const std::vector<std::string> texts = texts_of(column);
      // Different strings of the columns meet, and NULLs, too.
      const size_t number = place * column % (texts.size() + 1);
      const bool is_null = number == texts.size() && schema().columns[column].nullable;
      row.push_back(is_null ? Value{} : Value{texts[number % texts.size()]});
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

semantics::Selection select_all(semantics::Predicate predicate) {
  std::vector<semantics::SelectItem> items;
  for (uint32_t column = 0; column < schema().columns.size(); ++column) {
    items.push_back({.name = schema().columns[column].name, .column = column});
  }
  semantics::Selection selection = *semantics::bind_items(schema(), std::move(items));
  selection.predicate = std::move(predicate);
  return selection;
}

/// Keeps what each chunk looked like, plane by plane.
class PlaneCopier final : public CheckpointHook {
 public:
  [[nodiscard]] bool is_ready() const noexcept override { return true; }
  [[nodiscard]] bool on_chunk(const ChunkImage& image) noexcept override {
    const size_t columns = schema().columns.size();
    EXPECT_EQ(image.planes.size(), 2 * columns);
    rows = image.row_count;
    live.assign(image.live.begin(), image.live.end());
    for (size_t column = 0; column < columns; ++column) {
      const uint32_t tail = semantics::tail_width(schema().columns[column].type);
      EXPECT_EQ(image.planes[columns + column] == nullptr, tail == 0);
      const auto copy = [&](const uint8_t* plane, uint32_t width) {
        return std::vector<uint8_t>(plane, plane + size_t{rows} * width);
      };
      planes.push_back(copy(image.planes[column], image.widths[column] - tail));
      tails.push_back(copy(image.planes[columns + column], tail));
      nulls.emplace_back(image.nulls[column], image.nulls[column] + rows / 64);
    }
    return true;
  }
  void on_round_end(const AllocatorImage&) noexcept override {}

  /// Live rows, read from the copy.
  [[nodiscard]] std::string packed_rows() const {
    std::vector<const uint8_t*> pointers;
    std::vector<const uint64_t*> null_pointers;
    for (const std::vector<uint8_t>& plane : planes) {
      pointers.push_back(plane.data());
    }
    for (const std::vector<uint8_t>& plane : tails) {
      pointers.push_back(plane.data());
    }
    for (const std::vector<uint64_t>& bitmap : nulls) {
      null_pointers.push_back(bitmap.data());
    }
    std::string all;
    for (uint32_t slot = 0; slot < rows; ++slot) {
      if ((live[slot / 64] >> (slot % 64) & 1) != 0) {
        all += semantics::testing::packed_row_at(schema(), {pointers.data(), null_pointers.data()}, slot);
      }
    }
    return all;
  }

  uint32_t rows = 0;
  std::vector<std::vector<uint8_t>> planes;
  std::vector<std::vector<uint8_t>> tails;
  std::vector<std::vector<uint64_t>> nulls;
  std::vector<uint64_t> live;
};

class LongStrings : public testing::TestWithParam<AccessPaths> {
 protected:
  LongStrings() {
    update({insert_rows(schema(), all_rows())});
    // Sketches are there from the second quiet cycle on.
    ask(select_all({}));
    ask(select_all({}));
  }

  void update(std::vector<UpdatePart> parts) { twin_.update(std::move(parts)); }
  void ask(const semantics::Selection& selection) { twin_.ask(selection); }

  PlaneCopier copier_;
  TwinSegment twin_{schema(),
                    codec(),
                    {.memory_bytes = 1,
                     .chunk_rows = 64,
                     .access_paths = GetParam(),
                     .checkpoint_hook = &copier_,
                     .checkpoint_chunks_per_cycle_max = 1},
                    64};
};

TEST_P(LongStrings, CompareWithEveryConstantAsTheyShould) {
  for (uint32_t column = kPadded; column <= kLong; ++column) {
    for (const std::string& text : texts_of(column)) {
      for (const Operator op : {Operator::kEqual, Operator::kNotEqual, Operator::kLess, Operator::kLessOrEqual,
                                Operator::kGreater, Operator::kGreaterOrEqual}) {
        SCOPED_TRACE(schema().columns[column].name + " " + std::to_string(static_cast<int>(op)) + " " + text);
        ask(select_all(where(column, op, text)));
        ask(select_all(where(column, op, text + std::string(60, 'x'))));  // Longer than the column.
      }
      for (const Literal::Kind kind : {Literal::Kind::kStartsWith, Literal::Kind::kNotStartsWith}) {
        ask(select_all({{{{.column = column, .kind = kind, .values = {text}}}}}));
      }
    }
  }
}

TEST_P(LongStrings, RangesEndWithinAPrefixThatManyShare) {
  for (uint32_t column = kPadded; column <= kLong; ++column) {
    for (const std::string& low : texts_of(column)) {
      for (const std::string& high : texts_of(column)) {
        ask(select_all({{{compare_literal(column, Operator::kGreater, low)},
                         {compare_literal(column, Operator::kLessOrEqual, high)}}}));
      }
    }
  }
}

TEST_P(LongStrings, ListsFindMembersThatDifferInTheirTails) {
  for (uint32_t column = kPadded; column <= kLong; ++column) {
    for (const Literal::Kind kind : {Literal::Kind::kIn, Literal::Kind::kNotIn}) {
      for (const std::vector<Value>& members : std::vector<std::vector<Value>>{
               {"abcdefghi"}, {"abcdefghi", "abcdefghj"}, {"", "abcdefgh", "abcdefghk"}, {"abcdefg", "abcdefgi"}}) {
        ask(select_all({{{{.column = column, .kind = kind, .values = members}}}}));
      }
    }
  }
}

TEST_P(LongStrings, AChangeOfTheTailAloneIsSeen) {
  for (uint32_t column = kPadded; column <= kLong; ++column) {
    const auto set = [&](Value value) { return std::vector<semantics::Assignment>{{column, {}, std::move(value)}}; };
    update({modify(set("abcdefghz"), where(column, Operator::kEqual, "abcdefghi")),
            modify(set("abcdefgh"), where(column, Operator::kEqual, "abcdefghj"))});
    for (const char* text : {"abcdefghz", "abcdefghi", "abcdefghj", "abcdefgh"}) {
      ask(select_all(where(column, Operator::kEqual, text)));
    }
    // If the prefix is all that is left, and if nothing is, no rest of an old tail may show.
    update({modify(set("abcdefg"), where(column, Operator::kEqual, "abcdefghz"))});
    if (schema().columns[column].nullable) {
      update({modify(set(Value{}), where(column, Operator::kGreaterOrEqual, "abcdefgi"))});
      ask(select_all({{{{.column = column, .kind = Literal::Kind::kIsNull}}}}));
    }
    update({modify(set("abcdefgh\x01"), where(kNumber, Operator::kLess, int64_t{5}))});  // All rows of a pass.
    update({remove(where(column, Operator::kEqual, "abcdefgh\x01"))});
    ask(select_all({}));
  }
}

TEST_P(LongStrings, AreGroupedOrderedAndTheirExtremesFoundByAllTheirBytes) {
  using semantics::AggregateFunction;
  for (uint32_t column = kPadded; column <= kLong; ++column) {
    const uint32_t other = column == kNine ? kPadded : kNine;
    for (const std::vector<uint32_t>& keys : {std::vector<uint32_t>{}, {column}, {column, other}}) {
      std::vector<semantics::SelectItem> items;
      for (const uint32_t key : keys) {
        items.push_back({.name = "key", .column = key});
      }
      for (const AggregateFunction function : {AggregateFunction::kMin, AggregateFunction::kMax,
                                               AggregateFunction::kCount, AggregateFunction::kCountRows}) {
        items.push_back(aggregate_of(function, column));
      }
      semantics::Selection selection = *semantics::bind_items(schema(), std::move(items), keys);
      ask(selection);
      selection.predicate = where(kNumber, Operator::kLess, int64_t{23});
      ask(selection);
    }
    for (const bool descending : {false, true}) {
      for (const uint64_t limit : {1u, 3u, 10u, 35u}) {
        semantics::Selection selection = select_all({});
        selection.order_by = {{column, {.descending = descending, .nulls_first = descending}},
                              {kNumber, {.descending = !descending}}};
        selection.limit = limit;
        ask(selection);
      }
    }
  }
}

TEST_P(LongStrings, ACheckpointSeesBothOfTheirPlanes) {
  update({modify({{kLong, {}, "abcdefghnew"}}, where(kLong, Operator::kEqual, "abcdefghi")),
          remove(where(kVarying, Operator::kEqual, "abcdefghijkl"))});
  ASSERT_TRUE(twin_.segment().begin_checkpoint());
  while (twin_.segment().step({0})) {
  }
  QueryOutput copied{.handle = QueryHandle{1}, .rows = copier_.packed_rows()};
  copied.row_count = twin_.table().rows().size();
  EXPECT_EQ(twin_.table().fault(select_all({}), copied), "");
}

TEST_P(LongStrings, TakeNoMoreMemoryThanTheirBytes) {
  EXPECT_EQ(twin_.segment().statistics().row_bytes, 8u + 12 + 12 + 9 + 60);
}

INSTANTIATE_TEST_SUITE_P(OnEveryPath, LongStrings,
                         testing::Values(AccessPaths::kByCost, AccessPaths::kKeys, AccessPaths::kSketches,
                                         AccessPaths::kPasses));

}  // namespace
}  // namespace daedalus::engine::test
