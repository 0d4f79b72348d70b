#include "key_blanks.hpp"

#include <string>
#include <utility>

#include "blanks.hpp"

namespace daedalus::aggregator::sql {

namespace {

using semantics::BoundExpression;

/// The expressions that take the place of a key.
struct InPlace {
  BoundExpression text;   ///< As the key itself.
  BoundExpression shown;  ///< In an output.
};

Result<InPlace> in_place_of(const BoundExpression& key) {
  auto text = without_blanks(BoundExpression(key));
  auto shown = text ? as_char(BoundExpression(*text)) : text.error();
  return shown ? Result<InPlace>(InPlace{std::move(*text), std::move(*shown)}) : shown.error();
}

/// Puts it into the place of each `key` that is not within another aggregate than GROUPING().
void replace_key(BoundExpression& expression, const BoundExpression& key, const InPlace& in_place,
                 bool is_shown = true) {
  if (expression == key) {
    expression = is_shown ? in_place.shown : in_place.text;
    return;
  }
  const bool is_aggregate = expression.kind == BoundExpression::Kind::kAggregate;
  if (is_aggregate && expression.aggregate != semantics::AggregateFunction::kGrouping) {
    return;
  }
  for (BoundExpression& argument : expression.arguments) {
    replace_key(argument, key, in_place, is_shown && !is_aggregate);
  }
}

}  // namespace

Result<void> show_without_blanks(Outputs& outputs) {
  for (uint32_t output = 0; output < outputs.visible_count(); ++output) {
    BoundExpression& shown = outputs.expression(output);
    if (!semantics::has_own_blanks(shown.type)) {
      continue;
    }
    auto made = char_without_blanks(std::move(shown));
    if (!made) {
      return made.error();
    }
    shown = std::move(*made);
  }
  return {};
}

Result<void> group_without_blanks(Outputs& outputs, SortGroup& result) {
  for (BoundExpression& key : result.group_by) {
    if (!semantics::has_own_blanks(key.type)) {
      continue;
    }
    auto in_place = in_place_of(key);
    if (!in_place) {
      return in_place.error();
    }
    for (uint32_t output = 0; output < outputs.items().size(); ++output) {
      replace_key(outputs.expression(output), key, *in_place);
    }
    if (result.having) {
      replace_key(*result.having, key, *in_place);
    }
    key = std::move(in_place->text);
  }
  return {};
}

Result<void> order_without_blanks(Outputs& outputs, std::vector<semantics::OrderKey>& order_by) {
  for (semantics::OrderKey& key : order_by) {
    const OutputItem& item = outputs.items()[key.output];
    if (!semantics::has_own_blanks(item.expression.type)) {
      continue;
    }
    auto text = without_blanks(BoundExpression(item.expression));
    if (!text) {
      return text.error();
    }
    key.output = outputs.find_or_add({{item.name, std::move(*text)}, item.location, item.places});
  }
  return {};
}

}  // namespace daedalus::aggregator::sql
