// Small answers, written once.
#pragma once

#include <cstdint>
#include <utility>

#include "daedalus/base/result.hpp"
#include "daedalus/contract/translate.hpp"
#include "daedalus/node/requester.hpp"
#include "daedalus/rpc/network.hpp"

namespace daedalus::node {

using rpc::add_result;

inline void send_error(Requester to, const Error& error, int64_t retry_after_ns, rpc::Outbox& out) {
  auto* reply = add_result(to, out).mutable_error();
  *reply = contract::from_error(error);
  reply->set_retry_after_ns(static_cast<uint64_t>(retry_after_ns));
}

inline Error retry(std::string sqlstate, std::string message) {
  return Error{ErrorCategory::kRetry, std::move(sqlstate), std::move(message), {}, 0};
}

}  // namespace daedalus::node
