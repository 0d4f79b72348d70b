// Casts of numbers and SQL timestamps to text, for rows whose values lie in vectors.
//
// Refuses to know how a value is written: semantics appends it. Values that have no form, and char(n), whose blanks are
// cut, are left to the plain evaluation.
#include <array>
#include <string>

#include "daedalus/semantics/text.hpp"
#include "vector_node.hpp"

namespace daedalus::engine {
namespace {

using semantics::BoundExpression;
using semantics::TypeKind;
using semantics::Value;

class TextCastNode final : public VectorNode {
 public:
  /// length: in bytes, what is longer is cut; 0: nothing is.
  TextCastNode(semantics::Type type, uint32_t length, VectorNodePtr from)
      : VectorNode(Form::kText, 0), type_(type), length_(length), from_(std::move(from)) {}

  /// To write a value takes longer than to look at its bucket.
  [[nodiscard]] bool is_by_row() const override { return true; }

 private:
  ValueVector compute(const RowBatch& batch) override {
    const ValueVector from = from_->values(batch);
    characters_.clear();
    for (uint32_t position = 0; position < batch.count; ++position) {
      const bool is_known = (from.nulls == nullptr || !test_bit(from.nulls, position)) &&
                            (from.hard == nullptr || !test_bit(from.hard, position));
      if (is_known) {
        append(from, position);
      }
      ends_[position] = characters_.size();
    }
    ValueVector made;
    made.nulls = from.nulls;
    made.hard = from.hard;
    made.texts = views(batch.count);
    return made;
  }

  void append(const ValueVector& from, uint32_t position) {
    const size_t begin = characters_.size();
    if (from_->form() == Form::kTruth) {
      characters_ += test_bit(from.truths, position) ? "true" : "false";
    } else {
      semantics::append_text(type_, value_of(from, position), characters_);
    }
    if (length_ != 0 && characters_.size() - begin > length_) {
      characters_.resize(begin + length_);
    }
  }

  [[nodiscard]] Value value_of(const ValueVector& from, uint32_t position) const {
    if (from_->form() == Form::kFloating) {
      return from.as_floatings().at(position);
    }
    if (type_.kind == TypeKind::kNumeric) {
      return semantics::Decimal{to_big(from.wide(position)), from_->scale()};
    }
    return from.as_integers().at(position);
  }

  const std::string_view* views(uint32_t count) {
    std::string_view* texts = VectorBuffer::room(texts_);
    size_t begin = 0;
    for (uint32_t position = 0; position < count; ++position) {
      texts[position] = std::string_view(characters_).substr(begin, ends_[position] - begin);
      begin = ends_[position];
    }
    return texts;
  }

  semantics::Type type_;
  uint32_t length_;
  VectorNodePtr from_;
  std::string characters_;  ///< One text behind the other.
  std::array<size_t, kVectorRows> ends_{};
  std::vector<std::string_view> texts_;
};

}  // namespace

VectorNodePtr make_text_cast_node(const BoundExpression& call, const NodeMaker& make) {
  const bool is_to_text = call.type.kind == TypeKind::kText || call.type.kind == TypeKind::kVarchar;
  if (call.function != semantics::FunctionId::kCast || !is_to_text ||
      semantics::is_string(call.arguments[0].type.kind)) {
    return nullptr;
  }
  VectorNodePtr from = make(call.arguments[0]);
  if (from == nullptr || from->is_by_row()) {
    return nullptr;
  }
  return std::make_shared<TextCastNode>(call.arguments[0].type, call.type.length, std::move(from));
}

}  // namespace daedalus::engine
