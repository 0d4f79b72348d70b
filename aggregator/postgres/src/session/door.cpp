#include "daedalus/postgres/door.hpp"

#include <utility>

#include "client_activity.hpp"
#include "secure_session.hpp"
#include "session.hpp"

namespace daedalus::postgres {

Door::Door(SessionOptions options, SessionOwner& owner, std::function<uint64_t()> random)
    : options_(std::move(options)),
      owner_(owner),
      descriptions_(std::make_unique<Descriptions>()),
      random_(std::move(random)),
      guard_(random_),
      seats_(options_.clients_max),
      kept_(std::make_shared<ByteBudget>(options_.kept_bytes_max)) {}

Door::~Door() = default;

std::shared_ptr<rpc::ByteSession> Door::make_session(const rpc::ConnectionInfo& connection, Instant now) {
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
  const PgSession::Shared shared{options_, *descriptions_, guard_, seats_, kept_, owner_};
  auto session = std::make_shared<PgSession>(shared, connection, std::move(identity), now);
  sessions_.insert_or_assign(connection.id, session);
  if (tls_ == nullptr) {
    return session;
  }
  return std::make_shared<SecureSession>(std::move(session), tls_);
}

void Door::set_table_oid(uint32_t oid) { descriptions_->set_table_oid(oid); }

bool Door::on_result(rpc::PeerId session, wire::v1::Result&& result, Instant now) {
  const auto found = find(session);
  if (found != nullptr) {
    found->on_result(std::move(result), now);
  }
  return found != nullptr;
}

bool Door::on_work_done(rpc::PeerId session, uint64_t work, WorkDone done, Instant now) {
  const auto found = find(session);
  if (found != nullptr) {
    found->on_work_done(work, std::move(done), now);
  }
  return found != nullptr;
}

bool Door::on_catalogue(rpc::PeerId session, uint64_t work, catalogue::Outcome outcome, Instant now) {
  const auto found = find(session);
  if (found != nullptr) {
    found->on_catalogue(work, std::move(outcome), now);
  }
  return found != nullptr;
}

std::optional<rpc::PeerId> Door::cancel(const CancelKey& key, Instant now) {
  for (const auto& [id, weak] : sessions_) {
    const auto session = weak.lock();
    if (session != nullptr && session->was_up() && session->key() == key) {
      session->cancel(now);
      return id;
    }
  }
  return std::nullopt;
}

std::string Door::clients_told_to(rpc::PeerId session, std::string_view sql, int64_t epoch_us) const {
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

std::shared_ptr<PgSession> Door::find(rpc::PeerId session) const {
  const auto found = sessions_.find(session);
  return found == sessions_.end() ? nullptr : found->second.lock();
}

void Door::drop_gone() {
  std::erase_if(sessions_, [](const auto& entry) { return entry.second.expired(); });
  drop_at_ = 2 * sessions_.size() + 64;
}

}  // namespace daedalus::postgres
