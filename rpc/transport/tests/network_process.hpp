// Processes of a test that share its thread: each a network and a recorder.
#pragma once

#include <chrono>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>

#include "daedalus/base/check.hpp"
#include "daedalus/rpc/asio_network.hpp"
#include "daedalus/rpc/frame.hpp"
#include "recorder.hpp"

namespace daedalus::rpc {

/// Gives up waiting for something that does not come.
constexpr int64_t kPatience = 30 * kSecond;

/// One process: a network and a recorder. All of a test's processes share its thread and take turns.
struct Process {
  explicit Process(const std::string& name, AsioOptions options = {}) {
    options.hello = hello(name);
    network = std::make_unique<AsioNetwork>(options, recorder);
    recorder.network = network.get();
  }
  std::string listen() {
    const auto address = network->listen("127.0.0.1:0");
    CHECK(address);
    return *address;
  }
  Recorder recorder;
  std::unique_ptr<AsioNetwork> network;
};

/// The bytes of a batch of operations with these numbers.
inline std::string operations_frame(uint64_t first, uint64_t last) {
  wire::v1::OperationBatch batch;
  for (uint64_t sequence = first; sequence <= last; ++sequence) {
    *batch.add_operations() = operation(sequence);
  }
  return encode_frame(FrameType::kOperations, batch.SerializeAsString());
}

inline bool run_until(std::initializer_list<Process*> processes, const std::function<bool()>& condition) {
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::nanoseconds(kPatience);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > give_up) {
      return false;
    }
    for (Process* process : processes) {
      if (process->network) {
        process->network->run_for(kMillisecond);
      }
    }
  }
  return true;
}

}  // namespace daedalus::rpc
