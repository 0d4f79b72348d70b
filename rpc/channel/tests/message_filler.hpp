// Fills any message with values that depend on field numbers only: every field set, every oneof alternative reachable.
#pragma once

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <algorithm>
#include <memory>
#include <string>

namespace daedalus::rpc {

/// Messages nest this deep at most (expressions contain expressions).
constexpr int kFillDepthMax = 4;

/// How many variants it takes to see every alternative of the message's own oneofs.
inline int variant_count(const google::protobuf::Descriptor& type) {
  int count = 1;
  for (int i = 0; i < type.oneof_decl_count(); ++i) {
    count = std::max(count, type.oneof_decl(i)->field_count());
  }
  return count;
}

void fill(google::protobuf::Message& message, int variant, int depth);

[[nodiscard]] inline std::unique_ptr<google::protobuf::Message> filled(const google::protobuf::Descriptor& type,
                                                                       int variant) {
  std::unique_ptr<google::protobuf::Message> message(
      google::protobuf::MessageFactory::generated_factory()->GetPrototype(&type)->New());
  fill(*message, variant, 0);
  return message;
}

}  // namespace daedalus::rpc
