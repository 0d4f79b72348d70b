#include "daedalus/postgres/session_registry.hpp"

#include <utility>

#include "client_activity.hpp"
#include "secure_session.hpp"
#include "session.hpp"

namespace daedalus::postgres {

SessionRegistry::SessionRegistry(SessionOptions options, SessionOwner& owner, std::function<uint64_t()> random)
    : options_(std::move(options)),
      owner_(owner),
      descriptions_(std::make_unique<Descriptions>()),
      random_(std::move(random)),
      guard_(random_),
      connection_limit_(options_.clients_max),
      kept_(std::make_shared<ByteBudget>(options_.kept_bytes_max)) {}

SessionRegistry::~SessionRegistry() = default;

std::shared_ptr<rpc::ByteSession> SessionRegistry::make_session(const rpc::ConnectionInfo& connection, Instant now) {
  if (sessions_.size() >= drop_at_) {
    drop_gone();
  }
  SessionIdentity identity;
  // Clients read it as a positive number.
  last_process_id_ = last_process_id_ == INT32_MAX ? 1 : last_process_id_ + 1;
  identity.key = {last_process_id_, static_cast<uint32_t>(random_())};
  for (int half = 0; half < 2; ++half) {
    const uint64_t bits = random_();
    identity.submission_client.append(reinterpret_cast<const char*>(&bits), sizeof(bits));
  }
  const PgSession::Shared shared{options_, *descriptions_, guard_, connection_limit_, kept_, owner_};
  auto session = std::make_shared<PgSession>(shared, connection, std::move(identity), now);
  sessions_.insert_or_assign(connection.id, session);
  if (tls_ == nullptr) {
    return session;
  }
  return std::make_shared<SecureSession>(std::move(session), tls_);
}

void SessionRegistry::set_table_oid(uint32_t oid) { descriptions_->set_table_oid(oid); }

bool SessionRegistry::on_result(rpc::PeerId session, wire::v1::Result&& result, Instant now) {
  const auto found = find(session);
  if (found != nullptr) {
    found->on_result(std::move(result), now);
  }
  return found != nullptr;
}

bool SessionRegistry::on_work_done(rpc::PeerId session, uint64_t work, WorkDone done, Instant now) {
  const auto found = find(session);
  if (found != nullptr) {
    found->on_work_done(work, std::move(done), now);
  }
  return found != nullptr;
}

bool SessionRegistry::on_catalogue(rpc::PeerId session, uint64_t work, catalogue::Outcome outcome, Instant now) {
  const auto found = find(session);
  if (found != nullptr) {
    found->on_catalogue(work, std::move(outcome), now);
  }
  return found != nullptr;
}

std::optional<rpc::PeerId> SessionRegistry::cancel(const CancelKey& key, Instant now) {
  for (const auto& [id, weak] : sessions_) {
    const auto session = weak.lock();
    if (session != nullptr && session->was_up() && session->key() == key) {
      session->cancel(now);
      return id;
    }
  }
  return std::nullopt;
}

std::string SessionRegistry::clients_told_to(rpc::PeerId session, std::string_view sql, int64_t epoch_us) const {
  const auto asker = find(session);
  if (asker == nullptr || !may_show_clients(sql)) {
    return {};
  }
  std::string told = "[";
  for (const auto& [id, weak] : sessions_) {
    const auto client = weak.lock();
    if (client != nullptr && client->is_within()) {
      told += told.size() > 1 ? "," : "";
      append_activity(client->activity(), epoch_us, asker->may_know_of(*client), told);
    }
  }
  return told + "]";
}

std::shared_ptr<PgSession> SessionRegistry::find(rpc::PeerId session) const {
  const auto found = sessions_.find(session);
  return found == sessions_.end() ? nullptr : found->second.lock();
}

void SessionRegistry::drop_gone() {
  std::erase_if(sessions_, [](const auto& entry) { return entry.second.expired(); });
  drop_at_ = 2 * sessions_.size() + 64;
}

}  // namespace daedalus::postgres
