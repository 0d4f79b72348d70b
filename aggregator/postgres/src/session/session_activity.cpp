// The session tells other clients of this one.
#include <algorithm>

#include "session.hpp"

namespace daedalus::postgres {

ClientActivity PgSession::activity() const {
  const bool is_active = !core_.is_ready || !core_.is_awaited<awaited::Message>() || !core_.pipeline.empty();
  ClientActivity told;
  told.process_id = core_.identity.key.process_id;
  told.database = core_.entrance.database();
  told.user = core_.entrance.user();
  told.application_name = *core_.settings->show("application_name");
  told.address = core_.connection.address;
  told.is_encrypted = core_.entrance.is_encrypted();
  told.connected = core_.started;
  told.changed = is_active ? core_.now : std::max(core_.now, core_.last_progress);
  if (is_active) {
    told.state = "active";
    const Portal* const ahead = !core_.pipeline.empty() ? core_.pipeline.first().portal.get() : nullptr;
    told.query = ahead != nullptr ? std::string_view(ahead->sql()) : sql_of(core_.awaited);
    return told;
  }
  told.state = core_.block.state() == BlockState::kIdle      ? "idle"
               : core_.block.state() == BlockState::kInBlock ? "idle in transaction"
                                                             : "idle in transaction (aborted)";
  return told;
}

bool PgSession::may_know_of(const PgSession& other) const {
  return core_.entrance.user() == other.core_.entrance.user() ||
         core_.entrance.check_role(Role::kOperator, "it").has_value();
}

}  // namespace daedalus::postgres
