#include "named_arguments.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "refusals.hpp"

namespace daedalus::aggregator::sql {
namespace {

using grammar::Node;

Error no_such_function(const Scope& scope, const grammar::FunctionCall& node) {
  return scope.error("42883", fmt::format("function {}() with these arguments does not exist", node.name.back()),
                     node.location);
}

/// Refuses what no function takes: an argument by place behind one by name, or a name twice.
Result<void> check_names(const Scope& scope, grammar::Nodes arguments) {
  std::vector<std::string_view> seen;
  for (const Node& argument : arguments) {
    if (argument.kind() != Node::kNamedArgument) {
      if (!seen.empty()) {
        return scope.error("42601", "positional argument cannot follow named argument", location_of(argument));
      }
      continue;
    }
    const std::string_view name = argument.named_argument().name;
    if (std::find(seen.begin(), seen.end(), name) != seen.end()) {
      return scope.error("42601", fmt::format("argument name \"{}\" used more than once", name), argument.location());
    }
    seen.push_back(name);
  }
  return {};
}

}  // namespace

Result<std::vector<Node>> placed_arguments(const Scope& scope, const grammar::FunctionCall& node,
                                           std::span<const std::string_view> names) {
  if (auto checked = check_names(scope, node.arguments); !checked) {
    return checked.error();
  }
  std::vector<Node> placed(names.size());
  for (size_t number = 0; number < node.arguments.size(); ++number) {
    const Node& argument = node.arguments[number];
    const bool is_named = argument.kind() == Node::kNamedArgument;
    const auto name = is_named ? std::find(names.begin(), names.end(), argument.named_argument().name) : names.end();
    const size_t place = is_named ? static_cast<size_t>(name - names.begin()) : number;
    if (place >= names.size() || placed[place].is_present()) {
      return no_such_function(scope, node);
    }
    placed[place] = is_named ? argument.named_argument().argument : argument;
  }
  return placed;
}

}  // namespace daedalus::aggregator::sql
