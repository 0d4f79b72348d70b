#include "login_machine.hpp"

#include <fmt/format.h>

#include <utility>

namespace daedalus::postgres {

void LoginMachine::handle_first(std::string_view body) {
  auto first = read_first(body);
  if (!first) {
    core_.fatal(first.error());
  } else if (std::holds_alternative<SslRequest>(*first) && core_.entrance.offers_tls()) {
    if (core_.input.size() > 0) {
      // Whoever sits in between could have put it there, to be taken for what comes encrypted.
      return core_.fatal(rejected("08P01", "received unencrypted data after SSL request"));
    }
    core_.entrance.expect_tls();
    core_.output.text().push_back('S');
  } else if (std::holds_alternative<SslRequest>(*first) || std::holds_alternative<GssRequest>(*first)) {
    core_.output.text().push_back('N');  // The client goes on without, or does not.
  } else if (const auto* request = std::get_if<CancelRequest>(&*first)) {
    core_.requests.stop_another({request->process_id, request->secret});
    core_.finish("a cancel request");
  } else {
    go_in(core_.entrance.start(std::move(std::get<StartupMessage>(*first)), core_.output.text()));
  }
}

void LoginMachine::on_login(const Frame& frame) {
  if (frame.type == 'X') {
    core_.finish("the client has said goodbye");
  } else if (frame.type != 'p') {
    core_.fatal(rejected(
        "08P01", fmt::format("expected SASL response, got message type {}", static_cast<unsigned char>(frame.type))));
  } else {
    go_in(core_.entrance.on_answer(frame.body, core_.now, core_.output.text()));
  }
}

void LoginMachine::go_in(Result<LoginProcess::Next> next) {
  if (!next) {
    return core_.fatal(next.error());
  }
  switch (*next) {
    case LoginProcess::Next::kAnswer:
      core_.awaited = awaited::LoginMessage{};
      return;
    case LoginProcess::Next::kVerdict:
      if (core_.entrance.verdict_at() <= core_.now) {
        return tell_verdict();
      }
      core_.awaited = awaited::Verdict{};
      return;
    case LoginProcess::Next::kEnter:
      return enter();
  }
}

void LoginMachine::tell_verdict() {
  if (auto told = core_.entrance.tell_verdict(core_.output.text()); !told) {
    return core_.fatal(told.error());
  }
  enter();
}

void LoginMachine::enter() {
  // As PostgreSQL: who has authenticated is told so before the database is looked for. Health checks wait for no more.
  std::string& text = core_.output.text();
  append_authentication_ok(text);
  auto settings = core_.entrance.enter();
  if (!settings) {
    return core_.fatal(settings.error());
  }
  core_.settings.start(std::move(*settings));
  for (const auto& [name, value] : core_.settings->reports()) {
    append_parameter_status(name, value, text);
  }
  append_backend_key(core_.identity.key.process_id, core_.identity.key.secret, text);
  append_ready(core_.block.state(), text);
  core_.awaited = awaited::Message{};
  core_.is_ready = true;
  core_.was_up = true;
  rpc::PeerInfo info;
  info.hello.set_role(wire::v1::ROLE_CLIENT);
  info.hello.set_name(core_.entrance.user());
  info.address = core_.connection.address;
  core_.requests.tell_up(std::move(info));
}

}  // namespace daedalus::postgres
