#include "daedalus/rpc/asio_network.hpp"

#include <utility>

#include "network_impl.hpp"

namespace daedalus::rpc {

AsioNetwork::AsioNetwork(AsioOptions options, PeerHandler& handler)
    : impl_(std::make_unique<Impl>(std::move(options), handler)) {}
AsioNetwork::~AsioNetwork() = default;

Result<std::string> AsioNetwork::listen(const std::string& endpoint) { return impl_->listen_for_peers(endpoint); }
Result<std::string> AsioNetwork::listen(const std::string& endpoint, SessionFactory make_session) {
  return impl_->listen(endpoint, std::move(make_session));
}
LinkId AsioNetwork::dial(const std::string& endpoint) { return impl_->dial(endpoint); }
void AsioNetwork::drop_link(LinkId link, const std::string& reason) { impl_->drop_link(link, reason); }
void AsioNetwork::connect_local(const std::string& path, SessionFactory make_session, OnConnectFailed on_failed) {
  impl_->connect_local(path, std::move(make_session), std::move(on_failed));
}
void AsioNetwork::send(Outbox&& outbox) { impl_->send(std::move(outbox)); }
uint64_t AsioNetwork::output_waiting(PeerId peer) const { return impl_->output_waiting(peer); }
std::optional<uint64_t> AsioNetwork::awaited_answer(PeerId peer) const { return impl_->awaited_answer(peer); }
void AsioNetwork::wake(PeerId session) { impl_->wake(session); }
void AsioNetwork::post(const char* what, std::function<void()> task) { impl_->post(what, std::move(task)); }
void AsioNetwork::arm(Instant when, std::function<void()> task) { impl_->arm(when, std::move(task)); }
void AsioNetwork::set_on_turn_end(std::function<void()> hook) { impl_->on_turn_end = std::move(hook); }
void AsioNetwork::set_hello(wire::v1::Hello hello) { impl_->options.hello = std::move(hello); }
Instant AsioNetwork::now() const { return steady_now(); }
uint32_t AsioNetwork::connection_count() const { return impl_->connection_count(); }
void AsioNetwork::run() { (void)impl_->run_for(INT64_MAX); }
bool AsioNetwork::run_for(int64_t duration_ns) { return impl_->run_for(duration_ns); }
void AsioNetwork::shutdown(std::string reason) { impl_->shutdown(std::move(reason)); }
void AsioNetwork::on_stop_signal(std::function<void()> task) { impl_->on_stop_signal(std::move(task)); }

}  // namespace daedalus::rpc
