#include "session_workers.hpp"

#include <variant>

#include "wall_clock.hpp"

namespace daedalus::aggregator {

namespace {

/// As for statements of Daedalus's own protocol (CompileQueue): larger ones take some milliseconds and more.
constexpr uint64_t kSmallBytesMax = 16u << 10;

bool is_small(const postgres::Work& work) {
  if (const auto* describe = std::get_if<postgres::Work::Describe>(&work.what)) {
    return describe->sql.size() <= kSmallBytesMax;
  }
  if (const auto* locate = std::get_if<postgres::Work::Locate>(&work.what)) {
    return locate->sql.size() <= kSmallBytesMax;
  }
  const auto* compile = std::get_if<postgres::Work::Compile>(&work.what);
  return compile != nullptr && compile->statement.ByteSizeLong() <= kSmallBytesMax;
}

}  // namespace

SessionWorkers::SessionWorkers(std::shared_ptr<Compiler> compiler, std::string table, OnSessionWork on_done)
    : compiler_(std::move(compiler)), table_(std::move(table)), on_done_(std::move(on_done)) {
  for (Lane* const lane : {&small_, &large_}) {
    lane->thread = std::thread([this, lane] { work(*lane); });
  }
}

SessionWorkers::~SessionWorkers() {
  for (Lane* const lane : {&small_, &large_}) {
    {
      const std::lock_guard lock(lane->mutex);
      lane->is_stopping = true;
    }
    lane->wake.notify_one();
    lane->thread.join();
  }
}

void SessionWorkers::submit(rpc::PeerId session, postgres::Work work) {
  Lane& lane = is_small(work) ? small_ : large_;
  {
    const std::lock_guard lock(lane.mutex);
    lane.queue.emplace_back(session, std::move(work));
  }
  lane.wake.notify_one();
}

void SessionWorkers::work(Lane& lane) {
  for (;;) {
    std::pair<rpc::PeerId, postgres::Work> next;
    {
      std::unique_lock lock(lane.mutex);
      lane.wake.wait(lock, [&] { return lane.is_stopping || !lane.queue.empty(); });
      if (lane.is_stopping) {
        return;
      }
      next = std::move(lane.queue.front());
      lane.queue.pop_front();
    }
    on_done_(next.first, next.second.id, done(next.second));
  }
}

postgres::WorkDone SessionWorkers::done(const postgres::Work& work) {
  if (const auto* split = std::get_if<postgres::Work::Split>(&work.what)) {
    return postgres::split(*split);
  }
  if (const auto* describe = std::get_if<postgres::Work::Describe>(&work.what)) {
    return compiler_->describe(describe->sql, describe->declared);
  }
  if (const auto* piece = std::get_if<postgres::Work::Convert>(&work.what)) {
    return postgres::convert(*piece, wall_clock_us());
  }
  if (const auto* locate = std::get_if<postgres::Work::Locate>(&work.what)) {
    return home_of(locate->sql, table_);
  }
  return compiler_->compile(std::get<postgres::Work::Compile>(work.what).statement, wall_clock_us());
}

}  // namespace daedalus::aggregator
