#include "client_text.hpp"

#include "daedalus/aggregator/statement_text.hpp"
#include "daedalus/semantics/characters.hpp"
#include "daedalus/semantics/utf8.hpp"

namespace daedalus::postgres {

TextPieces pieces_of(std::string_view text, size_t count_max) {
  TextPieces pieces;
  for (const aggregator::StatementText& statement : aggregator::split_statements(text, count_max)) {
    pieces.emplace_back(statement.offset, static_cast<uint32_t>(statement.sql.size()));
  }
  return pieces;
}

Result<void> check_text(std::string_view text) {
  return semantics::is_valid_text(text) ? Result<void>()
                                        : rejected("22021", "invalid byte sequence for encoding \"UTF8\"");
}

uint32_t characters_in(std::string_view text) { return static_cast<uint32_t>(semantics::character_count(text)); }

std::string query_of(std::string_view statement, uint32_t at) {
  return std::string(characters_in(statement.substr(0, at)), ' ') + std::string(statement.substr(at));
}

}  // namespace daedalus::postgres
