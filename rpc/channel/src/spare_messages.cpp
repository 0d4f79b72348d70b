#include "daedalus/rpc/spare_messages.hpp"

#include <string>
#include <utility>

namespace daedalus::rpc {

namespace {

using wire::v1::Operation;
using wire::v1::Result;

/// Stamps in an end that is kept: those of a node's segments.
constexpr int kStampsMax = 64;

// Clear() gives back the messages within a message; those that it is called for keep their own texts and numbers. So a
// spare operation has a header, and a spare result stays of its kind.

/// Returns whether the text's memory is small: a short text may have the memory of a longer one before.
bool is_small(const std::string& text) { return text.capacity() <= 2 * SpareMessages::kTextMax; }

bool is_kept(const Operation& operation) {
  const wire::v1::OperationHeader& header = operation.header();
  return is_small(operation.body()) && header.routes().empty() && !header.has_update() &&
         is_small(header.request_id()) && is_small(header.principal());
}

bool is_kept(const wire::v1::QueryRows& rows) { return is_small(rows.rows()) && rows.columns().empty(); }

bool is_kept(const wire::v1::QueryEnd& end) { return end.stamps_size() <= kStampsMax && !end.has_next_slice(); }

template <typename Message>
Message take(std::vector<Message>& spare) {
  if (spare.empty()) {
    return {};
  }
  Message taken = std::move(spare.back());
  spare.pop_back();
  return taken;
}

template <typename Message>
void keep(Message&& message, std::vector<Message>& spare) {
  if (spare.size() < SpareMessages::kSpareMax) {
    spare.push_back(std::move(message));
  }
}

}  // namespace

Operation SpareMessages::operation() {
  Operation operation = take(operations_);
  (void)operation.mutable_header();
  return operation;
}

Result SpareMessages::rows() {
  Result result = take(rows_);
  (void)result.mutable_rows();
  return result;
}

Result SpareMessages::end() {
  Result result = take(ends_);
  (void)result.mutable_end();
  return result;
}

void SpareMessages::give(Operation&& operation) {
  if (is_kept(operation)) {
    operation.mutable_header()->Clear();
    operation.clear_body();
    keep(std::move(operation), operations_);
  }
}

void SpareMessages::give(Result&& result) {
  result.clear_sequence();
  result.clear_credit();
  result.clear_mark();
  if (result.has_rows() && is_kept(result.rows())) {
    result.mutable_rows()->Clear();
    keep(std::move(result), rows_);
  } else if (result.has_end() && is_kept(result.end())) {
    result.mutable_end()->Clear();
    keep(std::move(result), ends_);
  }
}

}  // namespace daedalus::rpc
