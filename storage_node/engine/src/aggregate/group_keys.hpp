// Group keys packed into words, a batch of rows at a time.
//
// Decides where in a key each column's bits lie: narrow columns share words, so that the key of one or two of them is
// one word, and mostly a small number. Keys are equal, word for word, exactly if the columns are: NULL equals NULL,
// −0.0 equals 0.0, NaN equals NaN. Which zero it was a key does not say. Intervals are an exception: a month and 30
// days are two keys here, and become one group where groups are merged.
#pragma once

#include <optional>
#include <vector>

#include "batch_scratch.hpp"
#include "boxed_keys.hpp"
#include "daedalus/semantics/packed_writer.hpp"

namespace daedalus::engine {

/// Keys of a batch: word w of position p lies at words[w · stride + p].
struct KeyWords {
  const uint64_t* words = nullptr;
  uint32_t stride = 0;
  uint32_t count = 0;
};

class GroupKeys {
 public:
  /// memory: asked before what columns without a width hold grows; outlives this object.
  GroupKeys(std::vector<ColumnSource> columns, AnswerMemory& memory);

  /// Words of a key, at least one unless there is no column.
  [[nodiscard]] uint32_t word_count() const { return static_cast<uint32_t>(word_bits_.size()); }
  /// Every key is below 2 to this power. 0 when a key has several words, or there is no column.
  [[nodiscard]] uint32_t domain_bits() const { return word_bits_.size() == 1 ? word_bits_[0] : 0; }
  [[nodiscard]] const std::vector<ColumnSource>& columns() const { return columns_; }

  /// Packs the keys of a batch. They stay in `scratch` until the next call with it.
  /// An error is that of a computed column. Without memory for a value the keys are not those of the rows:
  /// has_memory() says so from then on.
  [[nodiscard]] Result<KeyWords> pack(const RowBatch& batch, BatchScratch& scratch);
  [[nodiscard]] bool has_memory() const { return has_memory_; }
  /// See MemoryShare.
  [[nodiscard]] uint64_t counted_for_others() const;

  /// Bytes that column number `column` of the keys may take of a packed row.
  [[nodiscard]] uint32_t append_bytes_max(uint32_t column) const;
  /// Puts what column number `column` is in the key of word_count() words. is_minus_zero: what it says of a zero.
  void append(const uint64_t* key, uint32_t column, bool is_minus_zero, semantics::PackedRowWriter& row) const;
  /// Returns whether that is a floating number, and zero.
  [[nodiscard]] bool is_floating_zero(const uint64_t* key, uint32_t column) const;

 private:
  static constexpr uint32_t kWordBits = 64;
  static constexpr uint32_t kNoWord = UINT32_MAX;

  /// Up to eight bytes of a column, or its NULL bit.
  struct Field {
    uint32_t word = kNoWord;
    uint32_t shift = 0;
  };
  struct Place {
    uint32_t first_piece = 0;  ///< In pieces_: one for every eight bytes of the column begun.
    semantics::PackedColumn packed;
    std::optional<uint32_t> boxed;  ///< In boxed_: a column without a width.
    Field null;                     ///< Without a word for a column that forbids NULL.
  };

  [[nodiscard]] bool is_null(const uint64_t* key, const Place& place) const {
    return place.null.word != kNoWord && ((key[place.null.word] >> place.null.shift) & 1) != 0;
  }
  [[nodiscard]] uint64_t piece_of(const uint64_t* key, const Place& place, uint32_t column, uint32_t offset) const;
  [[nodiscard]] Field place_bits(uint32_t bits);
  void pack_boxed(const Place& place, const ColumnVector& vector, const KeyWords& keys, uint64_t* words);
  void pack_column(uint32_t column, const ColumnVector& vector, const KeyWords& keys, uint64_t* words) const;
  void pack_nulls(uint32_t column, const uint64_t* nulls, const KeyWords& keys, uint64_t* words) const;
  void pack_piece(const ColumnLayout& layout, uint32_t offset, Field field, const ColumnVector& vector, uint32_t count,
                  uint64_t* words) const;

  std::vector<ColumnSource> columns_;
  std::vector<Place> places_;  ///< By column.
  std::vector<Field> pieces_;
  std::vector<BoxedKeys> boxed_;
  bool has_memory_ = true;
  std::vector<uint32_t> word_bits_;  ///< Bits in use, by word.
};

}  // namespace daedalus::engine
