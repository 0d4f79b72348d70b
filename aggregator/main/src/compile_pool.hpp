// Threads that turn SQL text into operations, so that the network's thread never waits for a parser.
//
// There is one thread more than are meant to be busy, and one is always left for small statements: a large one, which
// cannot be interrupted, holds up other large ones at most. How many statements may wait is the core's to decide.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "compile_queue.hpp"
#include "daedalus/aggregator/compile.hpp"
#include "daedalus/aggregator/core.hpp"

namespace daedalus::aggregator {

/// Called on a pool thread, once per request that was taken, unless it was cancelled in time.
using OnCompiled = std::function<void(CompileTicket ticket, Result<Compiled> compiled)>;

class CompilePool {
 public:
  /// `threads` may compile large statements at a time; one more takes small ones.
  CompilePool(uint32_t threads, std::shared_ptr<Compiler> compiler, OnCompiled on_compiled);
  /// Stops after the statements that are being compiled; those that wait are dropped.
  ~CompilePool();
  CompilePool(const CompilePool&) = delete;
  CompilePool& operator=(const CompilePool&) = delete;

  /// Never blocks on a compilation.
  void submit(CompileRequest request);
  /// A statement that still waits is forgotten, and makes room.
  void cancel(CompileTicket ticket);

 private:
  void work();

  const uint32_t large_running_max_;
  const std::shared_ptr<Compiler> compiler_;
  const OnCompiled on_compiled_;
  std::mutex mutex_;
  std::condition_variable wake_;
  CompileQueue queue_;          ///< Under mutex_, as is all that follows.
  uint32_t large_running_ = 0;  ///< Large statements being compiled.
  bool is_stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace daedalus::aggregator
