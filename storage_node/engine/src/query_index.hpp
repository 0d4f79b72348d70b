// The queries of one cycle that are found through one key: by the sketches of its columns or by their values.
//
// Decides which of both a chunk is asked with. Refuses to know how the key was chosen.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "code_index.hpp"
#include "key_choice.hpp"
#include "key_index.hpp"
#include "sketches.hpp"

namespace daedalus::engine {

using QuickColumns = std::array<uint32_t, 2>;

/// Room for the probes of one chunk, one after the other.
struct QueryProbeScratch {
  explicit QueryProbeScratch(uint32_t chunk_rows) : rows(chunk_rows + 64) {}

  ProbeScratch values;
  std::vector<uint16_t> rows;
};

class QueryIndex {
 public:
  QueryIndex(const TableLayout& layout, const Key& key);

  [[nodiscard]] std::span<const uint32_t> columns() const { return by_values_.columns(); }

  /// Whether sketches find the candidates, wherever a chunk has them.
  [[nodiscard]] bool is_by_codes() const { return by_codes_ != nullptr; }

  /// `query` asks for the key of these members, by column.
  void add(std::span<const CodedValue> members, const Sketches& sketches, uint32_t query);

  /// Ends the adding.
  void build();

  /// Columns whose sketches most of the queries' candidates fail, asked in the chunk's planes before a row's. None
  /// where few rows are candidates.
  void set_quick_columns(QuickColumns columns) { quick_ = columns; }
  [[nodiscard]] const std::optional<QuickColumns>& quick_columns() const { return quick_; }

  /// Calls use(row, query) for every live row and each query that may ask for its key; rows ascend.
  template <typename Use>
  void probe(const ChunkView& chunk, uint32_t number, const Sketches& sketches, QueryProbeScratch& scratch, Use&& use) {
    const CodePlanes planes = code_planes(number, sketches);
    if (planes.first != nullptr && planes.second != nullptr) {
      return by_codes_->probe(chunk, planes, scratch.rows.data(), use);
    }
    build_values();
    by_values_.probe(chunk, scratch.values, use);
  }

 private:
  /// Nulls where values are to be asked.
  [[nodiscard]] CodePlanes code_planes(uint32_t chunk, const Sketches& sketches) const;
  void build_values();

  KeyIndex by_values_;
  bool has_values_ = false;              ///< Built: as late as a chunk without sketches comes by.
  std::unique_ptr<CodeIndex> by_codes_;  ///< Null: values are better.
  std::optional<QuickColumns> quick_;
};

}  // namespace daedalus::engine
