// Parts of strings, seen where they lie, and where in a string another one is.
#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "daedalus/semantics/scalar_function.hpp"
#include "daedalus/semantics/text_pieces.hpp"
#include "vector_node.hpp"

namespace daedalus::engine {
namespace {

using semantics::BoundExpression;
using semantics::TypeKind;

/// Holds what a string is cut by: whichever its function takes.
struct Given {
  std::string_view text;
  std::array<int64_t, 2> numbers{};
};

/// Nothing: that is an error, which the plain evaluation knows.
using Cut = std::optional<std::string_view> (*)(std::string_view from, const Given& given);

struct CutFunction {
  std::string_view name;
  bool takes_text = false;
  uint8_t number_count = 0;
  Cut cut = nullptr;
};

std::string_view set_of(const Given& given) { return given.text; }
constexpr auto is_blank_set = [](const Given&) { return std::string_view(" "); };

template <bool kLeft, bool kRight, auto kSet>
std::optional<std::string_view> trim(std::string_view from, const Given& given) {
  const std::string_view set = kSet(given);
  from = kLeft ? semantics::trimmed_left(from, set) : from;
  return kRight ? semantics::trimmed_right(from, set) : from;
}

std::optional<std::string_view> cut_from(std::string_view from, const Given& given) {
  return semantics::piece_of(from, given.numbers[0], std::numeric_limits<int64_t>::max());
}

std::optional<std::string_view> cut_out(std::string_view from, const Given& given) {
  const auto [first, count] = given.numbers;
  return count < 0 ? std::nullopt : std::optional(semantics::piece_of(from, first, first + count));
}

std::optional<std::string_view> cut_left(std::string_view from, const Given& given) {
  return semantics::left_of(from, given.numbers[0]);
}

std::optional<std::string_view> cut_right(std::string_view from, const Given& given) {
  return semantics::right_of(from, given.numbers[0]);
}

std::optional<std::string_view> cut_field(std::string_view from, const Given& given) {
  const int64_t wanted = given.numbers[0];
  return wanted == 0 ? std::nullopt : std::optional(semantics::field_of(from, given.text, wanted));
}

constexpr CutFunction kCutFunctions[] = {
    {"substring", false, 1, cut_from},
    {"substring", false, 2, cut_out},
    {"substr", false, 1, cut_from},
    {"substr", false, 2, cut_out},
    {"left", false, 1, cut_left},
    {"right", false, 1, cut_right},
    {"btrim", false, 0, trim<true, true, is_blank_set>},
    {"btrim", true, 0, trim<true, true, set_of>},
    {"ltrim", false, 0, trim<true, false, is_blank_set>},
    {"ltrim", true, 0, trim<true, false, set_of>},
    {"rtrim", false, 0, trim<false, true, is_blank_set>},
    {"rtrim", true, 0, trim<false, true, set_of>},
    {"split_part", true, 1, cut_field},
};

/// Holds what is NULL or hard in any of some vectors.
class Unknowns {
 public:
  void add(const ValueVector& vector, uint32_t count) {
    nulls_ = in_either(nulls_, vector.nulls, count, null_room_);
    hard_ = in_either(hard_, vector.hard, count, hard_room_);
  }
  [[nodiscard]] bool has(uint32_t position) const {
    return (nulls_ != nullptr && test_bit(nulls_, position)) || (hard_ != nullptr && test_bit(hard_, position));
  }
  void mark_hard(uint32_t position, uint32_t count) {
    if (hard_ == nullptr) {
      hard_room_.fill(0);
    } else if (hard_ != hard_room_.data()) {
      std::copy_n(hard_, vector_words(count), hard_room_.begin());
    }
    hard_ = hard_room_.data();
    set_bit(hard_room_.data(), position);
  }
  void clear() { nulls_ = hard_ = nullptr; }
  void give(ValueVector& made) const {
    made.nulls = nulls_;
    made.hard = hard_;
  }

 private:
  const uint64_t* nulls_ = nullptr;
  const uint64_t* hard_ = nullptr;
  VectorBits null_room_{};
  VectorBits hard_room_{};
};

class PieceNode final : public VectorNode {
 public:
  PieceNode(Cut cut, VectorNodePtr from, VectorNodePtr text, std::vector<VectorNodePtr> numbers)
      : VectorNode(Form::kText, 0),
        cut_(cut),
        from_(std::move(from)),
        text_(std::move(text)),
        numbers_(std::move(numbers)) {}

 private:
  ValueVector compute(const RowBatch& batch) override {
    unknown_.clear();
    const ValueVector from = read(*from_, batch);
    const ValueVector text = text_ == nullptr ? ValueVector() : read(*text_, batch);
    std::array<ValueVector, 2> numbers;
    for (size_t number = 0; number < numbers_.size(); ++number) {
      numbers[number] = read(*numbers_[number], batch);
    }
    views_.resize(kVectorRows);
    Given given;
    for (uint32_t position = 0; position < batch.count; ++position) {
      views_[position] = {};
      if (unknown_.has(position)) {
        continue;  // The bytes there may be no text at all.
      }
      given.text = text_ == nullptr ? std::string_view() : text.text(position);
      for (size_t number = 0; number < numbers_.size(); ++number) {
        given.numbers[number] = numbers[number].as_integers().at(position);
      }
      if (const auto piece = cut_(from.text(position), given)) {
        views_[position] = *piece;
      } else {
        unknown_.mark_hard(position, batch.count);
      }
    }
    ValueVector made;
    made.texts = views_.data();
    unknown_.give(made);
    return made;
  }

  ValueVector read(VectorNode& node, const RowBatch& batch) {
    const ValueVector values = node.values(batch);
    unknown_.add(values, batch.count);
    return values;
  }

  Cut cut_;
  VectorNodePtr from_;
  VectorNodePtr text_;                  ///< Null: it takes none.
  std::vector<VectorNodePtr> numbers_;  ///< At most two.
  Unknowns unknown_;
  std::vector<std::string_view> views_;
};

class PositionNode final : public VectorNode {
 public:
  PositionNode(VectorNodePtr from, VectorNodePtr wanted)
      : VectorNode(Form::kInteger, 0), from_(std::move(from)), wanted_(std::move(wanted)) {}

 private:
  ValueVector compute(const RowBatch& batch) override {
    const ValueVector from = from_->values(batch);
    const ValueVector wanted = wanted_->values(batch);
    unknown_.clear();
    unknown_.add(from, batch.count);
    unknown_.add(wanted, batch.count);
    int64_t* out = VectorBuffer::room(places_);
    for (uint32_t position = 0; position < batch.count; ++position) {
      out[position] = semantics::position_of(from.text(position), wanted.text(position));
    }
    ValueVector made;
    made.integers = out;
    made.magnitude = semantics::kStringLengthMax;
    unknown_.give(made);
    return made;
  }

  VectorNodePtr from_;
  VectorNodePtr wanted_;
  Unknowns unknown_;
  std::vector<int64_t> places_;
};

/// Not those of a char(n), which has blanks at its end.
bool is_text(const BoundExpression& argument) {
  return argument.type.kind == TypeKind::kText || argument.type.kind == TypeKind::kVarchar;
}

VectorNodePtr make_piece(const BoundExpression& call, std::string_view name, const NodeMaker& make) {
  const size_t count = call.arguments.size();
  const bool takes_text = count > 1 && is_text(call.arguments[1]);
  const size_t number_count = count - 1 - (takes_text ? 1 : 0);
  const auto* found =
      std::find_if(std::begin(kCutFunctions), std::end(kCutFunctions), [&](const CutFunction& function) {
        return function.name == name && function.takes_text == takes_text && function.number_count == number_count;
      });
  const auto first_number = call.arguments.begin() + (takes_text ? 2 : 1);
  const bool are_numbers = std::all_of(first_number, call.arguments.end(), [](const BoundExpression& argument) {
    return semantics::is_integer(argument.type.kind);
  });
  if (found == std::end(kCutFunctions) || !are_numbers) {
    return nullptr;
  }
  VectorNodePtr from = make(call.arguments[0]);
  VectorNodePtr text = takes_text ? make(call.arguments[1]) : nullptr;
  std::vector<VectorNodePtr> numbers;
  for (auto argument = first_number; argument != call.arguments.end(); ++argument) {
    numbers.push_back(make(*argument));
  }
  return std::make_shared<PieceNode>(found->cut, std::move(from), std::move(text), std::move(numbers));
}

}  // namespace

VectorNodePtr make_piece_node(const BoundExpression& call, const NodeMaker& make) {
  const semantics::ScalarFunction* function = semantics::find_function(call.function);
  if (function == nullptr || function->is_operator || call.arguments.empty() || !is_text(call.arguments[0])) {
    return nullptr;
  }
  const bool is_position = function->name == "position" || function->name == "strpos";
  if (is_position && is_text(call.arguments[1])) {
    VectorNodePtr from = make(call.arguments[0]);
    return std::make_shared<PositionNode>(std::move(from), make(call.arguments[1]));
  }
  return is_position ? nullptr : make_piece(call, function->name, make);
}

}  // namespace daedalus::engine
