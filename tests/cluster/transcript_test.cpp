// The recorded conversations of the logical writer, replayed against its plain twin. The Java core replays the same
// files.
//
// DAEDALUS_WRITE_TRANSCRIPTS=1 records them anew from the simulator.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "daedalus/base/check.hpp"
#include "simulated_cluster.hpp"

namespace daedalus::testing {
namespace {

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
void replay(const std::vector<std::string>& event, WriterModel& model, Transcript& transcript) {
  const Instant now{std::stoll(event[1])};
  rpc::Outbox out;
  WriterEffects effects;
  if (event[2] == "up") {
    transcript.up(now, rpc::PeerId{std::stoull(event[3])});
    model.on_up(rpc::PeerId{std::stoull(event[3])}, now, out);
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
}

class TranscriptTest : public ::testing::TestWithParam<uint64_t> {};

TEST_P(TranscriptTest, WriterModelRepeatsItsConversation) {
  if (std::getenv("DAEDALUS_WRITE_TRANSCRIPTS") != nullptr) {
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
  WriterModel model(options);
  Transcript transcript(options);
  for (std::string line; std::getline(lines, line);) {
    if (line[0] == '<') {
      replay(split(line), model, transcript);
    }
  }
  EXPECT_EQ(transcript.text(), recorded.str());
}

INSTANTIATE_TEST_SUITE_P(Recorded, TranscriptTest, ::testing::Values(101, 102, 103, 104));

}  // namespace
}  // namespace daedalus::testing
