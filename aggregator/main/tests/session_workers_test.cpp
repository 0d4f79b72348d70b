// Work of sessions handed to threads and back. Also run under ThreadSanitizer.
#include "session_workers.hpp"

#include <gtest/gtest.h>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "one_column.hpp"

namespace daedalus::aggregator {
namespace {

using postgres::Work;
using postgres::WorkDone;
using semantics::TypeKind;

/// What came back, by the number of the work; filled by both threads.
class Answers {
 public:
  OnSessionWork taker() {
    return [this](rpc::PeerId session, uint64_t work, WorkDone done) {
      const std::lock_guard lock(mutex_);
      came_.emplace_back(std::pair(session, work), std::move(done));
      wake_.notify_all();
    };
  }
  void wait_for(size_t count) {
    std::unique_lock lock(mutex_);
    wake_.wait(lock, [&] { return came_.size() >= count; });
  }
  std::vector<std::pair<std::pair<rpc::PeerId, uint64_t>, WorkDone>> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(came_, {});
  }

 private:
  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<std::pair<std::pair<rpc::PeerId, uint64_t>, WorkDone>> came_;
};

TEST(SessionWorkersTest, EachKindOfWorkComesBackDone) {
  Answers answers;
  SessionWorkers workers(compiler_of_one_column(), "numbers", answers.taker());
  wire::v1::StatementBody insert;
  insert.set_sql("INSERT INTO numbers VALUES (1), (2)");
  workers.submit(rpc::PeerId{1}, {7, Work::Split{std::make_shared<const std::string>("a; b")}});
  workers.submit(rpc::PeerId{2}, {8, Work::Describe{"SELECT id FROM numbers WHERE id = $1", {TypeKind::kBigint}}});
  workers.submit(rpc::PeerId{3}, {9, Work::Compile{insert}});
  workers.submit(rpc::PeerId{4}, {10, Work::Locate{"SELECT relname FROM pg_class"}});
  answers.wait_for(4);
  for (const auto& [who, done] : answers.take()) {
    EXPECT_EQ(raw(who.first) + 6, who.second);
    if (who.second == 7) {
      EXPECT_EQ(std::get<postgres::TextPieces>(done), (postgres::TextPieces{{0, 1}, {2, 2}}));
    } else if (who.second == 8) {
      const auto& description = std::get<Result<StatementDescription>>(done);
      ASSERT_TRUE(description);
      EXPECT_EQ(description->parameters, std::vector<TypeKind>{TypeKind::kBigint});
    } else if (who.second == 10) {
      EXPECT_TRUE(std::get<StatementHome>(done).is_catalogue);
    } else {
      const auto& compiled = std::get<Result<Compiled>>(done);
      ASSERT_TRUE(compiled);
      EXPECT_EQ(std::get<CompiledUpdate>(*compiled).body.parts(0).insert().row_count(), 2u);
    }
  }
}

TEST(SessionWorkersTest, AllOfManyComeBackOnceAndWhatWaitsAtTheEndIsDropped) {
  constexpr uint64_t kCount = 2'000;
  Answers answers;
  {
    SessionWorkers workers(compiler_of_one_column(), "numbers", answers.taker());
    for (uint64_t number = 0; number < kCount; ++number) {
      const std::string large = number % 100 == 0 ? std::string(20'000, ' ') : std::string();
      workers.submit(rpc::PeerId{number}, {number, Work::Describe{"SELECT id FROM numbers" + large, {}}});
    }
    answers.wait_for(kCount);
    EXPECT_EQ(answers.take().size(), kCount);
    for (uint64_t number = 0; number < kCount; ++number) {
      workers.submit(rpc::PeerId{number}, {number, Work::Describe{"SELECT id FROM numbers", {}}});
    }
  }
  EXPECT_LE(answers.take().size(), kCount);
}

}  // namespace
}  // namespace daedalus::aggregator
