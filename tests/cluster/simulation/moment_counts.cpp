#include "moment_counts.hpp"

#include <fmt/format.h>

namespace daedalus::testing {

namespace {

struct Counter {
  uint32_t MomentCounts::*count;
  const char* name;
};

constexpr Counter kCounters[] = {
    {&MomentCounts::at_moment, "an answer is, as a whole, the table at its moment"},
    {&MomentCounts::behind, "a query is asked as soon as an update is told to be confirmed"},
    {&MomentCounts::of_session, "a query that demands all that its client has seen is answered"},
    {&MomentCounts::firm, "a query at a moment that it names is answered"},
    {&MomentCounts::held, "a query at a moment that is held is answered"},
    {&MomentCounts::sliced, "a table is read slice by slice at a moment that is held"},
    {&MomentCounts::behind_restart, "a query is asked at a moment that a node has just replayed"},
    {&MomentCounts::slots, "a node that starts again has each row in the slot in which it was"},
    {&MomentCounts::fresh, "a query that bounds the age of its moment is answered"},
    {&MomentCounts::holds, "a moment is held"},
    {&MomentCounts::out_of_reach, "a query is refused for the age of its moment"},
};

}  // namespace

void MomentCounts::add(const MomentCounts& other) {
  for (const Counter& counter : kCounters) {
    this->*counter.count += other.*counter.count;
  }
}

std::vector<std::string> MomentCounts::never() const {
  std::vector<std::string> names;
  for (const Counter& counter : kCounters) {
    if (this->*counter.count == 0) {
      names.emplace_back(counter.name);
    }
  }
  return names;
}

std::string MomentCounts::text() const {
  std::string lines;
  for (const Counter& counter : kCounters) {
    lines += fmt::format("{:>8}  {}\n", this->*counter.count, counter.name);
  }
  return lines;
}

}  // namespace daedalus::testing
