#include "answers.hpp"

#include <utility>

#include "daedalus/base/planted_faults.hpp"

namespace daedalus::postgres {

void Answers::add(Portal& portal, Rows rows) {
  if (portal.cursor == nullptr) {
    bytes_ += rows.bytes.size();
    portal.rows.emplace_back(std::move(rows.bytes), rows.count);
    return;
  }
  CursorRows& kept = portal.cursor->rows;
  const uint64_t before = kept.bytes();
  kept.append(std::move(rows.bytes), rows.count);
  bytes_ += kept.bytes() - before;
}

Answers::Rows Answers::take_all(Portal& portal) {
  auto [bytes, count] = portal.rows.take_front();
  bytes_ -= bytes.size();
  return {std::move(bytes), count};
}

Result<Answers::Rows> Answers::take(Portal& portal, uint64_t count_max) {
  auto& [rows, count] = portal.rows.front();
  if (count <= count_max) {
    return take_all(portal);
  }
  const auto taken_count = static_cast<uint32_t>(count_max);
  const auto size = size_of_rows(rows, taken_count);
  if (!size) {
    return size.error();
  }
  Rows taken{rows.substr(0, *size), taken_count};
  rows.erase(0, *size);
  count -= taken_count;
  if (is_planted(Fault::kSuspendedRowDropped) && count > 1) {
    rows.erase(0, size_of_rows(rows, 1).value());
    --count;
  }
  bytes_ -= *size;
  return taken;
}

Result<bool> Answers::fetch(Portal& portal, Portal& cursor) {
  CursorRows& rows = cursor.cursor->rows;
  const uint64_t before = rows.bytes();
  const auto done = portal.fetch->step(rows, [&](std::string taken, uint32_t count) {
    bytes_ += taken.size();
    portal.rows.emplace_back(std::move(taken), count);
  });
  bytes_ += rows.bytes() - before;
  return done;
}

void Answers::add_catalogue(Portal& portal, catalogue::Answer answer) {
  bytes_ += answer.rows.size();
  portal.catalogue = std::make_unique<CatalogueRows>(CatalogueRows{std::move(answer), 0});
}

std::string_view Answers::take_catalogue(Portal& portal, uint64_t& count) {
  CatalogueRows& rows = *portal.catalogue;
  const size_t begin = rows.begin;
  rows.begin = catalogue::end_of_rows(rows.answer.rows, begin, count);
  bytes_ -= rows.begin - begin;
  return std::string_view(rows.answer.rows).substr(begin, rows.begin - begin);
}

void Answers::abort(Portal& portal) {
  if (portal.sequence != 0) {
    requests_.abort(std::exchange(portal.sequence, 0));
  }
  if (portal.cursor != nullptr) {
    bytes_ -= portal.cursor->rows.bytes();
    portal.cursor->rows.clear();
  }
  while (!portal.rows.empty()) {
    bytes_ -= portal.rows.take_front().first.size();
  }
  if (const auto rows = std::exchange(portal.catalogue, nullptr)) {
    bytes_ -= rows->answer.rows.size() - rows->begin;
  }
}

}  // namespace daedalus::postgres
