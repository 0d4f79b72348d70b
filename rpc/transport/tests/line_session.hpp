// A protocol that has nothing to do with Daedalus's: every line comes back, and its owner reads along.
#pragma once

#include <algorithm>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "daedalus/rpc/byte_session.hpp"

namespace daedalus::rpc {

/// "hello" makes it up, "quit" ends it, and so does a line that is too long or does not come in time.
class LineSession final : public ByteSession {
 public:
  static constexpr size_t kLineSizeMax = 64;

  LineSession(std::vector<std::string>& lines, int64_t idle_ns_max, Instant now)
      : lines_(lines), idle_ns_max_(idle_ns_max), last_heard_(now) {
    output_ = "welcome\n";
  }

  bool takes_more = true;
  [[nodiscard]] bool takes_input() const override { return takes_more; }

  /// Says something that the owner has to say by itself.
  void say(const std::string& line) { output_ += line + "\n"; }

  void on_bytes(std::string_view bytes, Instant now) override {
    last_heard_ = now;
    for (const char byte : bytes) {
      if (ending_) {
        return;
      }
      if (byte != '\n') {
        line_ += byte;
        if (line_.size() > kLineSizeMax) {
          finish("line too long");
        }
      } else {
        on_line(std::exchange(line_, {}));
      }
    }
  }
  void on_deadline(Instant now) override {
    if (now >= next_deadline()) {
      finish("idle");
    }
  }
  void on_unread(Instant now) override { last_heard_ = now; }
  void on_written(size_t size, Instant /*now*/) override { unwritten_size_ -= size; }
  void on_lost(std::string reason) override {
    output_.clear();
    end(std::move(reason));
  }
  void close(std::string reason) override { finish(std::move(reason)); }

  [[nodiscard]] bool has_events() const override { return !events_.empty(); }
  void deliver(const IsEnough& is_enough) override {
    while (!events_.empty()) {
      was_up_ = was_up_ || events_.front() == "hello";
      lines_.push_back(std::move(events_.front()));
      events_.pop_front();
      if (is_enough("LINE")) {
        return;
      }
    }
  }

  [[nodiscard]] bool has_output() const override { return !output_.empty(); }
  [[nodiscard]] std::string take_output(Instant /*now*/) override {
    unwritten_size_ += output_.size();
    return std::exchange(output_, {});
  }
  [[nodiscard]] uint64_t output_waiting() const override { return output_.size() + unwritten_size_; }
  [[nodiscard]] Instant next_deadline() const override { return ending_ ? kNever : after(last_heard_, idle_ns_max_); }
  [[nodiscard]] bool was_up() const override { return was_up_; }
  [[nodiscard]] const std::optional<std::string>& ended() const override { return events_.empty() ? ending_ : kNotYet; }

 private:
  inline static const std::optional<std::string> kNotYet;

  void on_line(std::string line) {
    output_ += line + "\n";
    const bool is_last = line == "quit";
    events_.push_back(std::move(line));
    if (is_last) {
      finish("asked to quit");
    }
  }
  void finish(std::string reason) {
    if (!ending_) {
      output_ += "bye: " + reason + "\n";
      end(std::move(reason));
    }
  }
  void end(std::string reason) {
    if (!ending_) {
      ending_ = std::move(reason);
    }
  }

  std::vector<std::string>& lines_;
  int64_t idle_ns_max_;
  Instant last_heard_;
  std::string line_;
  std::string output_;
  uint64_t unwritten_size_ = 0;
  std::deque<std::string> events_;
  bool was_up_ = false;
  std::optional<std::string> ending_;
};

}  // namespace daedalus::rpc
