#include "execution.hpp"

#include <fmt/format.h>

#include <utility>

namespace daedalus::postgres {

Execution::Execution(Portal& executed, uint32_t rows_max)
    : portal(&executed), rows_left(rows_max > 0 ? std::optional<uint64_t>(rows_max) : std::nullopt) {}

void Execution::on_sent(uint32_t rows) {
  rows_sent += rows;
  if (rows_left) {
    *rows_left -= rows;
  }
}

std::string Execution::tag() {
  if (portal->inserted) {
    return fmt::format("INSERT 0 {}", std::exchange(*portal->inserted, 0));
  }
  if (portal->copy_out != nullptr) {
    return fmt::format("COPY {}", rows_sent);
  }
  if (!portal->fetch) {
    return fmt::format("SELECT {}", rows_sent);
  }
  const bool is_move = std::get<FetchCommand>(portal->statement->command).is_move;
  return is_move ? fmt::format("MOVE {}", portal->fetch->row_count()) : fmt::format("FETCH {}", rows_sent);
}

}  // namespace daedalus::postgres
