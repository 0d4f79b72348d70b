#include "write_group.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "backend.hpp"
#include "command.hpp"
#include "daedalus/base/check.hpp"
#include "daedalus/contract/translate.hpp"
#include "daedalus/semantics/update.hpp"

namespace daedalus::postgres {

namespace {

/// An update's body has so many bytes around its rows.
constexpr uint64_t kBodyOverhead = 64;

}  // namespace

uint64_t WriteGroup::rows_left() const { return contract::kUpdateRowsMax - rows_; }

uint64_t WriteGroup::bytes_left() const {
  const uint64_t taken = bytes_ + 2 * kBodyOverhead;
  return contract::kUpdateBytesMax - std::min<uint64_t>(taken, contract::kUpdateBytesMax);
}

Result<uint32_t> WriteGroup::add(aggregator::CompiledUpdate update) {
  uint32_t rows = 0;
  const uint64_t bytes = update.body.ByteSizeLong();
  for (const auto& part : update.body.parts()) {
    rows += part.insert().row_count();
  }
  if (body_.parts_size() + update.body.parts_size() > static_cast<int>(semantics::kCountedPartsMax)) {
    return rejected("54000",
                    fmt::format("one update takes at most {} UPDATEs and DELETEs, and INSERTs between them",
                                semantics::kCountedPartsMax),
                    "send a Sync more often");
  }
  if (rows_ + rows > contract::kUpdateRowsMax || bytes_ + bytes + kBodyOverhead > contract::kUpdateBytesMax) {
    return rejected("54000",
                    fmt::format("one update takes at most {} rows and {} bytes", contract::kUpdateRowsMax,
                                contract::kUpdateBytesMax),
                    "commit more often, with fewer rows each");
  }
  for (auto& part : *update.body.mutable_parts()) {
    auto* const last = body_.parts_size() > 0 ? body_.mutable_parts(body_.parts_size() - 1) : nullptr;
    if (part.has_insert() && last != nullptr && last->has_insert()) {
      last->mutable_insert()->mutable_rows()->append(part.insert().rows());
      last->mutable_insert()->set_row_count(last->insert().row_count() + part.insert().row_count());
    } else {
      if (part.has_insert()) {
        part.mutable_insert()->set_first_ordinal(rows_);
      }
      *body_.add_parts() = std::move(part);
    }
  }
  rows_ += rows;
  bytes_ += bytes;
  return rows;
}

void WriteGroup::hold(std::string word) {
  is_holding_ = true;
  if (!word.empty()) {
    tags_.push_back({std::move(word), held_.size(), static_cast<size_t>(body_.parts_size()) - 1});
  }
}

std::string WriteGroup::release() {
  is_holding_ = false;
  if (tags_.empty()) {
    return std::exchange(held_, {});
  }
  CHECK(part_rows_.size() == static_cast<size_t>(body_.parts_size()));
  std::string released;
  size_t from = 0;
  for (const Tag& tag : tags_) {
    released.append(held_, from, tag.at - from);
    append_command_complete(tag.word == kTruncate ? tag.word : fmt::format("{} {}", tag.word, part_rows_[tag.part]),
                            released);
    from = tag.at;
  }
  released.append(held_, from);
  tags_.clear();
  held_.clear();
  return released;
}

void WriteGroup::clear() { *this = {}; }

WriteGroup::Mark WriteGroup::mark() const {
  Mark mark{body_.parts_size(), 0, 0, rows_, bytes_};
  if (mark.part_count > 0) {
    const auto& insert = body_.parts(mark.part_count - 1).insert();
    mark.last_rows_size = insert.rows().size();
    mark.last_row_count = insert.row_count();
  }
  return mark;
}

void WriteGroup::go_back_to(const Mark& mark) {
  if (mark.part_count == 0) {
    return clear();
  }
  body_.mutable_parts()->DeleteSubrange(mark.part_count, body_.parts_size() - mark.part_count);
  auto& insert = *body_.mutable_parts(mark.part_count - 1)->mutable_insert();
  insert.mutable_rows()->resize(mark.last_rows_size);
  insert.set_row_count(mark.last_row_count);
  rows_ = mark.rows;
  bytes_ = mark.bytes;
}

}  // namespace daedalus::postgres
