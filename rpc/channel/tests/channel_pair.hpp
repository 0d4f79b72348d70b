// Two channels joined in memory, and messages to send over them.
#pragma once

#include <string>

#include "daedalus/rpc/channel.hpp"

namespace daedalus::rpc {

constexpr Instant kStart{1'000 * kSecond};

inline wire::v1::Hello hello(const std::string& name) {
  wire::v1::Hello hello;
  hello.set_role(wire::v1::ROLE_AGGREGATOR);
  hello.set_name(name);
  hello.set_cluster_id("flights");
  hello.set_schema_fingerprint("fp-1");
  hello.set_map_version(7);
  hello.set_frame_size_max(kFrameSizeMax);
  return hello;
}

inline std::string hello_frame(const wire::v1::Hello& hello) {
  return encode_frame(FrameType::kHello, hello.SerializeAsString());
}

inline wire::v1::Operation operation(uint64_t sequence, size_t body_size = 10) {
  wire::v1::Operation operation;
  operation.mutable_header()->set_sequence(sequence);
  operation.mutable_header()->set_kind(wire::v1::OPERATION_KIND_SELECT);
  operation.set_body(std::string(body_size, 'b'));
  return operation;
}

inline wire::v1::Result result(uint64_t sequence) {
  wire::v1::Result result;
  result.set_sequence(sequence);
  result.mutable_end()->set_row_count(sequence);
  return result;
}

struct ChannelPair {
  explicit ChannelPair(ChannelLimits a_limits = {}, ChannelLimits b_limits = {})
      : a(hello("a"), a_limits, kStart), b(hello("b"), b_limits, kStart) {}

  /// Carries output both ways until there is none.
  void exchange(Instant now = kStart) {
    while (a.has_output() || b.has_output()) {
      carry(a, b, now);
      carry(b, a, now);
    }
  }

  Channel a;
  Channel b;

 private:
  static void carry(Channel& from, Channel& to, Instant now) {
    const std::string bytes = from.take_output(now);
    from.on_written(bytes.size(), now);
    to.on_bytes(bytes, now);
  }
};

}  // namespace daedalus::rpc
