// Before and behind the login: requests that come before it, its messages, and what a client is told at first.
#include <fmt/format.h>

#include <utility>

#include "session.hpp"

namespace daedalus::postgres {

void PgSession::handle_first(std::string_view body) {
  auto first = read_first(body);
  if (!first) {
    fatal(first.error());
  } else if (std::holds_alternative<SslRequest>(*first) && entrance_.offers_tls()) {
    if (input_.size() > 0) {
      // Whoever sits in between could have put it there, to be taken for what comes encrypted.
      return fatal(rejected("08P01", "received unencrypted data after SSL request"));
    }
    entrance_.expect_tls();
    output_.text().push_back('S');
  } else if (std::holds_alternative<SslRequest>(*first) || std::holds_alternative<GssRequest>(*first)) {
    output_.text().push_back('N');  // The client goes on without, or does not.
  } else if (const auto* request = std::get_if<CancelRequest>(&*first)) {
    requests_.stop_another({request->process_id, request->secret});
    finish("a cancel request");
  } else {
    go_in(entrance_.start(std::move(std::get<StartupMessage>(*first)), output_.text()));
  }
}

void PgSession::on_login(const Frame& frame) {
  if (frame.type == 'X') {
    finish("the client has said goodbye");
  } else if (frame.type != 'p') {
    fatal(rejected("08P01",
                   fmt::format("expected SASL response, got message type {}", static_cast<unsigned char>(frame.type))));
  } else {
    go_in(entrance_.on_answer(frame.body, now_, output_.text()));
  }
}

void PgSession::go_in(Result<Entrance::Next> next) {
  if (!next) {
    return fatal(next.error());
  }
  switch (*next) {
    case Entrance::Next::kAnswer:
      awaited_ = awaited::LoginMessage{};
      return;
    case Entrance::Next::kVerdict:
      if (entrance_.verdict_at() <= now_) {
        return tell_verdict();
      }
      awaited_ = awaited::Verdict{};
      return;
    case Entrance::Next::kEnter:
      return enter();
  }
}

void PgSession::tell_verdict() {
  if (auto told = entrance_.tell_verdict(output_.text()); !told) {
    return fatal(told.error());
  }
  enter();
}

void PgSession::enter() {
  // As PostgreSQL: who has authenticated is told so before the database is looked for. Health checks wait for no more.
  std::string& text = output_.text();
  append_authentication_ok(text);
  auto settings = entrance_.enter();
  if (!settings) {
    return fatal(settings.error());
  }
  settings_.start(std::move(*settings));
  for (const auto& [name, value] : settings_->reports()) {
    append_parameter_status(name, value, text);
  }
  append_backend_key(identity_.key.process_id, identity_.key.secret, text);
  append_ready(block_.state(), text);
  awaited_ = awaited::Message{};
  is_ready_ = true;
  was_up_ = true;
  rpc::PeerInfo info;
  info.hello.set_role(wire::v1::ROLE_CLIENT);
  info.hello.set_name(entrance_.user());
  info.address = connection_.address;
  requests_.tell_up(std::move(info));
}

}  // namespace daedalus::postgres
