#include "daedalus/postgres/session_work.hpp"

#include <variant>

#include "client_text.hpp"
#include "copy_reader.hpp"
#include "daedalus/postgres/session_options.hpp"

namespace daedalus::postgres {

namespace {

Result<aggregator::Plan> explained(const Work::Explain& work, aggregator::Compiler& compiler,
                                   const WallClock& wall_clock_us) {
  const int64_t begin_us = wall_clock_us();
  auto plan = compiler.explain(work.statement, begin_us);
  if (plan) {
    plan->planning_us = wall_clock_us() - begin_us;
  }
  return plan;
}

}  // namespace

WorkDone do_work(const Work& work, aggregator::Compiler& compiler, std::string_view table,
                 const WallClock& wall_clock_us) {
  if (const auto* split = std::get_if<Work::Split>(&work.what)) {
    return pieces_of(*split->text, SessionLimits{}.simple_statements_max);
  }
  if (const auto* describe = std::get_if<Work::Describe>(&work.what)) {
    return compiler.describe(describe->sql, describe->declared, describe->dates);
  }
  if (const auto* piece = std::get_if<Work::Convert>(&work.what)) {
    return convert(*piece, wall_clock_us());
  }
  if (const auto* locate = std::get_if<Work::Locate>(&work.what)) {
    return aggregator::home_of(locate->sql, locate->has_table ? table : std::string_view());
  }
  if (const auto* explain = std::get_if<Work::Explain>(&work.what)) {
    return explained(*explain, compiler, wall_clock_us);
  }
  return compiler.compile(std::get<Work::Compile>(work.what).statement, wall_clock_us());
}

CopyRows convert(const Work::Convert& work, int64_t now_us) {
  work.reader->feed(work.bytes);
  if (work.is_last) {
    work.reader->end();
  }
  return work.reader->next(now_us);
}

}  // namespace daedalus::postgres
