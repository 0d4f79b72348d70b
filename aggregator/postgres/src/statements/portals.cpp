#include "portals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace daedalus::postgres {

namespace {

/// The name of the cursor that is set aside: no client can say one with a zero byte.
constexpr std::string_view kSetAside("\0closed", 7);

bool is_held(const Portal& portal) { return portal.cursor != nullptr && portal.cursor->is_held; }

}  // namespace

// ---- which there are ----

const Portal* Portals::find(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : &found->second;
}

Portal* Portals::find(std::string_view name) { return const_cast<Portal*>(std::as_const(*this).find(name)); }

const Portal* Portals::find_cursor(std::string_view name) const {
  const Portal* const found = find(name);
  return found == nullptr || found->cursor == nullptr ? nullptr : found;
}

Portal* Portals::find_cursor(std::string_view name) {
  return const_cast<Portal*>(std::as_const(*this).find_cursor(name));
}

Portal* Portals::find_running(uint64_t sequence) {
  if (simple_.sequence == sequence) {
    return &simple_;
  }
  for (auto& [name, portal] : by_name_) {
    if (portal.sequence == sequence) {
      return &portal;
    }
  }
  return nullptr;
}

Result<void> Portals::check_room(size_t parameter_bytes) const {
  if (by_name_.size() >= limits_.portals_max || parameter_bytes_ + parameter_bytes > limits_.portal_bytes_max) {
    return rejected("54000",
                    fmt::format("a connection keeps at most {} portals with {} bytes of parameters",
                                limits_.portals_max, limits_.portal_bytes_max),
                    "close some that are not needed any longer");
  }
  return {};
}

Result<void> Portals::check_cursor_room(std::string_view name) const {
  if (by_name_.contains(name)) {
    return rejected("42P03", fmt::format("cursor \"{}\" already exists", name));
  }
  const auto count =
      std::count_if(by_name_.begin(), by_name_.end(), [](const auto& entry) { return entry.second.cursor != nullptr; });
  if (static_cast<size_t>(count) >= limits_.cursors_max || by_name_.size() >= limits_.portals_max) {
    return rejected("54000", fmt::format("a connection has at most {} cursors", limits_.cursors_max),
                    "CLOSE some that are not needed any longer");
  }
  return {};
}

Portal& Portals::add(std::string_view name, Portal portal) {
  drop(name);
  parameter_bytes_ += portal.parameter_bytes;
  return by_name_.emplace(name, std::move(portal)).first->second;
}

void Portals::drop(std::string_view name) {
  if (const auto found = by_name_.find(name); found != by_name_.end()) {
    drop(found);
  }
}

Portals::ByName::iterator Portals::drop(ByName::iterator entry) {
  answers_.abort(entry->second);
  parameter_bytes_ -= entry->second.parameter_bytes;
  return by_name_.erase(entry);
}

// ---- a cursor that is closed, and kept all the same ----

void Portals::set_aside(std::string_view name) { rename(name, std::string(kSetAside)); }

Portal* Portals::find_set_aside() { return find(kSetAside); }

void Portals::reopen(const std::string& name) { rename(kSetAside, name); }

void Portals::rename(std::string_view from, std::string to) {
  auto node = by_name_.extract(by_name_.find(from));
  node.key() = std::move(to);
  by_name_.insert(std::move(node));
}

// ---- what ends others than the executed one ----

template <typename IsToGo>
void Portals::drop_if(IsToGo is_to_go) {
  for (auto entry = by_name_.begin(); entry != by_name_.end();) {
    const Portal& portal = entry->second;
    entry = &portal != executed_ && is_to_go(portal) ? drop(entry) : std::next(entry);
  }
}

void Portals::end_transaction(bool is_commit) {
  for (auto& [name, portal] : by_name_) {
    if (portal.cursor != nullptr && is_commit && portal.cursor->is_holdable) {
      portal.cursor->is_held = true;
      portal.level = 0;
    }
  }
  drop_if([](const Portal& portal) { return !is_held(portal); });
}

void Portals::drop_new_cursors() {
  drop_if([](const Portal& portal) { return portal.cursor != nullptr && !portal.cursor->is_held; });
}

void Portals::drop_from(size_t level) {
  drop_if([level](const Portal& portal) { return portal.level >= level && !is_held(portal); });
}

void Portals::release_to(size_t level) {
  for (auto& [name, portal] : by_name_) {
    portal.level = std::min(portal.level, level);
  }
}

void Portals::drop_all() {
  drop_if([](const Portal&) { return true; });
}

void Portals::clear() {
  by_name_.clear();
  simple_ = {};
}

}  // namespace daedalus::postgres
