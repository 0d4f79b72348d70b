#include "submission_judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "daedalus/base/check.hpp"
#include "daedalus/semantics/packed.hpp"

namespace daedalus::testing {

namespace {

/// Columns of the rows of an INSERT, packed.
std::string returned_rows(const semantics::Schema& schema, const std::vector<PlainPart>& parts,
                          const std::vector<uint32_t>& columns) {
  std::vector<semantics::Type> types;
  for (const uint32_t column : columns) {
    types.push_back(schema.columns[column].type);
  }
  std::string rows;
  for (const Row& row : std::get<PlainInsert>(parts.front()).rows) {
    Row returned;
    for (const uint32_t column : columns) {
      returned.push_back(row[column]);
    }
    semantics::append_packed_row(types, returned, rows);
  }
  return rows;
}

}  // namespace

uint64_t SubmissionJudge::add(std::vector<PlainPart> parts, std::string body) {
  const uint64_t number = entries_.size() + 1;
  entries_[number].parts = std::move(parts);
  entries_[number].body = std::move(body);
  return number;
}

uint64_t SubmissionJudge::add_by_clock(std::vector<PlainPart> parts, std::string body, std::vector<PlainPart> otherwise,
                                       std::string otherwise_body) {
  const uint64_t number = add(std::move(parts), std::move(body));
  entries_[number].otherwise = {std::move(otherwise), std::move(otherwise_body)};
  return number;
}

void SubmissionJudge::expect_returned(uint64_t submission, std::vector<uint32_t> columns) {
  entries_.at(submission).returning = std::move(columns);
}

bool SubmissionJudge::on_compiled(uint64_t submission, const std::string& body) {
  Entry& entry = entries_.at(submission);
  if (!entry.otherwise || body == entry.body) {
    return entry.is_otherwise;
  }
  if (body != entry.otherwise->second) {
    fault(
        fmt::format("submission {} was compiled to what it is neither before nor after the time it names", submission));
    return entry.is_otherwise;
  }
  std::swap(entry.parts, entry.otherwise->first);
  std::swap(entry.body, entry.otherwise->second);
  entry.is_otherwise = !entry.is_otherwise;
  return entry.is_otherwise;
}

void SubmissionJudge::on_numbered(uint32_t writer, uint64_t submission, Timestamp timestamp) {
  Entry& entry = entries_.at(submission);
  if (entry.is_numbered) {
    fault(fmt::format("submission {} was numbered before, and again as update {}", submission, raw(timestamp)));
  }
  if (entry.is_denied) {
    fault(fmt::format("submission {} became update {} after nothing was said to have come of it", submission,
                      raw(timestamp)));
  }
  entry.is_numbered = true;
  if (writer != writer_) {
    return;  // It is not the writer, whatever it believes: no node takes this.
  }
  table_.apply(entry.parts);
  CHECK(table_.last() == timestamp);
  entry.timestamp = timestamp;
  by_timestamp_[timestamp] = submission;
  unconfirmed_.insert(timestamp);
}

void SubmissionJudge::on_numbered_over(uint64_t submission, Timestamp timestamp) {
  Entry& entry = entries_.at(submission);
  const auto holder = by_timestamp_.find(timestamp);
  if (holder != by_timestamp_.end() && entries_.at(holder->second).body == entry.body) {
    entry.timestamp = timestamp;
    entry.is_numbered = true;
    return;
  }
  entry.is_numbered_over |= entry.timestamp != timestamp;
}

void SubmissionJudge::forget_after(Timestamp last) {
  for (auto& [number, entry] : entries_) {
    entry.timestamp = entry.timestamp > last ? Timestamp{} : entry.timestamp;
  }
}

void SubmissionJudge::on_take_over(uint32_t writer, Timestamp last) {
  writer_ = writer;
  if (table_.last() < last) {
    fault(fmt::format("a writer starts after update {}, but there is none after {}", raw(last), raw(table_.last())));
    return;
  }
  for (auto late = by_timestamp_.upper_bound(last); late != by_timestamp_.end(); late = by_timestamp_.erase(late)) {
    Entry& entry = entries_.at(late->second);
    if (entry.is_confirmed) {
      fault(fmt::format("update {} was confirmed, and then lost: another writer starts after {}", raw(late->first),
                        raw(last)));
    }
    entry.timestamp = Timestamp{};
  }
  forget_after(last);
  table_.truncate(last);
  // Updates that every node has accepted are as good as confirmed; nobody is left to say so.
  unconfirmed_.clear();
}

void SubmissionJudge::on_writer_killed(Timestamp last) {
  for (auto late = by_timestamp_.upper_bound(last); late != by_timestamp_.end(); late = by_timestamp_.erase(late)) {
    Entry& entry = entries_.at(late->second);
    if (entry.is_confirmed) {
      fault(fmt::format("update {} was confirmed, and then lost with the writer: its journal ends with {}",
                        raw(late->first), raw(last)));
    }
    entry.timestamp = Timestamp{};
    entry.is_numbered = false;
    unconfirmed_.erase(late->first);
  }
  forget_after(last);
  table_.truncate(last);
}

void SubmissionJudge::on_confirmed(uint64_t submission, const wire::v1::WriteConfirmed& confirmed) {
  Entry& entry = entries_.at(submission);
  if (entry.timestamp == Timestamp{} || raw(entry.timestamp) != confirmed.timestamp()) {
    fault(fmt::format("submission {} is confirmed as update {}, which it is not", submission, confirmed.timestamp()));
    return;
  }
  for (std::string& found : judge_.confirmation(entry.timestamp, confirmed)) {
    fault(std::move(found));
  }
  confirmed_count_ += entry.is_confirmed ? 0 : 1;  // The outcome of a repeated submission is told again.
  entry.is_confirmed = true;
  highest_confirmed_ = std::max(highest_confirmed_, entry.timestamp);
  unconfirmed_.erase(entry.timestamp);
}

void SubmissionJudge::on_denied(uint64_t submission, const std::string& why) {
  Entry& entry = entries_.at(submission);
  entry.is_denied = true;
  if (entry.is_numbered) {
    fault(fmt::format("submission {} has a number, and its submitter was told that nothing came of it: {}", submission,
                      why));
  }
}

void SubmissionJudge::on_told_confirmed(uint64_t submission, const wire::v1::WriteConfirmed& confirmed) {
  if (entries_.at(submission).is_numbered_over) {
    return;  // The writer was told first, and that has been judged.
  }
  if (!entries_.at(submission).is_confirmed) {
    fault(fmt::format("submission {} is confirmed to its submitter, but not to the writer", submission));
    return;
  }
  on_confirmed(submission, confirmed);
  judge_returned(submission, confirmed);
}

void SubmissionJudge::on_told_counts(uint64_t submission, uint64_t applied, uint64_t refused) {
  const Entry& entry = entries_.at(submission);
  if (entry.is_numbered_over) {
    return;  // As above.
  }
  if (!entry.is_confirmed || entry.timestamp == Timestamp{}) {
    fault(fmt::format("submission {} is confirmed to its submitter, but not to the writer", submission));
    return;
  }
  PlainCounts sum;
  for (const auto& [partition, counts] : table_.outcome(entry.timestamp)) {
    sum.rows_applied += counts.rows_applied;
    sum.rows_failed += counts.rows_overflowed + counts.rows_failed + counts.rows_without_room;
  }
  if (applied != sum.rows_applied || refused != sum.rows_failed) {
    fault(fmt::format("submission {} is said to have been applied to {} rows and refused on {} instead of {} and {}",
                      submission, applied, refused, sum.rows_applied, sum.rows_failed));
  }
}

void SubmissionJudge::on_told_part(uint64_t submission, size_t part, uint64_t applied) {
  const Entry& entry = entries_.at(submission);
  if (entry.is_numbered_over || entry.timestamp == Timestamp{}) {
    return;  // Judged already.
  }
  const uint64_t expected = table_.part_rows(entry.timestamp).at(part);
  if (applied != expected) {
    fault(fmt::format("part {} of submission {} is said to have been applied to {} rows instead of {}", part,
                      submission, applied, expected));
  }
}

/// Rows that are given back are those that took effect, whichever of its sendings that was. They may be unknown where
/// one was refused, where what is known of the update has been forgotten, or where its sendings may differ.
void SubmissionJudge::judge_returned(uint64_t submission, const wire::v1::WriteConfirmed& confirmed) {
  const Entry& entry = entries_.at(submission);
  const bool has_returned = confirmed.has_returned();
  if (has_returned == entry.returning.empty()) {
    fault(fmt::format("submission {} {} rows back", submission, has_returned ? "got" : "asked for, and did not get,"));
    return;
  }
  if (!has_returned) {
    return;
  }
  const bool has_refused = std::any_of(confirmed.outcomes().begin(), confirmed.outcomes().end(),
                                       [](const auto& outcome) { return outcome.refused_size() > 0; });
  if (confirmed.returned().are_unknown()) {
    if (!has_refused && !entry.otherwise && !confirmed.outcome_forgotten() && confirmed.digest() != 0) {
      fault(fmt::format("rows of submission {} are unknown without a reason", submission));
    }
    return;
  }
  if (has_refused || confirmed.returned().rows() != returned_rows(table_.schema(), entry.parts, entry.returning)) {
    fault(fmt::format("submission {} got rows back that are not those that took effect", submission));
  }
}

Timestamp SubmissionJudge::confirmed() const {
  return unconfirmed_.empty() ? table_.last() : Timestamp{raw(*unconfirmed_.begin()) - 1};
}

void SubmissionJudge::fault(std::string text) { faults_.push_back(std::move(text)); }

}  // namespace daedalus::testing
