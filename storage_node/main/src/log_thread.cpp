#include "log_thread.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace daedalus::node {

namespace {

/// Nobody waits for outcomes but checkpoints.
constexpr std::chrono::milliseconds kOutcomesSyncPause(100);
constexpr std::chrono::milliseconds kRetryPause(100);
/// After a file could not be made ahead.
constexpr std::chrono::seconds kPreparePause(5);

template <typename T>
void move_behind(std::vector<T> from, std::vector<T>& to) {
  if (to.empty()) {
    to = std::move(from);
  } else {
    to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
  }
}

}  // namespace

LogThread::LogThread(durability::Disk& disk, std::unique_ptr<durability::NodeLog> log, LogThreadOptions options,
                     LogEvents events)
    : disk_(disk),
      log_(std::move(log)),
      options_(options),
      events_(std::move(events)),
      told_appended_(log_->written()),
      told_durable_(log_->durable()),
      outcomes_durable_(log_->outcomes().last_durable_record()),
      settled_(log_->settled()),
      bytes_(log_->bytes()),
      thread_([this](const std::stop_token& stop) { work(stop); }) {}

LogThread::~LogThread() {
  thread_.request_stop();
  thread_.join();
}

void LogThread::give(std::vector<LogRecord> records, std::vector<OutcomeRecord> outcomes, Timestamp applied) {
  {
    const std::scoped_lock lock(mutex_);
    move_behind(std::move(records), given_.records);
    move_behind(std::move(outcomes), given_.outcomes);
    given_.applied = applied;
    has_given_ = true;
  }
  is_given_.notify_one();
}

void LogThread::release(Timestamp through) {
  {
    const std::scoped_lock lock(mutex_);
    given_.release = through;
    has_given_ = true;
  }
  is_given_.notify_one();
}

void LogThread::work(const std::stop_token& stop) {
  prepare_files();
  while (!stop.stop_requested()) {
    keep(take(stop));
    while (!write_and_sync(false)) {
      wait_for_room(stop);
      if (stop.stop_requested()) {
        return;
      }
    }
    prepare_files();
  }
  keep(take(stop));
  if (!write_and_sync(true)) {
    spdlog::error("what was not confirmed is not in the log: {}", problem_->message);
  }
}

LogThread::Batch LogThread::take(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  is_given_.wait_until(lock, stop, next_due(), [this] { return has_given_; });
  has_given_ = false;
  if (prepared_.file != nullptr) {
    prepared_.log->give_prepared(std::move(prepared_.file));
    is_preparing_ = false;
  }
  return std::exchange(given_, Batch{});
}

void LogThread::keep(Batch batch) {
  log_->append(batch.records);
  log_->append_outcomes(batch.outcomes, batch.applied);
  release_ = std::max(release_, batch.release);
}

LogThread::Clock::time_point LogThread::next_due() const {
  auto due = Clock::now() + std::chrono::hours(1);
  if (log_->has_unsynced()) {
    due = unsynced_since_ + std::chrono::nanoseconds(options_.sync_ns_max);
  }
  return log_->has_unsettled() ? std::min(due, outcomes_synced_at_ + kOutcomesSyncPause) : due;
}

bool LogThread::write_and_sync(bool is_last) {
  if (log_->has_unwritten() && !log_->has_unsynced()) {
    unsynced_since_ = Clock::now();
  }
  Result<void> done = log_->write();
  if (log_->written() > told_appended_) {
    told_appended_ = log_->written();
    events_.appended(told_appended_);
  }
  if (done) {
    done = sync_what_is_due(is_last);
  }
  if (log_->durable() > told_durable_) {
    told_durable_ = log_->durable();
    events_.durable(told_durable_);
  }
  if (done && release_ > Timestamp{}) {
    release_files();
  }
  outcomes_durable_.store(log_->outcomes().last_durable_record());
  settled_.store(log_->settled());
  bytes_.store(log_->bytes());
  if (done && problem_) {
    spdlog::info("the log can be written again");
    problem_.reset();
    events_.stuck(std::nullopt);
  } else if (!done && (!problem_ || problem_->message != done.error().message)) {
    problem_ = done.error();
    spdlog::error("{}; updates are refused until the log can be written; {}", problem_->message, problem_->hint);
    events_.stuck(problem_);
  }
  return static_cast<bool>(done);
}

/// Files that cannot be removed keep nobody from writing: they are tried again with the next batch.
void LogThread::release_files() {
  const auto released = log_->release(release_);
  if (released) {
    release_ = {};
  } else if (unreleased_ != released.error().message) {
    spdlog::warn("{}; what a checkpoint has made needless stays on disk for now", released.error().message);
  }
  unreleased_ = released ? "" : released.error().message;
}

Result<void> LogThread::sync_what_is_due(bool is_last) {
  const auto now = Clock::now();
  if (is_last || now >= unsynced_since_ + std::chrono::nanoseconds(options_.sync_ns_max)) {
    if (auto synced = log_->sync(); !synced) {
      return synced;
    }
  }
  if (log_->has_unsettled() && (is_last || now >= outcomes_synced_at_ + kOutcomesSyncPause)) {
    outcomes_synced_at_ = now;
    return log_->sync_outcomes();
  }
  return {};
}

void LogThread::wait_for_room(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  is_given_.wait_for(lock, stop, kRetryPause, [] { return false; });
}

void LogThread::prepare_files() {
  for (durability::RecordLog* log : {&log_->updates(), &log_->outcomes()}) {
    if (!log->wants_prepared()) {
      continue;
    }
    {
      // One at a time, until the log has it: another of the same name would take its place on disk, and what is written
      // to the first would be nowhere.
      const std::scoped_lock lock(mutex_);
      if (is_preparing_ || Clock::now() < prepare_again_at_) {
        return;
      }
      is_preparing_ = true;
    }
    preparer_.run([this, log, name = log->prepared_name(), bytes = log->file_bytes()] {
      auto file = durability::prepare_file(disk_, name, bytes);
      const std::scoped_lock lock(mutex_);
      if (file) {
        prepared_ = {log, std::move(*file)};
      } else {  // The next file grows as it is written; whoever writes says what is wrong.
        is_preparing_ = false;
        prepare_again_at_ = Clock::now() + kPreparePause;
      }
    });
    return;
  }
}

}  // namespace daedalus::node
