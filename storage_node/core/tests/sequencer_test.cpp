// The sequencer in conversation (transcripts/sequencer.txt) and against a plain twin under a hostile network.
#include "daedalus/node/sequencer.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "transcript.hpp"

namespace daedalus::node {
namespace {

Timestamp ts(uint64_t t) { return Timestamp{t}; }

/// Speaks the language of the transcripts.
class Conversation {
 public:
  Conversation() { reset(); }

  void run(const std::string& command, std::vector<std::string>* lines) {
    std::istringstream words(command);
    std::string verb;
    words >> verb;
    std::map<std::string, std::string> options;
    std::vector<std::string> arguments;
    for (std::string word; words >> word;) {
      const auto equals = word.find('=');
      if (equals == std::string::npos) {
        arguments.push_back(word);
      } else {
        options[word.substr(0, equals)] = word.substr(equals + 1);
      }
    }
    SequencerEffects effects;
    if (verb == "reset") {
      reset();
    } else if (verb == "epoch") {
      sequencer_->on_epoch(EpochRecord{Epoch{std::stoull(arguments.at(0))}, arguments.at(1), ""}, effects);
    } else if (verb == "update" || verb == "no_op") {
      on_update(verb == "no_op", arguments, options, effects);
    } else if (verb == "applied") {
      Outcomes outcomes;
      if (options.contains("rows")) {
        outcomes.emplace_back().set_rows_applied(std::stoull(options["rows"]));
      }
      // These are of nodes without a log, where what is applied is as durable as it gets.
      sequencer_->on_durable(ts(std::stoull(arguments.at(0))), effects);
      sequencer_->on_applied(ts(std::stoull(arguments.at(0))), outcomes, effects);
    } else if (verb == "wait") {
      now_ = after(now_, std::stoll(arguments.at(0)) * kMillisecond);
      sequencer_->on_deadline(now_, effects);
    } else if (verb == "down") {
      sequencer_->on_peer_down(rpc::PeerId{std::stoull(arguments.at(0))});
    } else {
      FAIL() << "what is \"" << command << "\"?";
    }
    print(effects, lines);
  }

 private:
  void reset() {
    SequencerOptions options;
    options.window = 8;
    options.waiters_max = 6;
    options.outcomes_max = 4;
    options.held_bytes_max = 1000;
    sequencer_ = std::make_unique<Sequencer>(options);
    SequencerEffects effects;
    sequencer_->on_epoch(EpochRecord{Epoch{1}, "w", ""}, effects);
    now_ = Instant{};
    sequences_.clear();
  }

  void on_update(bool is_no_op, const std::vector<std::string>& arguments, std::map<std::string, std::string>& options,
                 SequencerEffects& effects) {
    const uint64_t peer = options.contains("from") ? std::stoull(options["from"]) : 1;
    NumberedUpdate update;
    update.epoch = Epoch{options.contains("epoch") ? std::stoull(options["epoch"]) : raw(sequencer_->epoch().epoch)};
    const auto dots = arguments.at(0).find("..");
    update.range.first = ts(std::stoull(arguments[0]));
    update.range.last = dots == std::string::npos ? update.range.first : ts(std::stoull(arguments[0].substr(dots + 2)));
    update.identity.is_no_op = is_no_op;
    if (!is_no_op) {
      update.body = std::string(options.contains("size") ? std::stoul(options["size"]) : 1, arguments.at(1)[0]);
      update.identity.digest = static_cast<unsigned char>(arguments[1][0]);
    }
    update.confirmed_through = ts(options.contains("confirmed") ? std::stoull(options["confirmed"]) : 0);
    sequencer_->on_update(Requester{rpc::PeerId{peer}, ++sequences_[peer]}, update, now_, effects);
  }

  void print(const SequencerEffects& effects, std::vector<std::string>* lines) const {
    for (const Admission& a : effects.admissions) {
      lines->push_back(a.identity.is_no_op ? fmt::format("admit no_op {}..{}", raw(a.range.first), raw(a.range.last))
                                           : fmt::format("admit {} {}", raw(a.range.first), a.body.substr(0, 1)));
    }
    for (const Confirmation& c : effects.confirmations) {
      lines->push_back(fmt::format("confirm {}/{} t={}{}{}", raw(c.to.peer), c.to.sequence, raw(c.timestamp),
                                   c.outcomes.empty() ? "" : fmt::format(" rows={}", c.outcomes[0].rows_applied()),
                                   c.is_forgotten ? " forgotten" : ""));
    }
    for (const Refusal& r : effects.refusals) {
      lines->push_back(fmt::format(
          "refuse {}/{} t={} {} last={} epoch={} holder={}{}{}", raw(r.to.peer), r.to.sequence, raw(r.timestamp),
          wire::v1::WriteRefusal_Name(r.reason).substr(14), raw(r.last_accepted), raw(r.epoch.epoch), r.epoch.holder,
          r.retry_after_ns > 0 ? fmt::format(" again={}ms", r.retry_after_ns / kMillisecond) : "",
          r.error ? " error=" + r.error->sqlstate : ""));
    }
    if (sequencer_->next_deadline() != kNever) {
      lines->push_back(fmt::format("deadline={}ms", (sequencer_->next_deadline().ns - now_.ns) / kMillisecond));
    }
  }

  std::unique_ptr<Sequencer> sequencer_;
  Instant now_;
  std::map<uint64_t, uint64_t> sequences_;
};

TEST(SequencerTranscript, Holds) {
  Conversation conversation;
  check_transcript(
      DAEDALUS_TRANSCRIPTS "/sequencer.txt",
      [&](const std::string& command, std::vector<std::string>* lines) { conversation.run(command, lines); });
}

uint64_t seed_of_run() {
  const char* given = std::getenv("DAEDALUS_SEED");
  const uint64_t seed = given == nullptr ? 20260731 : std::strtoull(given, nullptr, 10);
  std::cout << "DAEDALUS_SEED=" << seed << "\n";
  return seed;
}

/// A writer that sends in any order, doubles, loses and cuts no-op ranges anew every time; and the plain twin, which is
/// nothing but the list of what each number stands for.
class HostileDelivery {
 public:
  HostileDelivery(uint64_t seed, uint64_t count) : random_(seed), sequencer_(SequencerOptions{}) {
    truth_.resize(count + 1);
    for (uint64_t t = 1; t <= count; ++t) {
      truth_[t] = Identity{.is_no_op = below(3) == 0, .digest = 0};
      truth_[t].digest = truth_[t].is_no_op ? 0 : t * 31;
    }
    SequencerEffects effects;
    sequencer_.on_epoch(EpochRecord{Epoch{1}, "w", ""}, effects);
  }

  void run() {
    const uint64_t count = truth_.size() - 1;
    for (uint64_t step = 0; step < 40 * count && sequencer_.applied() < ts(count); ++step) {
      switch (below(8)) {
        case 0:
          now_ = after(now_, static_cast<int64_t>(below(15)) * kMillisecond);
          sequencer_.on_deadline(now_, effects_);
          break;
        case 1:
          below(2) == 0 ? apply_one() : sync_some();
          break;
        case 2:
          deliver(std::min(count, raw(sequencer_.accepted()) + 1));
          break;
        default:
          deliver(1 + below(std::min(count, raw(sequencer_.accepted()) + 1200)));
      }
      check_effects();
    }
    while (sequencer_.applied() < ts(count)) {
      if (sequencer_.accepted() < ts(count)) {
        deliver(raw(sequencer_.accepted()) + 1);
      }
      while (!to_apply_.empty()) {
        apply_one();
      }
      check_effects();
      sequencer_.on_durable(ts(admitted_), effects_);
      check_effects();
    }
    EXPECT_EQ(admitted_, count);
    EXPECT_TRUE(owed_.empty()) << owed_.size() << " operations were never answered";
    EXPECT_EQ(sequencer_.next_deadline(), kNever);
  }

 private:
  uint64_t below(uint64_t bound) { return std::uniform_int_distribution<uint64_t>(0, bound - 1)(random_); }

  void deliver(uint64_t t) {
    NumberedUpdate update;
    update.epoch = Epoch{1};
    update.identity = truth_.at(t);
    update.range = {ts(t), ts(t)};
    update.body = update.identity.is_no_op ? "" : std::to_string(t);
    while (update.identity.is_no_op && below(4) != 0 && raw(update.range.last) + 1 < truth_.size() &&
           truth_[raw(update.range.last) + 1].is_no_op) {
      update.range.last = next(update.range.last);
    }
    const Requester from{rpc::PeerId{below(3)}, ++sequence_};
    owed_.insert(from);
    sequencer_.on_update(from, update, now_, effects_);
  }

  void apply_one() {
    if (!to_apply_.empty()) {
      sequencer_.on_applied(to_apply_.front(), {}, effects_);
      to_apply_.pop_front();
    }
  }

  /// A log syncs what it was given, sooner or later than the segments apply it.
  void sync_some() {
    const uint64_t durable = raw(sequencer_.durable());
    sequencer_.on_durable(ts(durable + below(admitted_ - durable + 1)), effects_);
  }

  void check_effects() {
    for (const Admission& a : effects_.admissions) {
      ASSERT_EQ(raw(a.range.first), admitted_ + 1);
      for (uint64_t t = raw(a.range.first); t <= raw(a.range.last); ++t) {
        ASSERT_EQ(a.identity.is_no_op, truth_[t].is_no_op);
        ASSERT_EQ(a.body, a.identity.is_no_op ? "" : std::to_string(t));
      }
      admitted_ = raw(a.range.last);
      to_apply_.push_back(a.range.last);
    }
    for (const Confirmation& c : effects_.confirmations) {
      ASSERT_EQ(owed_.erase(c.to), 1u);
      ASSERT_LE(c.timestamp, sequencer_.applied());
      ASSERT_LE(c.timestamp, sequencer_.durable());
    }
    for (const Refusal& r : effects_.refusals) {
      ASSERT_EQ(owed_.erase(r.to), 1u);
      ASSERT_TRUE(r.reason == wire::v1::WRITE_REFUSAL_GAP || r.reason == wire::v1::WRITE_REFUSAL_OVERLOADED);
      ASSERT_EQ(r.last_accepted, sequencer_.accepted());
    }
    ASSERT_FALSE(sequencer_.broken());
    effects_ = {};
  }

  std::mt19937_64 random_;
  Sequencer sequencer_;
  std::vector<Identity> truth_;  ///< By timestamp.
  Instant now_;
  SequencerEffects effects_;
  std::deque<Timestamp> to_apply_;
  std::set<Requester> owed_;
  uint64_t sequence_ = 0;
  uint64_t admitted_ = 0;
};

TEST(SequencerProperty, AdmitsEachNumberOnceInOrderWhateverTheNetworkDoes) {
  const uint64_t seed = seed_of_run();
  for (uint64_t round = 0; round < 60; ++round) {
    SCOPED_TRACE(fmt::format("round {}", round));
    HostileDelivery(seed + round, 50 + round * 40).run();
    if (testing::Test::HasFatalFailure()) {
      return;
    }
  }
}

TEST(SequencerProperty, FindsEveryWrongDigestAmongWhatItRemembers) {
  const uint64_t seed = seed_of_run();
  std::mt19937_64 random(seed);
  for (int round = 0; round < 200; ++round) {
    Sequencer sequencer{SequencerOptions{}};
    SequencerEffects effects;
    sequencer.on_epoch(EpochRecord{Epoch{1}, "w", ""}, effects);
    uint64_t sequence = 0;
    const uint64_t count = 1 + random() % 30;
    for (uint64_t t = 1; t <= count; ++t) {
      const TimestampRange at{ts(t), ts(t)};
      sequencer.on_update({rpc::PeerId{1}, ++sequence}, {Epoch{1}, at, {false, t}, ts(0), "b"}, Instant{}, effects);
    }
    const uint64_t wrong = 1 + random() % count;
    const bool is_no_op = random() % 2 == 0;
    const TimestampRange at{ts(is_no_op ? 1 + random() % wrong : wrong), ts(wrong)};
    effects = {};
    sequencer.on_update({rpc::PeerId{2}, 1}, {Epoch{1}, at, {is_no_op, is_no_op ? 0 : wrong + 1}, ts(0), ""}, Instant{},
                        effects);
    ASSERT_TRUE(sequencer.broken());
    ASSERT_EQ(effects.refusals.back().reason, wire::v1::WRITE_REFUSAL_DIGEST_MISMATCH);
  }
}

}  // namespace
}  // namespace daedalus::node
