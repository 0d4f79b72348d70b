// The session tells other clients of this one.
#include <algorithm>

#include "session.hpp"

namespace daedalus::postgres {

ClientActivity PgSession::activity() const {
  const bool is_active = !is_ready_ || !is_awaited<awaited::Message>() || !pipeline_.empty();
  ClientActivity told;
  told.process_id = identity_.key.process_id;
  told.database = entrance_.database();
  told.user = entrance_.user();
  told.application_name = *settings_->show("application_name");
  told.address = connection_.address;
  told.is_encrypted = entrance_.is_encrypted();
  told.connected = started_;
  told.changed = is_active ? now_ : std::max(now_, last_progress_);
  if (is_active) {
    told.state = "active";
    const Portal* const ahead = !pipeline_.empty() ? pipeline_.first().portal.get() : nullptr;
    told.query = ahead != nullptr ? std::string_view(ahead->sql()) : sql_of(awaited_);
    return told;
  }
  told.state = block_.state() == BlockState::kIdle      ? "idle"
               : block_.state() == BlockState::kInBlock ? "idle in transaction"
                                                        : "idle in transaction (aborted)";
  return told;
}

bool PgSession::may_know_of(const PgSession& other) const {
  return entrance_.user() == other.entrance_.user() || entrance_.check_role(Role::kOperator, "it").has_value();
}

}  // namespace daedalus::postgres
