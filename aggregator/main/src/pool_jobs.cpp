#include "pool_jobs.hpp"

#include <variant>

#include "daedalus/base/units.hpp"

namespace daedalus::aggregator {

namespace {

JobSize size_of(const postgres::Work& work) {
  if (const auto* describe = std::get_if<postgres::Work::Describe>(&work.what)) {
    return job_size(describe->sql.size());
  }
  if (const auto* locate = std::get_if<postgres::Work::Locate>(&work.what)) {
    return job_size(locate->sql.size());
  }
  if (const auto* explain = std::get_if<postgres::Work::Explain>(&work.what)) {
    return job_size(explain->statement.ByteSizeLong());
  }
  if (const auto* compile = std::get_if<postgres::Work::Compile>(&work.what)) {
    return job_size(compile->statement.ByteSizeLong());
  }
  return JobSize::kLarge;
}

}  // namespace

CompiledStatement compile(const CompileRequest& request, Compiler& compiler, int64_t now_us) {
  return {request.ticket, compiler.compile(request.statement, now_us)};
}

bool is_update(const CompiledStatement& statement) {
  return statement.compiled.has_value() && std::holds_alternative<CompiledUpdate>(*statement.compiled);
}

JobTag tag_of(const CompileRequest& request) {
  return {JobTicket{raw(request.ticket)}, JobClient{raw(request.client)}, job_size(request.bytes)};
}

JobTag tag_of(JobTicket ticket, const SessionJob& job) {
  return {ticket, JobClient{raw(job.session)}, size_of(job.work)};
}

}  // namespace daedalus::aggregator
