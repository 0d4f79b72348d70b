#include "literal_marker.hpp"

#include <algorithm>
#include <array>

#include "branches.hpp"
#include "kernels_sketch.hpp"

namespace daedalus::engine {
namespace {

using Kind = CompiledLiteral::Kind;

/// Members of a list, at most: each is a look at the bytes of its own.
constexpr uint32_t kMembersMax = 16;
/// Rows in buckets that decide nothing, as a share of all, at most: each is looked at by itself. A pass over numbers
/// takes as long as that for so many of its rows, one over strings longer, and one that searches a list at each row yet
/// longer.
constexpr double kOpenOfNumbersMax = 0.04;
constexpr double kOpenOfTextsMax = 0.2;
constexpr double kOpenOfListsMax = 0.35;

}  // namespace

/// Ranges of buckets, and the buckets among them whose rows are open.
struct LiteralMarker::Spans {
  struct Span {
    uint8_t low = 0;
    uint8_t high = 0;
  };

  std::array<Span, kMembersMax> spans;
  uint32_t count = 0;
  std::array<uint8_t, 2 * kMembersMax> open;
  uint32_t open_count = 0;
  double open_share = 0;

  /// Codes that hold all values wanted, and between the two ends no other.
  void add(const Histogram& histogram, CodeRange codes) {
    const BucketRange buckets = histogram.buckets(codes);
    spans[count++] = {buckets.low, buckets.high};
    if (!buckets.is_exact) {
      add_open(histogram, buckets.low);
      if (buckets.low != buckets.high) {
        add_open(histogram, buckets.high);
      }
    }
  }

 private:
  void add_open(const Histogram& histogram, uint8_t bucket) {
    open[open_count++] = bucket;
    open_share += histogram.share(BucketRange{bucket, bucket});
  }
};

void LiteralMarker::mark(const CompiledLiteral& literal, const uint64_t* among, uint64_t* matches) const {
  const ColumnLayout& layout = layout_->columns[literal.column];
  const uint8_t* bytes =
      sketches_.sketches == nullptr ? nullptr : sketches_.sketches->bytes(sketches_.chunk, literal.column);
  if (Spans spans; bytes != nullptr && describe(literal, spans)) {
    mark_branch(Branch::kMarkedBySketch);
    mark_spans(literal, spans, bytes, among, matches);
    if (literal.negated) {
      invert(matches, chunk_->word_count());
      if (layout.nullable) {
        and_not_into(matches, chunk_->nulls[literal.column], chunk_->word_count());
      }
    }
    return;
  }
  mark_rows(layout, literal, constants_, *chunk_, matches);
}

bool LiteralMarker::describe(const CompiledLiteral& literal, Spans& spans) const {
  const Histogram& histogram = sketches_.sketches->histogram(literal.column);
  switch (literal.kind) {
    case Kind::kRange:
      spans.add(histogram, literal.codes);
      break;
    case Kind::kCompare:
      if (literal.op == CompareOp::kNotEqual) {
        return false;
      }
      spans.add(histogram, literal.codes);
      break;
    case Kind::kIn:
      if (literal.constant_count > kMembersMax) {
        return false;
      }
      for (uint32_t member = 0; member < literal.constant_count; ++member) {
        const uint64_t code = member_of(layout_->columns[literal.column], literal, constants_, member).code;
        spans.add(histogram, {code, code});
      }
      break;
    default:
      return false;
  }
  const bool is_text = layout_->columns[literal.column].native == Native::kBytes;
  return spans.open_share <= (literal.kind == Kind::kIn ? kOpenOfListsMax
                              : is_text                 ? kOpenOfTextsMax
                                                        : kOpenOfNumbersMax);
}

void LiteralMarker::drop_others(const CompiledLiteral& positive, const uint64_t* open, uint32_t first,
                                uint64_t* within) const {
  const ColumnLayout& layout = layout_->columns[positive.column];
  const uint32_t words = std::min(kSketchWords, (chunk_->row_count - first) / 64);
  const auto drop = [&](auto&& holds) {
    for_each_bit(open, words, [&](uint32_t row) {
      if (!holds(first + row)) {
        clear_bit(within, row);
      }
    });
  };
  const CodeRule rule = layout.code;
  const uint8_t* values = chunk_->planes[positive.column];
  const auto code_at = [&](uint32_t row) { return code_of(rule, values + size_t{row} * layout.stride); };
  if (positive.kind == Kind::kRange) {
    drop([&](uint32_t row) { return code_at(row) - positive.codes.low <= positive.codes.high - positive.codes.low; });
  } else if (positive.kind == Kind::kIn && positive.has_codes) {
    drop([&](uint32_t row) { return has_member_code(positive, constants_, code_at(row)); });
  } else {
    drop([&](uint32_t row) { return row_matches(layout, positive, constants_, *chunk_, row); });
  }
}

void LiteralMarker::mark_spans(const CompiledLiteral& literal, const Spans& spans, const uint8_t* bytes,
                               const uint64_t* among, uint64_t* matches) const {
  CompiledLiteral positive = literal;
  positive.negated = false;
  SketchBitmap marked;
  SketchBitmap above;
  for (uint32_t first = 0; first < chunk_->row_count; first += kSketchBlockRows) {
    const uint32_t words = std::min(kSketchWords, (chunk_->row_count - first) / 64);
    uint64_t* within = matches + first / 64;
    std::fill_n(within, words, 0);
    for (uint32_t at = 0; at < spans.count; ++at) {
      const auto [low, high] = spans.spans[at];
      if (low == high) {
        mark_equal(bytes + first, low, marked.words);
      } else {
        mark_above(bytes + first, high, above.words);
        if (low == 0) {
          std::fill_n(marked.words, kSketchWords, ~uint64_t{0});
        } else {
          mark_above(bytes + first, static_cast<uint8_t>(low - 1), marked.words);
        }
        and_not_into(marked.words, above.words, kSketchWords);
      }
      or_into(within, marked.words, words);
    }
    for (uint32_t at = 0; at < spans.open_count; ++at) {
      mark_equal(bytes + first, spans.open[at], marked.words);
      and_into(marked.words, among + first / 64, words);
      drop_others(positive, marked.words, first, within);
    }
  }
}

}  // namespace daedalus::engine
