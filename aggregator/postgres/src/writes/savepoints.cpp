#include "savepoints.hpp"

#include <fmt/format.h>

#include <utility>

namespace daedalus::postgres {

namespace {

size_t bytes_of(const Savepoints::Saved& saved) {
  size_t bytes = sizeof(saved);
  for (const auto& [name, value] : saved.values) {
    bytes += name.size() + value.size() + sizeof(name) + sizeof(value);
  }
  for (const auto& [name, value] : saved.locals) {
    bytes += name.size() + (value ? value->size() : 0) + sizeof(name) + sizeof(value);
  }
  return bytes;
}

}  // namespace

Result<void> Savepoints::add(std::string name, Saved saved, WriteGroup::Mark mark) {
  Point point;
  point.bytes = sizeof(Point) + name.size();
  if (!points_.empty() && *points_.back().saved == saved) {
    point.saved = points_.back().saved;
  } else {
    point.bytes += bytes_of(saved);
    point.saved = std::make_shared<const Saved>(std::move(saved));
  }
  if (bytes_ + point.bytes > kBytesMax) {
    return rejected("54000", fmt::format("the savepoints of a block take at most {} bytes", kBytesMax),
                    "RELEASE those that are not needed any longer");
  }
  point.name = std::move(name);
  point.mark = mark;
  bytes_ += point.bytes;
  points_.push_back(std::move(point));
  return {};
}

std::optional<size_t> Savepoints::find(std::string_view name) const {
  for (size_t index = points_.size(); index > 0; --index) {
    if (points_[index - 1].name == name) {
      return index - 1;
    }
  }
  return std::nullopt;
}

void Savepoints::keep(size_t count) {
  while (points_.size() > count) {
    bytes_ -= points_.back().bytes;
    points_.pop_back();
  }
}

}  // namespace daedalus::postgres
