// The queries of one cycle that are found through one key: by the sketches of its columns or by their values.
//
// Decides which of both a chunk is asked with. Refuses to know how the key was chosen.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "index_scratch.hpp"
#include "key_choice.hpp"
#include "key_index.hpp"
#include "sketch_index.hpp"
#include "sketches.hpp"

namespace daedalus::engine {

class QueryIndex {
 public:
  QueryIndex(const TableLayout& layout, const Key& key);

  [[nodiscard]] std::span<const uint32_t> columns() const { return by_values_.columns(); }

  /// Returns whether sketches find the candidates, wherever a chunk has them.
  [[nodiscard]] bool is_by_sketches() const { return by_sketches_ != nullptr; }

  /// `query` asks for the key of these members, by column.
  void add(std::span<const CodedValue> members, const Sketches& sketches, uint32_t query);

  /// Ends the adding.
  void build();

  /// Some query's rows are gathered before they are tested.
  void set_joined() { is_joined_ = true; }
  [[nodiscard]] bool is_joined() const { return is_joined_; }

  /// Calls use(row, query) for every live row and each query that may ask for its key; rows ascend.
  template <typename Use>
  void probe(const ChunkView& view, const Sketches& sketches, IndexScratch& scratch, Use&& use) {
    const PairPlanes planes = by_sketches_ == nullptr ? PairPlanes() : sketches.bytes(view.number, columns());
    if (planes.exist()) {
      return by_sketches_->probe(view, planes, sketches.bytes_after(view.number, columns()), scratch.rows.data(), use);
    }
    build_values();
    by_values_.probe(view, scratch.values, use);
  }

 private:
  void build_values();

  KeyIndex by_values_;  ///< Always added to: some chunk may have no sketches.
  bool is_joined_ = false;
  bool has_values_ = false;                   ///< Built: as late as such a chunk comes by.
  std::unique_ptr<SketchIndex> by_sketches_;  ///< Null: values are better.
};

}  // namespace daedalus::engine
