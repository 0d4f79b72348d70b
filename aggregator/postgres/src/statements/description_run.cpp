#include "description_run.hpp"

#include <utility>

namespace daedalus::postgres {

Result<DescriptionRun::Kinds> DescriptionRun::declared_kinds() const {
  Kinds kinds;
  for (const uint32_t oid : declared_oids) {
    auto kind = declared_kind(oid);
    if (!kind) {
      return kind.error();
    }
    kinds.push_back(*kind);
  }
  return kinds;
}

void DescriptionRun::declare(const Kinds& kinds) {
  for (const auto& kind : kinds) {
    statement.parameters.push_back(
        {kind.value_or(aggregator::ParameterKind{semantics::TypeKind::kText}), kind.has_value()});
  }
}

void DescriptionRun::take(aggregator::StatementDescription description) {
  std::vector<ParameterType> parameters;
  for (size_t index = 0; index < description.parameters.size(); ++index) {
    const bool is_declared = index < statement.parameters.size() && statement.parameters[index].is_declared;
    parameters.push_back({description.parameters[index], is_declared});
  }
  statement.parameters = std::move(parameters);
  statement.parameters_unused = description.parameters_unused;
  statement.mistake = description.mistake ? std::make_shared<const Error>(std::move(*description.mistake)) : nullptr;
  if (std::holds_alternative<DeclareCommand>(statement.command)) {
    statement.cursor_columns = std::move(description.columns);
  } else if (std::holds_alternative<ExplainCommand>(statement.command)) {
    statement.mistake = nullptr;  // Told by the EXPLAIN, which has no constants of its own.
  } else {
    statement.columns = std::move(description.columns);
    statement.origins = std::move(description.origins);
  }
}

}  // namespace daedalus::postgres
