// Jobs that wait for a thread.
//
// Decides which is next: clients take turns, each with its oldest job, and small jobs do not wait for large ones where
// a thread takes small ones only. Refuses to know threads, and what a job does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <utility>

#include "daedalus/base/check.hpp"

namespace daedalus {

/// Names one job of a pool. Of two jobs of one client the one with the lower ticket is the older.
enum class JobTicket : uint64_t {};
/// For whom a job is done.
enum class JobClient : uint64_t {};
enum class JobSize : uint8_t { kSmall, kLarge };

/// The facts about a job that a queue needs.
struct JobTag {
  JobTicket ticket{};  ///< No other job that waits has it.
  JobClient client{};
  JobSize size = JobSize::kSmall;
};

/// Text of more bytes than this makes a job large: it takes some milliseconds and more.
constexpr uint64_t kSmallJobBytesMax = 16u << 10;

constexpr JobSize job_size(uint64_t text_bytes) {
  return text_bytes > kSmallJobBytesMax ? JobSize::kLarge : JobSize::kSmall;
}

/// `Job` can be moved; it is never copied. Cost of push() and pop(): logarithmic in the jobs that wait.
template <typename Job>
class WorkQueue {
 public:
  [[nodiscard]] size_t size() const { return places_.size(); }

  void push(const JobTag& tag, Job&& job) {
    CHECK(places_.emplace(tag.ticket, Place{tag.client, tag.size}).second);
    Line& line = line_of(tag.size);
    auto& waiting = line.clients[tag.client];
    if (waiting.empty()) {
      line.turns.push_back(tag.client);
    }
    waiting.emplace(tag.ticket, std::move(job));
  }

  /// Forgets a job that waits; nothing happens when it does not.
  void cancel(JobTicket ticket) {
    const auto place = places_.find(ticket);
    if (place == places_.end()) {
      return;
    }
    Line& line = line_of(place->second.size);
    const auto client = line.clients.find(place->second.client);
    client->second.erase(ticket);
    if (client->second.empty()) {
      line.turns.remove(client->first);
      line.clients.erase(client);
    }
    places_.erase(place);
  }

  struct Next {
    JobSize size{};
    Job job;
  };
  /// The next job of at most this size; small and large ones in turn where it may be either.
  [[nodiscard]] std::optional<Next> pop(JobSize largest) {
    const bool has_small = !line_of(JobSize::kSmall).turns.empty();
    const bool has_large = largest == JobSize::kLarge && !line_of(JobSize::kLarge).turns.empty();
    if (!has_small && !has_large) {
      return std::nullopt;
    }
    last_ = has_large && (!has_small || last_ == JobSize::kSmall) ? JobSize::kLarge : JobSize::kSmall;
    return Next{last_, take(line_of(last_))};
  }

 private:
  /// The place where a job waits.
  struct Place {
    JobClient client{};
    JobSize size{};
  };
  /// The jobs of one size.
  struct Line {
    std::map<JobClient, std::map<JobTicket, Job>> clients;  ///< Each has at least one job.
    std::list<JobClient> turns;                             ///< Who is next; each client once.
  };

  [[nodiscard]] Line& line_of(JobSize size) { return size == JobSize::kLarge ? large_ : small_; }

  /// Takes the oldest job of the client whose turn it is; the client goes to the end of the line if it has more.
  Job take(Line& line) {
    const auto client = line.clients.find(line.turns.front());
    const auto oldest = client->second.begin();
    Job job = std::move(oldest->second);
    places_.erase(oldest->first);
    client->second.erase(oldest);
    if (client->second.empty()) {
      line.clients.erase(client);
      line.turns.pop_front();
    } else {
      line.turns.splice(line.turns.end(), line.turns, line.turns.begin());
    }
    return job;
  }

  Line small_;
  Line large_;
  std::map<JobTicket, Place> places_;  ///< The place of every job that waits.
  JobSize last_ = JobSize::kSmall;     ///< The size of the job that was taken last.
};

}  // namespace daedalus
