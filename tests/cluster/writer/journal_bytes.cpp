#include "journal_bytes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string_view>

#include "daedalus/base/check.hpp"
#include "daedalus/base/crc32c.hpp"

namespace daedalus::testing {

namespace {

constexpr const char* kMagic = "DAEDJRNL";
constexpr uint64_t kVersion = 1;
constexpr uint64_t kHeaderChecked = 12;
constexpr uint64_t kHeaderFirstEpoch = 64;
constexpr uint64_t kHeaderBase = 72;

constexpr uint64_t kFrameSize = 32;
constexpr uint64_t kPayloadSizeMax = 64u << 20;
constexpr uint64_t kUpdate = 2;
constexpr uint64_t kOutcome = 3;
constexpr uint64_t kZerosAhead = 512;

template <typename T>
void put(std::string& bytes, uint64_t at, T value) {
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

template <typename T>
T get(std::string_view bytes, uint64_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

uint64_t frame_size(uint64_t payload_size) { return (kFrameSize + payload_size + 7) / 8 * 8; }

// ---- payloads ----

void add(std::string& payload, uint64_t value) { payload.append(reinterpret_cast<const char*>(&value), sizeof value); }

void add(std::string& payload, const std::string& text) {
  add(payload, text.size());
  payload += text;
}

void add(std::string& payload, const SubmissionKey& submission) {
  add(payload, submission.first);
  add(payload, submission.second);
}

/// Takes apart what add() has put together: its checksum was right.
class Taker {
 public:
  explicit Taker(std::string_view payload) : left_(payload) {}

  uint64_t number() {
    CHECK(left_.size() >= sizeof(uint64_t));
    const auto value = get<uint64_t>(left_, 0);
    left_.remove_prefix(sizeof value);
    return value;
  }
  std::string text() {
    const uint64_t size = number();
    CHECK(left_.size() >= size);
    std::string found(left_.substr(0, size));
    left_.remove_prefix(size);
    return found;
  }
  SubmissionKey submission() {
    std::string client = text();
    return {std::move(client), number()};
  }

 private:
  std::string_view left_;
};

// ---- reading ----

Error damaged(uint64_t offset, const std::string& what) {
  return {ErrorCategory::kFatal, "XX001",
          fmt::format("the journal is damaged: {}, offset {}: {}", JournalBytes::kName, offset, what),
          "restore that file from a copy; or, where there is none, move the journal away and start the writer with "
          "--adopt",
          0};
}

/// The frame at that position, if a sound one is there; else nothing.
std::string_view sound_frame(std::string_view records, uint64_t position) {
  if (position + kFrameSize > records.size()) {
    return {};
  }
  const std::string_view rest = records.substr(position);
  const uint64_t payload_size = get<uint32_t>(rest, 4);
  if (payload_size > kPayloadSizeMax || frame_size(payload_size) > rest.size() || get<uint64_t>(rest, 8) != position) {
    return {};
  }
  const std::string_view frame = rest.substr(0, frame_size(payload_size));
  return crc32c(frame.substr(4)) == get<uint32_t>(frame, 0) ? frame : std::string_view{};
}

/// Something at `position` is no record: it was torn, or it is damage.
Result<void> check_tail(std::string_view records, uint64_t position) {
  for (uint64_t later = position + 8; later + kFrameSize <= records.size(); later += 8) {
    const std::string_view frame = sound_frame(records, later);
    if (!frame.empty() && get<uint64_t>(frame, 16) > position) {
      return damaged(JournalBytes::kHeaderSize + position,
                     fmt::format("there is no sound record, but the one at offset {} was written after it had been "
                                 "durable",
                                 JournalBytes::kHeaderSize + later));
    }
  }
  return {};
}

void take_update(Taker& taker, RecoveredJournal& journal) {
  const Timestamp timestamp{taker.number()};
  KeptUpdate update;
  update.confirmed_through = Timestamp{taker.number()};
  update.submission = taker.submission();
  update.map_version = taker.number();
  for (uint64_t routes = taker.number(); routes > 0; --routes) {
    CHECK(update.routes.emplace_back().ParseFromString(taker.text()));
  }
  update.body = taker.text();
  update.is_answered = true;
  journal.submissions.push_back({update.submission, timestamp, {}});
  journal.updates.insert_or_assign(timestamp, std::move(update));
  journal.last_numbered = timestamp;
}

void take_outcome(Taker& taker, RecoveredJournal& journal) {
  const Timestamp settled{taker.number()};
  const SubmissionKey submission = taker.submission();
  wire::v1::WriteConfirmed confirmed;
  CHECK(confirmed.ParseFromString(taker.text()));
  const Timestamp timestamp{confirmed.timestamp()};
  for (KnownSubmission& each : journal.submissions) {
    if (each.timestamp == timestamp && each.key == submission) {
      each.confirmed = confirmed;
    }
  }
  if (const auto update = journal.updates.find(timestamp); update != journal.updates.end()) {
    update->second.is_confirmed = true;
  }
  journal.updates.erase(journal.updates.begin(), journal.updates.upper_bound(settled));
}

}  // namespace

Result<RecoveredJournal> read_journal(const std::string& file) {
  CHECK(file.size() >= JournalBytes::kHeaderSize);
  const std::string_view header = std::string_view(file).substr(0, JournalBytes::kHeaderSize);
  if (!header.starts_with(kMagic) || get<uint32_t>(header, 8) != crc32c(header.substr(kHeaderChecked))) {
    return damaged(0, "there is no sound header");
  }
  RecoveredJournal journal;
  journal.is_used = true;
  journal.first_epoch = get<uint64_t>(header, kHeaderFirstEpoch);
  journal.base = journal.last_numbered = Timestamp{get<uint64_t>(header, kHeaderBase)};
  const std::string_view records = std::string_view(file).substr(JournalBytes::kHeaderSize);
  uint64_t position = 0;
  for (std::string_view frame = sound_frame(records, 0); !frame.empty(); frame = sound_frame(records, position)) {
    Taker taker(frame.substr(kFrameSize));
    get<uint64_t>(frame, 24) == kUpdate ? take_update(taker, journal) : take_outcome(taker, journal);
    position += frame.size();
  }
  if (auto checked = check_tail(records, position); !checked) {
    return checked.error();
  }
  return journal;
}

// ---- writing ----

void JournalBytes::begin(uint64_t first_epoch, Timestamp base) {
  CHECK(header_.empty());
  header_.assign(kHeaderSize, '\0');
  header_.replace(0, std::strlen(kMagic), kMagic);
  put<uint32_t>(header_, kHeaderChecked, kVersion);
  put<uint64_t>(header_, kHeaderFirstEpoch, first_epoch);
  put<uint64_t>(header_, kHeaderBase, raw(base));
  put<uint32_t>(header_, 8, crc32c(std::string_view(header_).substr(kHeaderChecked)));
}

void JournalBytes::update(Timestamp timestamp, const KeptUpdate& update) {
  std::string payload;
  add(payload, raw(timestamp));
  add(payload, raw(update.confirmed_through));
  add(payload, update.submission);
  add(payload, update.map_version);
  add(payload, update.routes.size());
  for (const auto& route : update.routes) {
    add(payload, route.SerializeAsString());
  }
  add(payload, update.body);
  const uint64_t begin = records_.size();
  append(kUpdate, payload);
  updates_.insert_or_assign(timestamp, std::pair{begin, records_.size()});
}

void JournalBytes::outcome(const SubmissionKey& submission, const wire::v1::WriteConfirmed& confirmed,
                           Timestamp settled) {
  std::string payload;
  add(payload, raw(settled));
  add(payload, submission);
  add(payload, confirmed.SerializeAsString());
  append(kOutcome, payload);
}

void JournalBytes::append(uint64_t kind, const std::string& payload) {
  const uint64_t position = records_.size();
  std::string frame(frame_size(payload.size()), '\0');
  frame.replace(kFrameSize, payload.size(), payload);
  put<uint32_t>(frame, 4, static_cast<uint32_t>(payload.size()));
  put<uint64_t>(frame, 8, position);
  put<uint64_t>(frame, 16, forced_);
  put<uint64_t>(frame, 24, kind);
  put<uint32_t>(frame, 0, crc32c(std::string_view(frame).substr(4)));
  records_ += frame;
  last_ = position;
}

void JournalBytes::forced(Timestamp through) {
  if (const auto found = updates_.find(through); found != updates_.end()) {
    forced_ = std::max(forced_, found->second.second);
  }
}

void JournalBytes::end_with(Timestamp last) {
  if (const auto first = updates_.upper_bound(last); first != updates_.end()) {
    records_.resize(first->second.first);
    updates_.erase(first, updates_.end());
  }
  forced_ = records_.size();
  last_ = std::min(last_, last_update() - kHeaderSize);
}

std::string JournalBytes::file() const { return header_ + records_ + std::string(kZerosAhead, '\0'); }

uint64_t JournalBytes::last_update() const {
  return kHeaderSize + (updates_.empty() ? 0 : updates_.rbegin()->second.first);
}

}  // namespace daedalus::testing
