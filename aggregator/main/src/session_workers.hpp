// Threads that do for sessions of PostgreSQL's protocol what takes too long for the network's thread: taking texts
// apart, describing statements, compiling writes, converting what comes with a COPY.
//
// One thread for small statements, one for large ones, so that no small one waits for a large one. Each session has at
// most one piece of work under way, so that first come, first served is fair, and the sessions bound how much waits.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "daedalus/aggregator/compile.hpp"
#include "daedalus/postgres/door.hpp"

namespace daedalus::aggregator {

/// Called on a worker's thread, once for each piece of work.
using OnSessionWork = std::function<void(rpc::PeerId session, uint64_t work, postgres::WorkDone done)>;

class SessionWorkers {
 public:
  /// `table` is the name of the one there is.
  SessionWorkers(std::shared_ptr<Compiler> compiler, std::string table, OnSessionWork on_done);
  /// Stops after what is being done; what waits is dropped.
  ~SessionWorkers();
  SessionWorkers(const SessionWorkers&) = delete;
  SessionWorkers& operator=(const SessionWorkers&) = delete;

  void submit(rpc::PeerId session, postgres::Work work);

 private:
  struct Lane {
    std::mutex mutex;
    std::condition_variable wake;
    std::deque<std::pair<rpc::PeerId, postgres::Work>> queue;  ///< Under mutex, as is is_stopping.
    bool is_stopping = false;
    std::thread thread;
  };
  void work(Lane& lane);
  [[nodiscard]] postgres::WorkDone done(const postgres::Work& work);

  const std::shared_ptr<Compiler> compiler_;
  const std::string table_;
  const OnSessionWork on_done_;
  Lane small_;
  Lane large_;
};

}  // namespace daedalus::aggregator
