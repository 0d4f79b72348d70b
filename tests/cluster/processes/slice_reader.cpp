#include "slice_reader.hpp"

#include <algorithm>

#include "daedalus/base/check.hpp"

namespace daedalus::testing {

namespace {

/// Long enough for a node that was killed to come back.
constexpr uint32_t kRepetitionsMax = 20;

}  // namespace

SliceReader::SliceReader(const std::string& body, uint64_t slice_bytes) {
  CHECK(body_.ParseFromString(body));
  body_.mutable_slice()->set_answer_bytes(slice_bytes);
}

std::string SliceReader::ask(const GivenAnswer& given) {
  rows_size_ = given.rows.size();
  row_count_ = given.row_count;
  columns_ = given.columns.size();
  return body_.SerializeAsString();
}

bool SliceReader::goes_on(const wire::v1::QueryEnd& end, GivenAnswer& given) {
  if (columns_ > 0) {
    given.columns.resize(columns_);  // Each slice says them again.
  }
  end_.set_moment(end.moment());
  end_.set_row_count(end_.row_count() + end.row_count());
  for (const auto& stamp : end.stamps()) {
    const auto& known = end_.stamps();
    // An earlier slice of the segment had a stamp, too.
    const bool is_known = std::any_of(known.begin(), known.end(), [&](const auto& other) {
      return other.partition() == stamp.partition() && other.segment() == stamp.segment();
    });
    if (!is_known) {
      *end_.add_stamps() = stamp;
    }
  }
  given.end = end_;
  const uint64_t bytes = body_.slice().answer_bytes();
  if (end.has_next_slice()) {
    *body_.mutable_slice() = end.next_slice();
    body_.mutable_slice()->set_answer_bytes(bytes);
  }
  return end.has_next_slice();
}

bool SliceReader::is_asked_again(const wire::v1::Error& error, GivenAnswer& given) {
  given.rows.resize(rows_size_);
  given.row_count = row_count_;
  given.columns.resize(columns_);
  return error.category() == wire::v1::ERROR_CATEGORY_RETRY && ++repetitions_ < kRepetitionsMax;
}

}  // namespace daedalus::testing
