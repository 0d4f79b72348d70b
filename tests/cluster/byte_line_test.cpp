// Connections of the simulator's clients of PostgreSQL: bytes in their order, or not at all.
#include "byte_line.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace daedalus::testing {
namespace {

class ByteLineTest : public ::testing::Test {
 protected:
  using Side = ByteLine::Side;

  ByteLineTest() {
    for (const Side side : {Side::kClient, Side::kServer}) {
      End& end = ends_[static_cast<size_t>(side)];
      line_->attach(side,
                    {.on_bytes = [&end](std::string_view bytes) { end.heard += bytes; },
                     .on_end = [&end] { ++end.ends; },
                     .on_written = [&end](size_t size) { end.written += size; }},
                    [this](Instant when, std::function<void()> task) { network_.at(when, std::move(task)); });
    }
  }

  struct End {
    std::string heard;
    int ends = 0;
    size_t written = 0;
  };
  End& client() { return ends_[0]; }
  End& server() { return ends_[1]; }

  rpc::SimulatedNetwork network_{{.seed = 5}};
  std::shared_ptr<ByteLine> line_ = std::make_shared<ByteLine>(network_, ByteLine::Temper{.piece_size_max = 100});
  End ends_[2];
};

TEST_F(ByteLineTest, BytesComeInOrderInPieces) {
  std::string said;
  for (int number = 0; number < 1000; ++number) {
    const std::string word = std::to_string(number) + ' ';
    line_->write(Side::kClient, word);
    said += word;
  }
  line_->close(Side::kClient);
  network_.run_for(kSecond);
  EXPECT_EQ(server().heard, said);
  EXPECT_EQ(server().ends, 1);
  EXPECT_EQ(client().written, said.size());
  EXPECT_EQ(client().ends, 0);
}

TEST_F(ByteLineTest, KeepsBytesUntilTheyAreRead) {
  line_->set_reading(Side::kClient, false);
  line_->write(Side::kServer, std::string(5000, 'x'));
  network_.run_for(kSecond);
  EXPECT_EQ(line_->unread(Side::kServer), 5000U);
  EXPECT_EQ(server().written, 0U);
  line_->set_reading(Side::kClient, true);
  network_.run_for(kSecond);
  EXPECT_EQ(client().heard.size(), 5000U);
  EXPECT_EQ(server().written, 5000U);
}

TEST_F(ByteLineTest, ALostLineEndsForBothAndBringsNothingMore) {
  line_->write(Side::kServer, std::string(5000, 'x'));
  line_->lose();
  line_->write(Side::kClient, "too late");
  network_.run_for(5 * kSecond);
  EXPECT_EQ(client().heard, "");
  EXPECT_EQ(server().heard, "");
  EXPECT_EQ(client().ends, 1);
  EXPECT_EQ(server().ends, 1);
}

TEST_F(ByteLineTest, AProcessThatVanishesIsNotTold) {
  line_->vanish(Side::kServer);
  network_.run_for(5 * kSecond);
  EXPECT_EQ(client().ends, 1);
  EXPECT_EQ(server().ends, 0);
}

}  // namespace
}  // namespace daedalus::testing
