// FETCH and MOVE against a plain twin: a portal that has all its rows and walks over them one by one.
#include "fetch_run.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <random>
#include <vector>

#include "daedalus/semantics/packed.hpp"

namespace daedalus::postgres {
namespace {

using Way = FetchCommand::Way;

const std::vector<semantics::Type> kTypes = {{semantics::TypeKind::kInt}};

std::string packed(int64_t first, int64_t last) {
  std::string rows;
  for (int64_t value = first; value <= last; ++value) {
    semantics::append_packed_row(kTypes, std::vector<semantics::Value>{value}, rows);
  }
  return rows;
}

std::vector<int64_t> unpacked(const std::string& rows) {
  std::vector<int64_t> values;
  semantics::PackedRows reader(rows);
  for (auto row = reader.next(); row && *row; row = reader.next()) {
    values.push_back(std::get<int64_t>(semantics::read_packed_row(kTypes, **row)->at(0)));
  }
  return values;
}

/// A command gives this: its rows and how many they are, or that it may not.
struct Given {
  std::vector<int64_t> rows;
  uint64_t count = 0;
  bool is_forbidden = false;
  friend bool operator==(const Given&, const Given&) = default;
};

/// Walks as PostgreSQL's documentation of FETCH says, a row at a time.
class Twin {
 public:
  Twin(int64_t row_count, bool may_go_back) : row_count_(row_count), may_go_back_(may_go_back) {}

  Given run(const FetchCommand& command) {
    given_ = {};
    is_move_ = command.is_move;
    const int64_t many = command.count == FetchCommand::kAll ? row_count_ + 2 : command.count;
    switch (command.way) {
      case Way::kForward:
        walk(many, true);
        break;
      case Way::kBackward:
        if (command.is_move && command.count == FetchCommand::kAll && at_ == 0) {
          break;  // Nothing to rewind, whatever the cursor may.
        }
        walk(-many, true);
        break;
      case Way::kAbsolute:
        absolute(many);
        break;
      case Way::kRelative:
        relative(many);
        break;
    }
    return given_;
  }

 private:
  void walk(int64_t steps, bool gives) {
    if (steps == 0 && gives) {
      stay();
    }
    for (; steps > 0; --steps) {
      at_ = std::min(at_ + 1, row_count_ + 1);
      give(gives);
    }
    if (steps < 0 && !may_go_back_) {
      given_.is_forbidden = true;
      return;
    }
    for (; steps < 0; ++steps) {
      at_ = std::max<int64_t>(at_ - 1, 0);
      give(gives);
    }
  }
  void give(bool gives) {
    if (gives && at_ >= 1 && at_ <= row_count_) {
      ++given_.count;
      if (!is_move_) {
        given_.rows.push_back(at_);
      }
    }
  }
  void stay() {
    const bool is_on_row = at_ >= 1 && at_ <= row_count_;
    given_.is_forbidden = is_on_row && !is_move_ && !may_go_back_;
    give(!given_.is_forbidden);
  }
  void absolute(int64_t row) {
    if (row < 0) {
      walk(row_count_ + 1, false);
      walk(row + 1, false);
      walk(-1, true);
    } else if (row > at_) {
      walk(row - at_ - 1, false);
      walk(1, true);
    } else if (at_ > 0) {
      given_.is_forbidden = !may_go_back_;
      at_ = row;
      give(true);
    }
  }
  void relative(int64_t steps) {
    if (steps == 0) {
      return stay();
    }
    walk(steps > 0 ? steps - 1 : steps + 1, false);
    walk(steps > 0 ? 1 : -1, true);
  }

  int64_t row_count_;
  bool may_go_back_;
  bool is_move_ = false;
  int64_t at_ = 0;
  Given given_;
};

/// Runs a command, and lets rows come whenever it waits for them.
class Fed {
 public:
  Fed(int64_t row_count, bool may_go_back, std::minstd_rand& random)
      : row_count_(row_count), may_go_back_(may_go_back), random_(random), rows_(may_go_back ? 1u << 20 : 0) {}

  Given run(const FetchCommand& command) {
    Given given;
    auto fetch = FetchRun::begin(command, may_go_back_, rows_);
    if (!fetch) {
      EXPECT_EQ(fetch.error().sqlstate, "55000");
      given.is_forbidden = true;
      return given;
    }
    const CursorRows::Put put = [&](const std::string& rows, uint32_t count) {
      const auto values = unpacked(rows);
      EXPECT_EQ(values.size(), count);
      given.rows.insert(given.rows.end(), values.begin(), values.end());
    };
    for (auto done = fetch->step(rows_, put); !done || !*done; done = fetch->step(rows_, put)) {
      EXPECT_TRUE(done.has_value());
      come();
    }
    given.count = fetch->row_count();
    return given;
  }

 private:
  void come() {
    const int64_t count = std::min<int64_t>(static_cast<int64_t>(random_() % 5), row_count_ - come_);
    rows_.append(packed(come_ + 1, come_ + count), static_cast<uint32_t>(count));
    come_ += count;
    if (come_ == row_count_ && random_() % 2 == 0) {
      rows_.end();
    }
  }

  int64_t row_count_;
  bool may_go_back_;
  std::minstd_rand& random_;
  CursorRows rows_;
  int64_t come_ = 0;
};

TEST(FetchRunTest, AgreesWithAPortalThatWalks) {
  constexpr uint32_t kSeed = 20'261'125;
  std::minstd_rand random(kSeed);
  const auto draw = [&](int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random() % static_cast<uint64_t>(high - low + 1));
  };
  for (int cursor = 0; cursor < 3'000; ++cursor) {
    const int64_t row_count = draw(0, 9);
    const bool may_go_back = draw(0, 2) > 0;
    Twin twin(row_count, may_go_back);
    Fed fed(row_count, may_go_back, random);
    for (int step = 0; step < 12; ++step) {
      FetchCommand command;
      command.way = static_cast<Way>(draw(0, 3));
      command.is_move = draw(0, 2) == 0;
      const bool is_all = command.way <= Way::kBackward && draw(0, 5) == 0;
      command.count = is_all ? FetchCommand::kAll : draw(-4, 12);
      const Given wanted = twin.run(command);
      const Given given = fed.run(command);
      ASSERT_EQ(given.is_forbidden, wanted.is_forbidden)
          << "cursor " << cursor << ", step " << step << ", count " << command.count;
      if (wanted.is_forbidden) {
        break;  // Its block has failed.
      }
      ASSERT_EQ(given, wanted) << "cursor " << cursor << ", step " << step << ", count " << command.count;
    }
  }
}

TEST(CursorRowsTest, KeepsWhatLiesAheadAndABoundedPartOfWhatItHasPassed) {
  CursorRows rows(200'000);
  uint64_t most = 0;
  for (int64_t first = 1; first <= 400'000; first += 4'000) {
    rows.append(packed(first, first + 3'999), 4'000);
    rows.move_to(rows.count());
    most = std::max(most, rows.bytes());
  }
  EXPECT_LT(most, 500'000u);
  EXPECT_GT(rows.first_kept(), 1u);
  std::vector<int64_t> given;
  const auto put = [&](const std::string& taken, uint32_t /*count*/) {
    const auto values = unpacked(taken);
    given.insert(given.end(), values.begin(), values.end());
  };
  const uint64_t low = rows.first_kept();
  ASSERT_TRUE(rows.put_down(rows.count(), low, put).has_value());
  EXPECT_EQ(given.size(), rows.count() - low + 1);
  EXPECT_TRUE(std::is_sorted(given.rbegin(), given.rend()));
  given.clear();
  ASSERT_TRUE(rows.put_up(low, rows.count(), put).has_value());
  EXPECT_TRUE(std::is_sorted(given.begin(), given.end()));
  EXPECT_EQ(given.front(), static_cast<int64_t>(low));
}

TEST(CursorRowsTest, KeepsNoRowsBehindAForwardOnlyCursor) {
  CursorRows rows(0);
  for (int64_t first = 1; first <= 400'000; first += 4'000) {
    rows.append(packed(first, first + 3'999), 4'000);
    rows.move_to(rows.count());
    EXPECT_LT(rows.bytes(), 200'000u);
  }
  rows.end();
  rows.move_to(rows.count() + 1);
  EXPECT_EQ(rows.bytes(), 0u);
}

TEST(CursorRowsTest, RowsThatAreNoneAreAnError) {
  CursorRows rows(1u << 20);
  rows.append(std::string("\3\0\0\0x", 5), 2);
  EXPECT_EQ(rows.put_up(1, 1, [](const std::string&, uint32_t) {}).error().sqlstate, "08P01");
}

}  // namespace
}  // namespace daedalus::postgres
