// From the first byte to the end of the login: requests that come before it, its messages, and what the client is told
// once it is in.
//
// Decides what is awaited next. Refuses to know who may enter: the login decides that.
#pragma once

#include <string_view>

#include "daedalus/base/result.hpp"
#include "session_core.hpp"

namespace daedalus::postgres {

class LoginMachine {
 public:
  explicit LoginMachine(SessionCore& core) : core_(core) {}

  void handle_first(std::string_view body);
  void on_login(const Frame& frame);
  /// The time has come to tell whether the password was right.
  void tell_verdict();

 private:
  void go_in(Result<LoginProcess::Next> next);
  /// The login knows who it is. The client is told so, and with which settings it begins.
  void enter();

  SessionCore& core_;
};

}  // namespace daedalus::postgres
