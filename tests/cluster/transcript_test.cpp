// The recorded conversations of the logical writer, replayed against its plain twin. The Java core replays the same
// files.
//
// DAEDALUS_WRITE_TRANSCRIPTS=1 records them anew: from the simulator, and the first ones from what is told here.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "daedalus/base/check.hpp"
#include "simulated_cluster.hpp"

namespace daedalus::testing {
namespace {

/// Transcripts below are told by hand, those from it on are of the simulator.
constexpr uint64_t kLives = 100;

std::string path_of(uint64_t seed) { return fmt::format("{}/transcripts/writer-{}.txt", DAEDALUS_SOURCE_DIR, seed); }

std::string unhex(const std::string& text) {
  std::string bytes;
  for (size_t index = 0; text != "-" && index < text.size(); index += 2) {
    bytes.push_back(static_cast<char>(std::stoi(text.substr(index, 2), nullptr, 16)));
  }
  return bytes;
}

std::vector<std::string> split(const std::string& line) {
  std::istringstream in(line);
  std::vector<std::string> words;
  for (std::string word; in >> word;) {
    words.push_back(word);
  }
  return words;
}

/// Feeds one event (`< time kind …`) to the model and writes down what it does.
void replay(const std::vector<std::string>& event, WriterModel& model, Transcript& transcript,
            std::vector<std::pair<uint64_t, uint64_t>>* sent = nullptr) {
  const Instant now{std::stoll(event[1])};
  rpc::Outbox out;
  WriterEffects effects;
  if (event[2] == "up") {
    transcript.up(now, rpc::PeerId{std::stoull(event[3])}, event[4] == "true");
    model.on_up(rpc::PeerId{std::stoull(event[3])}, event[4] == "true", now, out);
  } else if (event[2] == "down") {
    transcript.down(now, rpc::PeerId{std::stoull(event[3])});
    model.on_down(rpc::PeerId{std::stoull(event[3])}, now, out);
  } else if (event[2] == "result") {
    wire::v1::Result result;
    CHECK(result.ParseFromString(unhex(event[4])));
    transcript.result(now, rpc::PeerId{std::stoull(event[3])}, result);
    model.on_result(rpc::PeerId{std::stoull(event[3])}, result, now, out, effects);
  } else if (event[2] == "probed") {
    transcript.probed(now, event[3] == "true");
    model.on_probed(event[3] == "true", now, out, effects);
  } else if (event[2] == "deadline") {
    transcript.deadline(now);
    model.on_deadline(now, out);
  } else if (event[2] == "journaled") {
    transcript.journaled(now, Timestamp{std::stoull(event[3])});
    model.on_journaled(Timestamp{std::stoull(event[3])}, now, out);
  } else {
    CHECK(event[2] == "submit");
    const Submission submission{
        {unhex(event[3]), std::stoull(event[4])}, std::stoull(event[5]), std::stoull(event[6]), event[7] == "true"};
    std::vector<wire::v1::Route> routes(event.size() - 10);
    for (size_t route = 0; route < routes.size(); ++route) {
      CHECK(routes[route].ParseFromString(unhex(event[10 + route])));
    }
    transcript.submit(now, submission, unhex(event[9]), routes, std::stoull(event[8]));
    const auto refusal = model.submit(submission, unhex(event[9]), routes, std::stoull(event[8]), effects);
    if (refusal) {
      transcript.refused(*refusal);
    }
  }
  transcript.effects(out, effects, model.next_deadline());
  for (const auto& [peer, operation] : out.operations) {
    if (sent != nullptr) {
      sent->emplace_back(raw(peer), operation.header().sequence());
    }
  }
}

/// Reads what a journal had kept: lines `| kind …`.
void recover(const std::vector<std::string>& line, RecoveredJournal& journal) {
  if (line[1] == "journal") {
    journal.is_used = true;
    journal.first_epoch = std::stoull(line[2]);
    journal.base = Timestamp{std::stoull(line[3])};
    journal.last_numbered = Timestamp{std::stoull(line[4])};
    journal.forgotten_through = Timestamp{std::stoull(line[5])};
  } else if (line[1] == "update") {
    KeptUpdate& kept = journal.updates[Timestamp{std::stoull(line[2])}];
    kept.confirmed_through = Timestamp{std::stoull(line[3])};
    kept.is_confirmed = line[4] == "true";
    kept.is_answered = true;
    kept.submission = {unhex(line[5]), std::stoull(line[6])};
    kept.map_version = std::stoull(line[7]);
    kept.body = unhex(line[8]);
    for (size_t route = 9; route < line.size(); ++route) {
      CHECK(kept.routes.emplace_back().ParseFromString(unhex(line[route])));
    }
  } else {
    CHECK(line[1] == "submission");
    KnownSubmission& each = journal.submissions.emplace_back();
    each.key = {unhex(line[2]), std::stoull(line[3])};
    each.timestamp = Timestamp{std::stoull(line[4])};
    if (line[5] != "-") {
      CHECK(each.confirmed.emplace().ParseFromString(unhex(line[5])));
    }
  }
}

/// Tells a model what happens, and keeps a record of it.
class Narrator {
 public:
  explicit Narrator(const WriterOptions& options, const RecoveredJournal& journal = {})
      : model(options, journal), transcript(options, true, journal) {}

  void tell(const std::string& event) {
    replay(split(fmt::format("< {} {}", now_ns, event)), model, transcript, &sent);
  }
  void result(uint64_t sequence, wire::v1::Result result, uint64_t peer = 1) {
    result.set_sequence(sequence);
    std::string hex;
    for (const char byte : result.SerializeAsString()) {
      hex += fmt::format("{:02x}", static_cast<uint8_t>(byte));
    }
    tell(fmt::format("result {} {}", peer, hex));
  }
  /// As every aggregator answers whose nodes have come so far: what a node has, its incarnation, and what is durable
  /// where that is less.
  void granted(uint64_t sequence, const std::vector<std::vector<uint64_t>>& nodes, uint64_t epoch = 0) {
    wire::v1::Result result;
    result.mutable_epoch()->set_granted(true);
    result.mutable_epoch()->set_epoch(epoch);
    for (uint32_t node = 0; node < nodes.size(); ++node) {
      mark(*result.mutable_epoch()->add_accepted(), node, nodes[node]);
    }
    this->result(sequence, std::move(result));
  }
  void confirmed(uint64_t sequence, uint64_t timestamp, const std::vector<std::vector<uint64_t>>& nodes) {
    wire::v1::Result result;
    result.mutable_confirmed()->set_timestamp(timestamp);
    for (uint32_t node = 0; node < nodes.size(); ++node) {
      mark(*result.mutable_confirmed()->add_watermarks(), node, nodes[node]);
    }
    this->result(sequence, std::move(result));
  }
  void refused(uint64_t sequence, wire::v1::WriteRefusal reason, uint32_t node, uint64_t last_accepted,
               uint64_t epoch = 0) {
    wire::v1::Result result;
    result.mutable_refused()->set_reason(reason);
    result.mutable_refused()->set_node(node);
    result.mutable_refused()->set_last_accepted(last_accepted);
    result.mutable_refused()->set_epoch(epoch);
    this->result(sequence, std::move(result));
  }
  void submit(uint64_t number, uint64_t epoch, uint64_t after, bool is_repeated) {
    tell(fmt::format("submit {} {} {} {} {} 1 0a0b0c", std::string(32, '7'), number, epoch, after, is_repeated));
  }
  /// Says how far the nodes with a part in the update know that all is confirmed.
  void confirmed_with_marks(uint64_t peer, uint64_t timestamp, const std::map<uint32_t, uint64_t>& marks) {
    wire::v1::Result result;
    result.mutable_confirmed()->set_timestamp(timestamp);
    for (const auto& [node, mark] : marks) {
      result.mutable_confirmed()->add_outcomes()->set_node(node);
      watermark(*result.mutable_confirmed()->add_watermarks(), node, timestamp, mark);
    }
    this->result(last_to(peer), std::move(result), peer);
  }
  void marked(uint64_t peer, const std::map<uint32_t, uint64_t>& marks) {
    wire::v1::Result result;
    result.mutable_marked();
    for (const auto& [node, mark] : marks) {
      watermark(*result.mutable_marked()->add_watermarks(), node, mark, mark);
    }
    this->result(last_to(peer), std::move(result), peer);
  }
  /// The operation that was sent last, by its sequence.
  [[nodiscard]] uint64_t last() const { return sent.back().second; }
  [[nodiscard]] uint64_t last_to(uint64_t peer) const {
    return std::find_if(sent.rbegin(), sent.rend(), [&](const auto& each) { return each.first == peer; })->second;
  }

  static constexpr uint64_t kIncarnation = 70;
  WriterModel model;
  Transcript transcript;
  std::vector<std::pair<uint64_t, uint64_t>> sent;  ///< To which aggregator, and under which sequence.
  int64_t now_ns = kSecond;

 private:
  static void mark(wire::v1::NodeWatermark& watermark, uint32_t node, const std::vector<uint64_t>& said) {
    watermark.set_node(node);
    watermark.set_applied(said[0]);
    watermark.set_durable(said.size() > 2 ? said[2] : said[0]);
    watermark.set_incarnation(said[1]);
  }
  static void watermark(wire::v1::NodeWatermark& watermark, uint32_t node, uint64_t durable, uint64_t mark) {
    watermark.set_node(node);
    watermark.set_applied(durable);
    watermark.set_durable(durable);
    watermark.set_incarnation(kIncarnation + node);
    watermark.set_mark(mark);
  }
};

wire::v1::Result stale_epoch(uint64_t epoch) {
  wire::v1::Result result;
  result.mutable_refused()->set_reason(wire::v1::WRITE_REFUSAL_STALE_EPOCH);
  result.mutable_refused()->set_epoch(epoch);
  result.mutable_refused()->set_holder("writer-2");
  return result;
}

/// A node is started again while updates are under way, then another one that lacks what cannot be sent any more, and
/// in the end the writer itself, which goes on with its journal. The first part is the one life, the second the other.
std::string tell_of_lives(bool is_second) {
  WriterOptions options{.name = "writer", .endpoint = "writer:1"};
  options.submissions_known_max = 4;
  Narrator first(options);
  first.tell("up 1 false");
  first.granted(first.last(), {});  // The inquiry.
  first.granted(first.last(), {{0, 70}, {0, 80}});
  for (uint64_t number = 1; number <= 6; ++number) {
    first.submit(number, 1, number - 1, false);
    first.tell(fmt::format("journaled {}", number));
    if (number < 4) {
      first.confirmed(first.last(), number, {{number, 70}, {std::min<uint64_t>(number, 2), 80}});
    }
  }
  first.now_ns += kSecond;
  first.confirmed(first.last() - 2, 4, {{4, 70}, {4, 81}});  // Node 1 speaks from another life.
  first.refused(first.last(), wire::v1::WRITE_REFUSAL_NEW_INCARNATION, 1, 0);
  first.submit(7, 1, 6, false);
  first.submit(5, 1, 4, true);
  first.granted(first.last(), {{6, 70}, {2, 81}});
  first.refused(first.last(), wire::v1::WRITE_REFUSAL_GAP, 1, 2);
  first.confirmed(first.last() - 2, 5, {{6, 70}, {6, 81}});
  first.refused(first.last(), wire::v1::WRITE_REFUSAL_NEW_INCARNATION, 0, 0);  // Too soon: it waits.
  first.now_ns += kSecond;
  first.tell("deadline");
  first.granted(first.last(), {{1, 71}, {6, 81}});
  first.submit(7, 1, 6, false);
  first.now_ns += kSecond;
  first.tell("deadline");
  first.granted(first.last(), {{5, 72}, {6, 81}});
  first.submit(7, 3, 6, false);
  first.submit(8, 3, 6, false);
  first.tell("journaled 7");  // 8 is lost with this life.
  if (!is_second) {
    return first.transcript.text();
  }
  Narrator second(options, first.model.journal());
  second.tell("up 1 false");
  second.granted(second.last(), {}, 4);
  second.granted(second.last(), {{6, 72}, {5, 81}});
  second.submit(5, 1, 4, true);
  second.submit(7, 3, 6, true);
  second.submit(8, 3, 6, true);
  second.submit(9, 0, 6, true);
  second.tell("journaled 8");
  second.confirmed(second.last(), 8, {{8, 72}, {8, 81}});
  second.refused(second.last() - 1, wire::v1::WRITE_REFUSAL_STALE_EPOCH, 1, 0, 1);
  second.now_ns += kSecond;
  second.tell("deadline");
  second.granted(second.last(), {{9, 72}, {8, 81}});
  return second.transcript.text();
}

/// Without a journal a writer begins behind what nodes have accepted once none of them can lose it any more.
std::string tell_of_adoption() {
  Narrator adopting({.name = "writer", .endpoint = "writer:1"});
  adopting.tell("up 1 false");
  adopting.granted(adopting.last(), {}, 3);  // The inquiry.
  adopting.granted(adopting.last(), {{7, 70}, {7, 80, 5}}, 4);
  adopting.submit(1, 4, 7, false);
  adopting.now_ns += kSecond;
  adopting.tell("deadline");
  adopting.granted(adopting.last(), {{7, 70}, {7, 80}}, 5);
  adopting.submit(1, 5, 7, false);
  adopting.tell("journaled 8");
  return adopting.transcript.text();
}

/// Through two aggregators that take marks: whoever submitted is told an outcome once every node with a part in the
/// update knows that all up to it is confirmed. Then the one that passes marks on falls silent, the other one dies, and
/// in the second part the writer is started again and knows outcomes of which no node has spoken to it.
std::string tell_of_marks(bool is_second) {
  const WriterOptions options{.name = "writer", .endpoint = "writer:1"};
  Narrator first(options);
  first.tell("up 1 true");
  first.granted(first.last(), {});
  first.granted(first.last(), {{0, Narrator::kIncarnation}, {0, Narrator::kIncarnation + 1}});
  first.tell("up 2 true");
  first.marked(1, {{0, 0}, {1, 0}});
  first.marked(2, {});
  const auto submit = [&](uint64_t number) {
    first.submit(number, 1, number - 1, false);
    first.tell(fmt::format("journaled {}", number));
  };
  submit(1);
  const uint64_t first_update = first.last();
  submit(2);
  first.confirmed_with_marks(1, 2, {{0, 0}});  // Update 1 is open: no mark.
  wire::v1::Result one;
  one.mutable_confirmed()->set_timestamp(1);
  one.mutable_confirmed()->add_outcomes()->set_node(0);
  one.mutable_confirmed()->add_outcomes()->set_node(1);
  first.result(first_update, std::move(one), 2);
  first.submit(1, 1, 0, true);
  first.marked(2, {});
  first.marked(1, {{0, 2}});  // Node 1 was lost meanwhile: nobody is told of update 1, nor of update 2 behind it.
  first.now_ns += kSecond / 2;
  first.tell("deadline");
  first.marked(1, {{0, 2}, {1, 2}});
  first.submit(2, 1, 1, true);
  submit(3);
  first.confirmed_with_marks(2, 3, {{1, 2}});
  first.now_ns += kSecond;
  first.tell("deadline");  // Aggregator 1 is silent: the other one passes on.
  first.tell("down 2");
  first.marked(1, {{0, 3}, {1, 3}});
  submit(4);
  first.confirmed_with_marks(1, 4, {{1, 3}});
  if (!is_second) {
    first.result(first.last() - 1, stale_epoch(9), 1);
    first.submit(4, 1, 3, true);  // Confirmed, and nobody was told: it cannot be said any more.
    first.submit(3, 1, 2, true);
    return first.transcript.text();
  }
  Narrator second(options, first.model.journal());
  second.tell("up 1 true");
  second.granted(second.last(), {}, 1);
  second.granted(second.last(), {{4, Narrator::kIncarnation}, {4, Narrator::kIncarnation + 1}}, 2);
  second.submit(4, 1, 3, true);
  second.submit(3, 1, 2, true);
  second.marked(1, {{0, 4}, {1, 3}});
  second.now_ns += kSecond / 2;
  second.tell("deadline");
  second.marked(1, {{0, 4}, {1, 4}});
  second.submit(3, 1, 2, true);
  return second.transcript.text();
}

std::string told(uint64_t tale) {
  switch (tale) {
    case 3:
      return tell_of_adoption();
    case 4:
    case 5:
      return tell_of_marks(tale == 5);
    default:
      return tell_of_lives(tale == 2);
  }
}

class TranscriptTest : public ::testing::TestWithParam<uint64_t> {};

TEST_P(TranscriptTest, WriterModelRepeatsItsConversation) {
  if (std::getenv("DAEDALUS_WRITE_TRANSCRIPTS") != nullptr && GetParam() < kLives) {
    std::ofstream(path_of(GetParam())) << told(GetParam());
  } else if (std::getenv("DAEDALUS_WRITE_TRANSCRIPTS") != nullptr) {
    const RunReport report = SimulatedCluster({.seed = GetParam(),
                                               .updates = 40,
                                               .queries = 0,
                                               .duration_ns = 6 * kSecond,
                                               .journals_late = GetParam() % 2 == 0,
                                               .keeps_transcript = true})
                                 .run();
    std::ofstream(path_of(GetParam())) << report.transcript;
  }
  std::ifstream file(path_of(GetParam()));
  ASSERT_TRUE(file.good()) << path_of(GetParam());
  std::ostringstream recorded;
  recorded << file.rdbuf();
  std::istringstream lines(recorded.str());
  WriterOptions options{.name = "writer", .endpoint = "writer:1"};
  std::string option;
  lines >> option >> options.submissions_known_max >> std::ws;
  ASSERT_EQ(option, "submissions_known_max");
  RecoveredJournal journal;
  std::string line;
  for (; std::getline(lines, line) && line[0] == '|';) {
    recover(split(line), journal);
  }
  WriterModel model(options, journal);
  Transcript transcript(options, true, journal);
  for (bool has_line = !line.empty(); has_line; has_line = static_cast<bool>(std::getline(lines, line))) {
    if (line[0] == '<') {
      replay(split(line), model, transcript);
    }
  }
  EXPECT_EQ(transcript.text(), recorded.str());
}

INSTANTIATE_TEST_SUITE_P(Recorded, TranscriptTest, ::testing::Values(1, 2, 3, 4, 5, 101, 102, 103, 104));

}  // namespace
}  // namespace daedalus::testing
