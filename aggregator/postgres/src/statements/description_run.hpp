// A statement on its way to be described: who wants to know what it takes and gives, and what is known of it already.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "daedalus/aggregator/statement.hpp"
#include "daedalus/base/result.hpp"
#include "portal.hpp"
#include "prepared_statements.hpp"

namespace daedalus::postgres {

struct DescriptionRun {
  using Kinds = std::vector<std::optional<aggregator::ParameterKind>>;
  enum class For : uint8_t { kParse, kPrepare };

  For for_whom = For::kParse;
  std::string name = {};                     ///< The name of the prepared statement that it becomes.
  std::vector<uint32_t> declared_oids = {};  ///< The types of its first parameters, as the client has them.
  Prepared statement = {};
  Portal* declares = nullptr;  ///< The DECLARE that it is for.

  [[nodiscard]] const std::string& sql() const { return declares != nullptr ? declares->sql() : statement.sql; }
  /// The types of these; nothing of those that are not declared. Errors: those of declared_kind().
  [[nodiscard]] Result<Kinds> declared_kinds() const;
  /// Its first parameters are of these types.
  void declare(const Kinds& kinds);
  /// Takes what the compiler says that it takes and gives. Declared types stay.
  void take(aggregator::StatementDescription description);
};

}  // namespace daedalus::postgres
