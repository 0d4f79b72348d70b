// Parts of an expression that are computed for many rows at once.
//
// Decides in which form values pass from one part to the next, and when equal parts are computed once. A part that is
// not sure of a row says that the row is hard: its value, or its error, is what the plain evaluation of the whole
// expression says. So no part knows what errors are called, and all of them may be computed where CASE or AND would
// not have come to them.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "column_vector.hpp"
#include "daedalus/semantics/bound_expression.hpp"
#include "deadline_check.hpp"
#include "kernels_vector.hpp"

namespace daedalus::engine {

enum class Form : uint8_t {
  kTruth,     ///< Booleans: a bit a row.
  kInteger,   ///< Integers, dates, timestamps; numerics of one scale, as unscaled values.
  kFloating,  ///< real, as the double that it is, and double precision.
  kText,
};

using VectorBits = std::array<uint64_t, kVectorWords>;

/// Has values of at most kVectorRows rows. Exactly one of the first five is there. Values of NULLs and of hard rows are
/// anything.
struct ValueVector {
  const uint64_t* truths = nullptr;
  const int64_t* integers = nullptr;
  const Int128* wides = nullptr;  ///< Numerics that may not fit into 64 bits.
  const double* floatings = nullptr;
  const std::string_view* texts = nullptr;
  const uint64_t* nulls = nullptr;         ///< Null: there are none; so is it with the next.
  const uint64_t* hard = nullptr;          ///< Bits beyond the last row of these two are anything.
  uint64_t magnitude = uint64_t{1} << 63;  ///< No integer is further from zero.
  bool is_constant = false;                ///< All rows have the value of the first; truths are filled all the same.

  [[nodiscard]] Operand<int64_t> as_integers() const { return {integers, is_constant}; }
  [[nodiscard]] Operand<double> as_floatings() const { return {floatings, is_constant}; }
  [[nodiscard]] Int128 wide(uint32_t position) const {
    const uint32_t at = is_constant ? 0 : position;
    return wides != nullptr ? wides[at] : Int128{integers[at]};
  }
  [[nodiscard]] std::string_view text(uint32_t position) const { return texts[is_constant ? 0 : position]; }
};

/// Says where a node's values go.
struct VectorBuffer {
  std::vector<int64_t> integers;
  std::vector<Int128> wides;
  std::vector<double> floatings;
  std::vector<std::string_view> texts;
  std::vector<char> characters;  ///< Holds the characters of texts that lie nowhere else.
  VectorBits truths{};
  VectorBits nulls{};
  VectorBits hard{};

  template <typename T>
  [[nodiscard]] static T* room(std::vector<T>& values) {
    if (values.size() < kVectorRows) {
      values.resize(kVectorRows + 1);  // Eight bytes behind the last may be read.
    }
    return values.data();
  }
};

/// Holds what the nodes of a pool share: whole chunks that they keep, how many these may be, and whether what they
/// remember of a batch is still there.
struct ChunkVectors {
  static constexpr uint32_t kMax = 64;
  uint32_t count = 0;
  uint64_t number = 0;  ///< The number of the batch that was computed last.
  uint64_t epoch = 0;   ///< Grows with every other batch: vectors of nodes may lie in rooms of their parts.
};

class VectorNode {
 public:
  /// scale: of a numeric, else 0.
  VectorNode(Form form, int32_t scale) : form_(form), scale_(scale) {}
  VectorNode(const VectorNode&) = delete;
  VectorNode& operator=(const VectorNode&) = delete;
  virtual ~VectorNode();

  [[nodiscard]] Form form() const { return form_; }
  [[nodiscard]] int32_t scale() const { return scale_; }

  /// Computes the values of at most kVectorRows rows. They stay until the next call with another batch.
  [[nodiscard]] ValueVector values(const RowBatch& batch);

  /// From now on it is kept for whole chunks where their rows are asked for again and again.
  /// parts: what it reads.
  void keep_chunks(std::shared_ptr<ChunkVectors> kept, std::vector<std::shared_ptr<VectorNode>> parts) {
    kept_ = std::move(kept);
    parts_ = std::move(parts);
  }

  /// Returns whether it, or what it reads, is evaluated a row at a time, because it has no kernel, or takes as long.
  [[nodiscard]] virtual bool is_by_row() const;

  /// To be called before values(), by whoever holds no values of any node: those of parts are computed anew.
  void begin(const RowBatch& batch);
  /// A column or a constant: it remembers its last batch, and no chunks.
  void remember(std::shared_ptr<ChunkVectors> kept) {
    kept_ = std::move(kept);
    is_leaf_ = true;
  }

 protected:
  [[nodiscard]] virtual ValueVector compute(const RowBatch& batch) = 0;

 private:
  /// Values of all rows of a chunk, dead ones too.
  struct Chunk {
    std::vector<int64_t> integers;
    std::vector<double> floatings;
    std::vector<std::string_view> texts;
    std::vector<std::vector<char>> characters;  ///< Holds the characters of each part.
    std::vector<uint64_t> truths;
    std::vector<uint64_t> nulls;
    std::vector<uint64_t> hard;
    uint64_t magnitude = 0;
    bool has_nulls = false;
    bool has_hard = false;
    bool is_there = false;  ///< Not where values do not fit into 64 bits.
  };

  void enter(const ChunkView& chunk);
  void compute_chunk(const ChunkView& chunk);
  void keep(const ValueVector& part, const RowBatch& batch);
  void keep_texts(const ValueVector& part, const RowBatch& batch);
  [[nodiscard]] ValueVector from_chunk(const RowBatch& batch);

  Form form_;
  int32_t scale_;
  uint64_t last_number_ = 0;
  uint64_t last_epoch_ = 0;
  bool is_leaf_ = false;
  ValueVector last_;
  std::shared_ptr<ChunkVectors> kept_;
  std::vector<std::shared_ptr<VectorNode>> parts_;
  uint64_t contents_ = kNoContents;  ///< The contents of the chunk that is swept.
  uint64_t asked_ = 0;               ///< Rows of it so far.
  std::unique_ptr<Chunk> whole_;
  VectorBuffer gathered_;
};

using VectorNodePtr = std::shared_ptr<VectorNode>;

[[nodiscard]] inline uint32_t vector_words(uint32_t count) { return (count + 63) / 64; }

/// The rows that are in either; null where there are none.
[[nodiscard]] const uint64_t* in_either(const uint64_t* left, const uint64_t* right, uint32_t count, VectorBits& room);

/// Makes parts of expressions, each once: equal ones are the same node.
class ExpressionPool {
 public:
  /// patience: of whoever computes; outlives the pool and its nodes. Null: what is begun is ended.
  explicit ExpressionPool(DeadlineCheck* deadline_check = nullptr) : deadline_check_(deadline_check) {}

  [[nodiscard]] DeadlineCheck* deadline_check() const { return deadline_check_; }

  /// The part; null where values of its type have no form: intervals, numerics whose digits hang on the row.
  /// `layout` outlives the node.
  [[nodiscard]] VectorNodePtr node(const TableLayout& layout, const semantics::BoundExpression& expression);

  /// Forgets all: those who have nodes keep them.
  void clear();

 private:
  struct Entry {
    uint64_t hash = 0;
    semantics::BoundExpression expression;
    std::weak_ptr<VectorNode> node;
  };

  /// Beyond so many, parts are no longer looked for.
  static constexpr size_t kEntriesMax = 4096;

  DeadlineCheck* deadline_check_;
  std::vector<Entry> entries_;
  std::vector<uint32_t> first_of_hash_;  ///< By low bits of the hash: the last entry, plus one.
  std::vector<uint32_t> next_of_hash_;   ///< By entry: the one before, plus one.
  std::shared_ptr<ChunkVectors> kept_ = std::make_shared<ChunkVectors>();
};

// ---- families: each makes the nodes of the calls that it has kernels for, and null for others ----

struct NodeMaker {
  const TableLayout& layout;
  ExpressionPool& pool;
  std::vector<VectorNodePtr>& parts;  ///< All that were made.

  [[nodiscard]] VectorNodePtr operator()(const semantics::BoundExpression& expression) const {
    VectorNodePtr made = pool.node(layout, expression);
    if (made != nullptr) {
      parts.push_back(made);
    }
    return made;
  }
};

[[nodiscard]] VectorNodePtr make_form_node(const semantics::BoundExpression& call, const NodeMaker& make);
[[nodiscard]] VectorNodePtr make_cast_node(const semantics::BoundExpression& call, const NodeMaker& make);
[[nodiscard]] VectorNodePtr make_number_node(const semantics::BoundExpression& call, const NodeMaker& make);
[[nodiscard]] VectorNodePtr make_comparison_node(const semantics::BoundExpression& call, const NodeMaker& make);
[[nodiscard]] VectorNodePtr make_whole_node(const semantics::BoundExpression& call, const NodeMaker& make);
[[nodiscard]] VectorNodePtr make_piece_node(const semantics::BoundExpression& call, const NodeMaker& make);
[[nodiscard]] VectorNodePtr make_span_node(const semantics::BoundExpression& call, const NodeMaker& make);
[[nodiscard]] VectorNodePtr make_text_cast_node(const semantics::BoundExpression& call, const NodeMaker& make);
[[nodiscard]] VectorNodePtr make_text_node(const semantics::BoundExpression& call, const NodeMaker& make);
[[nodiscard]] VectorNodePtr make_time_node(const semantics::BoundExpression& call, const NodeMaker& make);
/// Columns and constants.
[[nodiscard]] VectorNodePtr make_leaf_node(const semantics::BoundExpression& leaf, const TableLayout& layout);
/// The plain evaluation of whatever has no kernel, a row at a time.
[[nodiscard]] VectorNodePtr make_plain_node(const semantics::BoundExpression& call, const TableLayout& layout,
                                            DeadlineCheck* deadline_check);

/// The form of an expression's values, and the digits that all of them have behind the point.
struct FormOf {
  Form form = Form::kInteger;
  int32_t scale = 0;
};
[[nodiscard]] std::optional<FormOf> form_of(const semantics::BoundExpression& expression);

/// The digits that a function of this name leaves behind the point of a numeric; nothing: it is none that rounds.
[[nodiscard]] std::optional<int32_t> scale_of_rounded(const semantics::BoundExpression& call, std::string_view name);

/// The text of a constant, which is not NULL; nothing for what is no constant.
[[nodiscard]] std::optional<std::string_view> constant_text(const semantics::BoundExpression& expression);

}  // namespace daedalus::engine
