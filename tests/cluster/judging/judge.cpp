#include "judge.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "plain_answer.hpp"

namespace daedalus::testing {

namespace {

using Faults = std::vector<std::string>;

/// The prefixes that the answer states, each checked against the map and the history.
std::map<SegmentKey, Timestamp> stated_prefixes(const PlainTable& table, const wire::v1::QueryEnd& end,
                                                Faults& faults) {
  std::map<SegmentKey, Timestamp> prefixes;
  for (const auto& stamp : end.stamps()) {
    const std::string place = fmt::format("partition {} segment {}", stamp.partition(), stamp.segment());
    if (stamp.partition() >= table.placement().partitions() || stamp.segment() >= table.placement().segments()) {
      faults.push_back("an answer is stamped by " + place + ", which there is not");
    } else if (stamp.node() != table.placement().node_of(stamp.partition())) {
      faults.push_back(fmt::format("{} is stamped by node {}, which does not hold it", place, stamp.node()));
    } else if (stamp.applied() > raw(table.last())) {
      faults.push_back(fmt::format("{} is stamped with prefix {}, beyond every update", place, stamp.applied()));
    } else if (!prefixes.emplace(SegmentKey{stamp.partition(), stamp.segment()}, Timestamp{stamp.applied()}).second) {
      faults.push_back(place + " is stamped twice");
    }
  }
  return prefixes;
}

void judge_completeness(const PlainTable& table, const GivenAnswer& answer,
                        const std::map<SegmentKey, Timestamp>& prefixes, Faults& faults) {
  for (const SegmentKey& place : table.concerned(answer.question.filter)) {
    if (!prefixes.contains(place)) {
      faults.push_back(fmt::format("an answer is without partition {} segment {}, which the question concerns",
                                   place.first, place.second));
    }
  }
}

/// The updates 1 to the moment are those that the question demands, all that it was promised, and none of which nobody
/// can know that it is confirmed.
void judge_moment(const PlainTable& table, const GivenAnswer& answer, const std::map<SegmentKey, Timestamp>& prefixes,
                  Faults& faults) {
  const Timestamp moment{answer.end.moment()};
  if (moment > table.last()) {
    faults.push_back(fmt::format("an answer is of moment {}, beyond every update", raw(moment)));
    return;
  }
  for (const auto& [place, prefix] : prefixes) {
    if (prefix != moment) {
      faults.push_back(fmt::format("an answer of moment {} has prefix {} of partition {} segment {}", raw(moment),
                                   raw(prefix), place.first, place.second));
    }
  }
  if (answer.at && moment != *answer.at) {
    faults.push_back(fmt::format("a query at moment {} was answered at {}", raw(*answer.at), raw(moment)));
  }
  if (!answer.at && moment < answer.prefix_demanded) {
    faults.push_back(
        fmt::format("a query that demands moment {} was answered at {}", raw(answer.prefix_demanded), raw(moment)));
  }
  if (!answer.at && moment > std::max(answer.confirmed_at_most, answer.prefix_demanded)) {
    faults.push_back(fmt::format("an answer is of moment {} although updates were confirmed up to {}", raw(moment),
                                 raw(answer.confirmed_at_most)));
  }
  if (moment >= answer.prefix_promised) {
    return;
  }
  for (const SegmentKey& place : table.concerned(answer.question.filter)) {
    // A node that had no part in the confirmed updates may not know of them yet.
    if (table.changed(place, moment, answer.prefix_promised)) {
      faults.push_back(
          fmt::format("a query sent after update {} was confirmed was answered at moment {}, and partition "
                      "{} segment {} is another since",
                      raw(answer.prefix_promised), raw(moment), place.first, place.second));
    }
  }
}

void judge_promise(const PlainTable& table, const GivenAnswer& answer, const std::map<SegmentKey, Timestamp>& prefixes,
                   Faults& faults) {
  for (const auto& [place, prefix] : prefixes) {
    if (prefix < answer.prefix_demanded) {
      faults.push_back(fmt::format("a query that demands prefix {} saw prefix {} of partition {} segment {}",
                                   raw(answer.prefix_demanded), raw(prefix), place.first, place.second));
    }
    // A segment that had no part in the confirmed updates may not know of them yet.
    if (prefix < answer.prefix_promised && table.changed(place, prefix, answer.prefix_promised)) {
      faults.push_back(
          fmt::format("a query sent after update {} was confirmed saw prefix {} of partition {} segment {}",
                      raw(answer.prefix_promised), raw(prefix), place.first, place.second));
    }
  }
}

/// Returns the number of rows there should be, where these are not they; nothing where they are.
std::optional<uint64_t> other_rows(const PlainTable& table, const GivenAnswer& answer,
                                   const std::map<SegmentKey, Timestamp>& prefixes) {
  const PlainAnswer expected =
      answer_to(table.schema(), answer.question, table.select(answer.question.filter, prefixes));
  const bool is_right = is_answer(expected, answer.rows) && answer.row_count == expected.row_count &&
                        answer.end.row_count() == expected.row_count;
  return is_right ? std::nullopt : std::optional(expected.row_count);
}

/// An answer that names its moment is judged by it as a whole, others by the prefix of each segment.
void judge_rows(const PlainTable& table, const GivenAnswer& answer, const std::map<SegmentKey, Timestamp>& prefixes,
                Faults& faults) {
  const Timestamp moment{answer.end.moment()};
  if (!answer.names_moment) {
    if (const auto expected = other_rows(table, answer, prefixes)) {
      faults.push_back(
          fmt::format("an answer has {} rows and is not the {} rows of its prefixes", answer.row_count, *expected));
    }
  } else if (moment <= table.last()) {
    if (const auto expected = other_rows(table, answer, table.everything_at(moment))) {
      faults.push_back(fmt::format("an answer has {} rows and is not the {} rows of moment {}", answer.row_count,
                                   *expected, raw(moment)));
    }
  }
}

void judge_columns(const PlainTable& table, const GivenAnswer& answer, Faults& faults) {
  Faults names;
  for (const auto& column : answer.columns) {
    names.push_back(column.name());
  }
  if (names != answer_columns(table.schema(), answer.question)) {
    faults.push_back(fmt::format("an answer names {} columns that are not those asked for", names.size()));
  }
}

std::string describe(const PlainCounts& counts) {
  return fmt::format("{}/{}/{}/{}/{}", counts.rows_matched, counts.rows_applied, counts.rows_overflowed,
                     counts.rows_failed, counts.rows_without_room);
}

void judge_parts(const std::vector<uint64_t>& expected, Timestamp timestamp, const wire::v1::WriteConfirmed& confirmed,
                 Faults& faults) {
  const auto& told = confirmed.part_rows();
  const bool is_known_without =
      expected.size() == 1 || std::all_of(expected.begin(), expected.end(), [](uint64_t rows) { return rows == 0; });
  if (!std::equal(told.begin(), told.end(), expected.begin(), expected.end()) && !(told.empty() && is_known_without)) {
    faults.push_back(fmt::format("parts of update {} are said to have been applied to {} rows instead of {}",
                                 raw(timestamp), fmt::join(told, "/"), fmt::join(expected, "/")));
  }
}

}  // namespace

std::vector<std::string> Judge::answer(const GivenAnswer& answer) const {
  Faults faults;
  const auto prefixes = stated_prefixes(table_, answer.end, faults);
  judge_completeness(table_, answer, prefixes, faults);
  if (answer.names_moment) {
    judge_moment(table_, answer, prefixes, faults);
  } else {
    judge_promise(table_, answer, prefixes, faults);
  }
  judge_rows(table_, answer, prefixes, faults);
  judge_columns(table_, answer, faults);
  return faults;
}

std::vector<std::string> Judge::confirmation(Timestamp timestamp, const wire::v1::WriteConfirmed& confirmed) const {
  Faults faults;
  if (confirmed.timestamp() != raw(timestamp)) {
    faults.push_back(fmt::format("update {} is confirmed as update {}", raw(timestamp), confirmed.timestamp()));
  }
  PlainOutcome expected = table_.outcome(timestamp);
  std::set<uint32_t> seen;
  for (const auto& outcome : confirmed.outcomes()) {
    PlainCounts counts{.rows_matched = outcome.rows_matched(), .rows_applied = outcome.rows_applied()};
    for (const auto& refused : outcome.refused()) {
      if (refused.reason() == wire::v1::ROW_REFUSAL_OVERFLOW) {
        counts.rows_overflowed += refused.row_count();
      } else if (refused.reason() == wire::v1::ROW_REFUSAL_FAILED && refused.sqlstate() == "22012") {
        counts.rows_failed += refused.row_count();
      } else {
        counts.rows_without_room += refused.row_count();
      }
    }
    if (outcome.partition() >= table_.placement().partitions() ||
        outcome.node() != table_.placement().node_of(outcome.partition())) {
      faults.push_back(fmt::format("update {} is confirmed by node {} for partition {}, which it does not hold",
                                   raw(timestamp), outcome.node(), outcome.partition()));
    } else if (!seen.insert(outcome.partition()).second) {
      faults.push_back(
          fmt::format("update {} is confirmed twice for partition {}", raw(timestamp), outcome.partition()));
    } else if (counts != expected[outcome.partition()]) {
      faults.push_back(fmt::format(
          "update {} matched/applied/overflowed/failed on/had no room for {} rows in partition {} instead of {}",
          raw(timestamp), describe(counts), outcome.partition(), describe(expected[outcome.partition()])));
    }
  }
  judge_parts(table_.part_rows(timestamp), timestamp, confirmed, faults);
  for (const auto& [partition, counts] : expected) {
    if (!seen.contains(partition)) {
      faults.push_back(fmt::format("update {} is confirmed without partition {}, which it concerns ({} rows)",
                                   raw(timestamp), partition, describe(counts)));
    }
  }
  return faults;
}

}  // namespace daedalus::testing
