#include "checkpoint_thread.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <utility>

#include "daedalus/durability/checkpoint_load.hpp"

namespace daedalus::node {

namespace {

/// Two are enough to keep one being packed while another is filled; more only take memory.
constexpr uint32_t kBuffers = 2;
constexpr std::chrono::milliseconds kLookPause(50);
constexpr std::chrono::milliseconds kLogPause(5);
/// After a round that failed, the next one waits: the disk is full, or worse.
constexpr std::chrono::seconds kFailurePause(5);

/// Returns the processor time of the calling thread.
std::chrono::nanoseconds own_cpu_time() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

}  // namespace

CheckpointHooks::CheckpointHooks(uint32_t segments, const engine::SegmentShape& shape, uint32_t column_count)
    : buffers_(kBuffers, durability::chunk_content_size(shape.chunk_rows, column_count, shape.row_bytes)) {
  const durability::ChunkCopier::Shape slots{shape.chunk_count, shape.chunk_rows * shape.chunk_count};
  for (uint32_t segment = 0; segment < segments; ++segment) {
    copiers_.push_back(std::make_unique<durability::ChunkCopier>(segment, slots, buffers_));
  }
}

std::vector<durability::ChunkCopier*> CheckpointHooks::copiers() {
  std::vector<durability::ChunkCopier*> all;
  for (const auto& copier : copiers_) {
    all.push_back(copier.get());
  }
  return all;
}

CheckpointThread::CheckpointThread(durability::Disk& disk, CheckpointHooks& hooks, ThreadedSegments& segments,
                                   LogThread& log, Options options)
    : hooks_(hooks),
      segments_(segments),
      log_(log),
      options_(options),
      writer_(disk, hooks.buffers(), hooks.copiers(), [this] { segments_.wake_all(); }),
      pace_(options.log_bytes),
      thread_([this](const std::stop_token& stop) { work(stop); }) {}

CheckpointThread::~CheckpointThread() {
  thread_.request_stop();
  hooks_.buffers().notify();
  thread_.join();
}

void CheckpointThread::work(const std::stop_token& stop) {
  if (auto opened = writer_.open(options_.restored); !opened) {
    spdlog::error("no checkpoints can be made: {}; {}", opened.error().message, opened.error().hint);
    return;
  }
  tell();
  while (!stop.stop_requested()) {
    if (is_due()) {
      make(stop);
    } else {
      pause(kLookPause, stop);
    }
  }
}

bool CheckpointThread::is_due() const { return log_.bytes() >= log_bytes_after_last_ + options_.log_bytes; }

bool CheckpointThread::step(const std::stop_token& stop) {
  const std::chrono::nanoseconds before = own_cpu_time();
  if (!writer_.step()) {
    return false;
  }
  const std::chrono::nanoseconds rest = pace_.rest_after(own_cpu_time() - before, log_.bytes());
  if (rest > std::chrono::nanoseconds(0) && writer_.state() == durability::CheckpointWriter::State::kWriting) {
    pause(rest, stop);
  }
  return true;
}

void CheckpointThread::make(const std::stop_token& stop) {
  const auto began = std::chrono::steady_clock::now();
  pace_.begin(log_.bytes());
  writer_.begin();
  segments_.begin_checkpoints();
  while (writer_.state() == durability::CheckpointWriter::State::kWriting) {
    const uint32_t seen = hooks_.buffers().seen();
    if (stop.stop_requested()) {
      return;
    }
    if (!step(stop)) {
      hooks_.buffers().wait(seen);
    }
  }
  const uint64_t given_up = writer_.status().rounds_given_up;
  if (writer_.state() == durability::CheckpointWriter::State::kPrepared && await_log(writer_.highest(), stop)) {
    if (auto committed = writer_.commit(durability::log_note(log_.outcomes_durable())); committed) {
      log_.release(std::min(writer_.status().lowest, forgotten_.load()));
    }
  }
  const durability::CheckpointStatus& status = writer_.status();
  if (stop.stop_requested()) {
    return;
  }
  if (status.last_error) {
    spdlog::warn("{}: {}; {}", status.rounds_given_up > given_up ? "a checkpoint was given up" : "after a checkpoint",
                 status.last_error->message, status.last_error->hint);
    pause(kFailurePause, stop);
  } else {
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
    spdlog::info("checkpoint {}: from update {} on, {} chunks written, {} kept, {} MiB, in {:.2f} s", status.number,
                 raw(status.lowest), status.chunks_written, status.chunks_kept, status.bytes >> 20, took.count());
  }
  pause(kLookPause, stop);  // The log's thread removes files.
  log_bytes_after_last_ = log_.bytes();
  tell();
}

/// Waits for the log, since what its chunks have must not be more than what a restart would find.
bool CheckpointThread::await_log(Timestamp through, const std::stop_token& stop) {
  while (log_.settled() < through && !stop.stop_requested()) {
    pause(kLogPause, stop);
  }
  return !stop.stop_requested();
}

void CheckpointThread::pause(std::chrono::nanoseconds duration, const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  stopped_.wait_for(lock, stop, duration, [] { return false; });
}

void CheckpointThread::tell() {
  lowest_.store(writer_.status().lowest);
  bytes_.store(writer_.status().bytes);
}

}  // namespace daedalus::node
