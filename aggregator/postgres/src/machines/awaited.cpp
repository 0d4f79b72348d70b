#include "awaited.hpp"

namespace daedalus::postgres {

std::optional<FrameKind> wanted_frame(const Awaited& awaited) {
  if (std::holds_alternative<awaited::FirstMessage>(awaited)) {
    return FrameKind::kFirst;
  }
  if (std::holds_alternative<awaited::LoginMessage>(awaited)) {
    return FrameKind::kLogin;
  }
  const auto* const copy = std::get_if<awaited::Copy>(&awaited);
  const bool is_message = copy != nullptr ? copy->copy->next() == CopyIn::Next::kTakeBytes
                                          : std::holds_alternative<awaited::Message>(awaited);
  return is_message ? std::optional(FrameKind::kMessage) : std::nullopt;
}

bool is_of_login(const Awaited& awaited) {
  return std::holds_alternative<awaited::FirstMessage>(awaited) ||
         std::holds_alternative<awaited::LoginMessage>(awaited) || std::holds_alternative<awaited::Verdict>(awaited);
}

bool is_of_catalogue(const Awaited& awaited) {
  return std::holds_alternative<awaited::CatalogueDescription>(awaited) ||
         std::holds_alternative<awaited::CatalogueCursor>(awaited) ||
         std::holds_alternative<awaited::CatalogueRows>(awaited);
}

void cancel(Awaited& awaited) {
  std::visit(
      [](auto& one) {
        if constexpr (requires { one.is_cancelled; }) {
          one.is_cancelled = true;
        }
      },
      awaited);
}

bool is_cancelled(const Awaited& awaited) {
  return std::visit(
      [](const auto& one) {
        if constexpr (requires { one.is_cancelled; }) {
          return one.is_cancelled;
        }
        return false;
      },
      awaited);
}

std::string_view sql_of(const Awaited& awaited) {
  return std::visit(
      [](const auto& one) -> std::string_view {
        if constexpr (requires { one.execution; }) {
          return one.execution.portal->sql();
        } else if constexpr (requires { one.portal; }) {
          return one.portal->sql();
        } else if constexpr (requires { one.run->sql(); }) {
          return one.run->sql();
        } else if constexpr (requires { one.statement; }) {
          return std::visit([](const auto& statement) { return std::string_view(statement->sql()); }, one.statement);
        }
        return {};
      },
      awaited);
}

}  // namespace daedalus::postgres
