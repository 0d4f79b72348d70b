// A gathering over candidates that the test plays.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "daedalus/contract/translate.hpp"
#include "daedalus/merging/gather.hpp"
#include "daedalus/semantics/packed.hpp"
#include "daedalus/semantics/scalar_function.hpp"
#include "random_values.hpp"

namespace daedalus::merging {

using semantics::AnswerForm;
using semantics::MergedRows;
using semantics::Value;

inline const std::vector<semantics::Type> kTypes = {{semantics::TypeKind::kInt}};
constexpr rpc::Requester kAsker{rpc::PeerId{1}, 7};
constexpr QueryId kQuery{1};
constexpr Instant kNow{};

inline MergedRows numbers(const std::vector<int64_t>& values) {
  MergedRows made;
  for (const int64_t value : values) {
    semantics::append_packed_row(kTypes, std::vector<Value>{value}, made.rows);
    ++made.row_count;
  }
  return made;
}

/// Plays the candidates; remembers what they are asked.
class FakeCandidates final : public Candidates {
 public:
  using Asked = std::pair<uint32_t, uint32_t>;  ///< Part and candidate.

  std::optional<wire::v1::Error> ask(QueryId /*id*/, uint32_t part, CandidateId candidate, const wire::v1::Slice* piece,
                                     Instant /*now*/, rpc::Outbox& /*out*/) override {
    if (away.contains(raw(candidate))) {
      return contract::from_error(Error{ErrorCategory::kRetry, "08006", name(candidate) + " is away", {}, 0});
    }
    asked.emplace_back(part, raw(candidate));
    if (piece != nullptr) {
      pieces.push_back(*piece);
    }
    return std::nullopt;
  }
  void give_up(QueryId /*id*/, uint32_t part, CandidateId candidate, rpc::Outbox& /*out*/) override {
    given_up.emplace_back(part, raw(candidate));
  }
  void on_over(QueryId /*id*/) override { ++over_count; }
  [[nodiscard]] uint64_t mark() const override { return 77; }
  [[nodiscard]] std::string name(CandidateId candidate) const override {
    return "candidate " + std::to_string(raw(candidate));
  }
  void add_missing(const Part& part, CandidateId /*candidate*/, const std::string& reason,
                   wire::v1::Error& error) const override {
    for (const PartitionId partition : part.partitions) {
      auto& missing = *error.add_missing();
      missing.set_partition(raw(partition));
      missing.set_reason(reason);
    }
  }

  std::set<uint32_t> away;
  std::vector<Asked> asked;
  std::vector<wire::v1::Slice> pieces;
  std::vector<Asked> given_up;
  uint32_t over_count = 0;
};

class GatherTest : public testing::Test {
 protected:
  GatherTest() {
    schema_->columns = {{"v", {semantics::TypeKind::kInt}, true, {}}};
    selection_ = *semantics::bind_items(*schema_, {{.name = "v", .column = 0}});
  }

  /// One part for each list of candidates, of the partition of the same number.
  void start(const std::vector<std::vector<uint32_t>>& candidates, std::shared_ptr<const MergedRows> known = nullptr) {
    GatheredQuery query{kAsker,      std::make_shared<const semantics::Selection>(selection_),
                        form_,       std::make_shared<const std::vector<semantics::Column>>(schema_->columns),
                        {},          {},
                        std::nullopt};
    query.rows = std::move(known);
    query.counted = counted_;
    query.may_begin_anew = may_begin_anew_;
    query.moment = 5;
    query.goes_on = goes_on_;
    for (uint32_t i = 0; i < candidates.size(); ++i) {
      Part part{{PartitionId{i}}, 0, {}};
      for (const uint32_t candidate : candidates[i]) {
        part.candidates.push_back(CandidateId{candidate});
      }
      query.parts.push_back(std::move(part));
    }
    gather_.start(kQuery, std::move(query), kNow, out_);
  }
  /// Wants twelve through the number of rows.
  void start_counting(const std::vector<std::vector<uint32_t>>& candidates) {
    constexpr semantics::TypeKind kNumber = semantics::TypeKind::kBigint;
    semantics::Schema schema;
    schema.columns = {{"number", {kNumber}, false, {}}};
    const std::array<semantics::ArgumentKind, 2> sides{{{kNumber}, {kNumber}}};
    std::vector<semantics::BoundExpression> parts{semantics::make_constant({kNumber}, Value(int64_t{12})),
                                                  semantics::column_of(schema, 0)};
    semantics::SelectList list;
    list.outputs.push_back(
        {"x", *semantics::make_named_call(**semantics::resolve_function("/", true, sides), std::move(parts), nullptr)});
    counted_ = std::make_shared<const semantics::Selection>(*semantics::bind_select(schema, std::move(list)));
    form_ = AnswerForm::kFinal;
    start(candidates);
  }
  void rows(uint32_t part, const std::vector<int64_t>& values) {
    gather_.on_rows(kQuery, part, numbers(values), {}, 0, out_);
  }
  /// `rest`: pieces that the part leaves out, each by partition, segment and first slot.
  void end(uint32_t part, std::optional<uint64_t> row_count = {}, uint64_t moment = 0,
           const std::vector<std::array<uint32_t, 3>>& rest = {}) {
    PartEnd made{row_count, {}, {}, moment};
    made.stamps.push_back(
        {.partition = gather_.contains(kQuery) ? raw(gather_.part(kQuery, part).partitions.front()) : part});
    for (const auto& [partition, segment, first_slot] : rest) {
      wire::v1::Slice& piece = made.rest.emplace_back();
      piece.set_partition(partition);
      piece.set_segment(segment);
      piece.set_first_slot(first_slot);
    }
    gather_.on_end(kQuery, part, std::move(made), out_);
  }
  void fail(uint32_t part, ErrorCategory category = ErrorCategory::kRetry) {
    gather_.on_failed(kQuery, part, contract::from_error(Error{category, "08006", "it has gone", {}, 0}), kNow, out_);
  }
  [[nodiscard]] bool begin_anew(uint32_t refused) { return gather_.begin_anew(kQuery, refused, kNow, out_); }
  void run() {
    const rpc::EmptyGauge gauge;
    while (gather_.has_work(gauge)) {
      semantics::WorkBudget budget(1'000);
      gather_.step(budget, gauge, out_);
      gather_.ask_for_more(gauge, kNow, out_);
    }
  }

  /// All rows that were sent, in their order.
  [[nodiscard]] std::string sent_rows() const {
    std::string all;
    for (const auto& [peer, result] : out_.results) {
      all += result.rows().rows();
    }
    return all;
  }
  [[nodiscard]] std::vector<wire::v1::Result> last_words() const {
    std::vector<wire::v1::Result> words;
    for (const auto& [peer, result] : out_.results) {
      if (result.has_end() || result.has_error()) {
        words.push_back(result);
      }
    }
    return words;
  }

  std::shared_ptr<semantics::Schema> schema_ = std::make_shared<semantics::Schema>();
  semantics::Selection selection_;
  AnswerForm form_ = AnswerForm::kPartial;
  bool may_begin_anew_ = false;
  bool goes_on_ = false;
  std::shared_ptr<const semantics::Selection> counted_;
  FakeCandidates candidates_;
  rpc::Outbox out_;
  Gather gather_{GatherLimits{}, std::make_shared<ByteBudget>(8u << 20), candidates_};
};

}  // namespace daedalus::merging
