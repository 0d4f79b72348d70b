// The judge of submissions is judged: told what must not be, it says so.
#include "submission_judge.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "daedalus/semantics/packed.hpp"
#include "topology.hpp"
#include "workload.hpp"

namespace daedalus::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class SubmissionJudgeTest : public ::testing::Test {
 protected:
  uint64_t add() {
    const std::string body = std::to_string(next_id_);
    return judge_.add({PlainInsert{{{semantics::Value{next_id_++}, semantics::Value{int64_t{3}}, {}, {}}}}}, body);
  }
  /// Numbered by the first writer.
  uint64_t add_numbered() {
    const uint64_t number = add();
    judge_.on_numbered(0, number, next(table_.last()));
    return number;
  }
  /// As the one node of this cluster would.
  wire::v1::WriteConfirmed confirmation(uint64_t timestamp) {
    wire::v1::WriteConfirmed confirmed;
    confirmed.set_timestamp(timestamp);
    confirmed.add_outcomes()->set_rows_matched(1);
    confirmed.mutable_outcomes(0)->set_rows_applied(1);
    return confirmed;
  }

  semantics::Schema schema_ = simulated_schema(TableShape::kSmall);
  contract::PartitionMap map_ = map_of({.nodes = 1});
  PlainTable table_{schema_, map_, 1};
  SubmissionJudge judge_{table_};
  int64_t next_id_ = 1;
};

TEST_F(SubmissionJudgeTest, HasNothingToSayOfOneNumberAndOneOutcome) {
  const uint64_t first = add_numbered();
  const uint64_t second = add_numbered();
  judge_.on_confirmed(second, confirmation(2));
  EXPECT_EQ(raw(judge_.confirmed()), 0U);
  judge_.on_confirmed(first, confirmation(1));
  judge_.on_confirmed(first, confirmation(1));  // Told again.
  judge_.on_told_confirmed(first, confirmation(1));
  judge_.on_denied(add(), "no room");
  EXPECT_EQ(raw(judge_.confirmed()), 2U);
  EXPECT_EQ(judge_.confirmed_count(), 2U);
  EXPECT_THAT(judge_.faults(), IsEmpty());
}

TEST_F(SubmissionJudgeTest, FindsCountsThatAreNotThoseOfTheUpdate) {
  const uint64_t number = add_numbered();
  judge_.on_told_counts(number, 1, 0);
  EXPECT_THAT(judge_.faults(), ElementsAre(HasSubstr("is confirmed to its submitter, but not to the writer")));
  judge_.on_confirmed(number, confirmation(1));
  judge_.on_told_counts(number, 1, 0);
  EXPECT_EQ(judge_.faults().size(), 1U);
  judge_.on_told_counts(number, 0, 1);
  EXPECT_THAT(judge_.faults().back(), HasSubstr("applied to 0 rows and refused on 1 instead of 1 and 0"));
}

TEST_F(SubmissionJudgeTest, FindsASecondNumber) {
  const uint64_t twice = add_numbered();
  judge_.on_numbered(0, twice, Timestamp{2});
  EXPECT_THAT(judge_.faults(), ElementsAre(HasSubstr("was numbered before, and again as update 2")));
}

TEST_F(SubmissionJudgeTest, FindsASecondNumberByAnotherWriter) {
  const uint64_t lost = add_numbered();
  judge_.on_take_over(1, Timestamp{0});
  judge_.on_numbered(1, lost, Timestamp{1});
  EXPECT_THAT(judge_.faults(), ElementsAre(HasSubstr("was numbered before")));
}

TEST_F(SubmissionJudgeTest, FindsWhatIsDeniedAlthoughItHasANumber) {
  judge_.on_denied(add_numbered(), "no room");
  EXPECT_THAT(judge_.faults(), ElementsAre(HasSubstr("was told that nothing came of it: no room")));
}

TEST_F(SubmissionJudgeTest, FindsWhatIsNumberedAfterItWasDenied) {
  const uint64_t number = add();
  judge_.on_denied(number, "no room");
  judge_.on_numbered(0, number, Timestamp{1});
  EXPECT_THAT(judge_.faults(), ElementsAre(HasSubstr("became update 1 after nothing was said to have come of it")));
}

TEST_F(SubmissionJudgeTest, FindsAConfirmedUpdateThatIsLost) {
  const uint64_t number = add_numbered();
  judge_.on_confirmed(number, confirmation(1));
  judge_.on_take_over(1, Timestamp{0});
  EXPECT_THAT(judge_.faults(), ElementsAre(HasSubstr("update 1 was confirmed, and then lost")));
}

TEST_F(SubmissionJudgeTest, FindsAConfirmationOfWhatARefusedWriterNumbered) {
  judge_.on_take_over(1, Timestamp{0});
  const uint64_t number = add();
  judge_.on_numbered(0, number, Timestamp{1});
  judge_.on_confirmed(number, confirmation(1));
  EXPECT_THAT(judge_.faults(), ElementsAre(HasSubstr("is confirmed as update 1, which it is not")));
}

/// A writer with an old journal gives a number again that nodes have: they tell updates by number and bytes.
TEST_F(SubmissionJudgeTest, LetsAnUpdateOfTheSameBytesStandForTheOneThatHasItsNumber) {
  static_cast<void>(add_numbered());
  --next_id_;
  const uint64_t same = add();
  judge_.on_numbered_over(same, Timestamp{1});
  judge_.on_confirmed(same, confirmation(1));
  EXPECT_EQ(judge_.unconfirmed(), 0U);
  EXPECT_THAT(judge_.faults(), IsEmpty());
  const uint64_t other = add();
  judge_.on_numbered_over(other, Timestamp{1});
  judge_.on_confirmed(other, confirmation(1));
  EXPECT_THAT(judge_.faults(), ElementsAre(HasSubstr("is confirmed as update 1, which it is not")));
}

TEST_F(SubmissionJudgeTest, FindsAConfirmationThatOnlyTheSubmitterHasSeen) {
  judge_.on_told_confirmed(add_numbered(), confirmation(1));
  EXPECT_THAT(judge_.faults(), ElementsAre(HasSubstr("confirmed to its submitter, but not to the writer")));
}

TEST_F(SubmissionJudgeTest, FindsRowsThatAreGivenBackAndAreNotThoseThatTookEffect) {
  const auto told = [this](const std::function<void(wire::v1::ReturnedRows&)>& returning) {
    const uint64_t number = add_numbered();
    judge_.expect_returned(number, {kId});
    auto confirmed = confirmation(raw(table_.last()));
    confirmed.set_digest(1);
    judge_.on_confirmed(number, confirmed);
    returning(*confirmed.mutable_returned());
    judge_.on_told_confirmed(number, confirmed);
  };
  const auto id = [this](int64_t number) {
    std::string row;
    semantics::append_packed_row(std::vector{schema_.columns[kId].type}, Row{semantics::Value{number}}, row);
    return row;
  };
  told([&](auto& returned) { returned.set_rows(id(1)); });
  EXPECT_THAT(judge_.faults(), IsEmpty());
  told([&](auto& returned) { returned.set_rows(id(1)); });
  EXPECT_THAT(judge_.faults(), ElementsAre(HasSubstr("submission 2 got rows back that are not those")));
  told([](auto& returned) { returned.set_are_unknown(true); });
  EXPECT_THAT(judge_.faults().back(), HasSubstr("rows of submission 3 are unknown without a reason"));
}

TEST_F(SubmissionJudgeTest, FindsAPartThatIsToldTheCountOfAnother) {
  const auto row = [](int64_t id) { return Row{semantics::Value{id}, semantics::Value{int64_t{3}}, {}, {}}; };
  const uint64_t number = judge_.add({PlainInsert{{row(1)}}, PlainInsert{{row(2), row(3)}}}, "both");
  judge_.on_numbered(0, number, Timestamp{1});
  wire::v1::WriteConfirmed confirmed = confirmation(1);
  confirmed.mutable_outcomes(0)->set_rows_matched(3);
  confirmed.mutable_outcomes(0)->set_rows_applied(3);
  confirmed.add_part_rows(1);
  confirmed.add_part_rows(2);
  judge_.on_confirmed(number, confirmed);
  judge_.on_told_counts(number, 3, 0);
  judge_.on_told_part(number, 0, 1);
  judge_.on_told_part(number, 1, 2);
  EXPECT_THAT(judge_.faults(), IsEmpty());
  judge_.on_told_part(number, 1, 1);
  EXPECT_THAT(judge_.faults().back(), HasSubstr("part 1 of submission 1 is said to have been applied to 1 rows"));
  confirmed.mutable_part_rows()->SwapElements(0, 1);
  judge_.on_confirmed(number, confirmed);
  EXPECT_THAT(judge_.faults().back(), HasSubstr("parts of update 1 are said to have been applied to 2/1 rows instead"));
}

TEST_F(SubmissionJudgeTest, TakesAnUpdateThatHangsOnTheClockForWhatItWasCompiledTo) {
  const auto rows_with = [this](int64_t id) {
    using semantics::Expression;
    const Filter filter = Expression::make_call(
        semantics::Operator::kEqual,
        {Expression::make_column(kId), Expression::make_constant({.kind = semantics::TypeKind::kBigint}, id)});
    return table_.select(filter, table_.everything_at(table_.last())).size();
  };
  const auto parts_of = [](int64_t id) {
    return std::vector<PlainPart>{PlainInsert{{{semantics::Value{id}, semantics::Value{int64_t{3}}, {}, {}}}}};
  };
  const uint64_t number = judge_.add_by_clock(parts_of(1), "before", parts_of(2), "after");
  EXPECT_TRUE(judge_.on_compiled(number, "after"));
  judge_.on_numbered(0, number, Timestamp{1});
  EXPECT_EQ(rows_with(1), 0U);
  EXPECT_EQ(rows_with(2), 1U);
  judge_.on_writer_killed(Timestamp{0});  // Its journal does not have it: it is compiled again.
  EXPECT_FALSE(judge_.on_compiled(number, "before"));
  judge_.on_numbered(0, number, Timestamp{1});
  EXPECT_EQ(rows_with(1), 1U);
  EXPECT_EQ(rows_with(2), 0U);
  EXPECT_THAT(judge_.faults(), IsEmpty());
  EXPECT_FALSE(judge_.on_compiled(number, "neither"));
  EXPECT_THAT(judge_.faults(), ElementsAre(HasSubstr("neither before nor after")));
}

}  // namespace
}  // namespace daedalus::testing
