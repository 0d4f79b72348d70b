#include "daedalus/durability/log_format.hpp"

#include <cstring>

#include "daedalus/base/check.hpp"
#include "daedalus/base/crc32c.hpp"
#include "daedalus/durability/bytes.hpp"

namespace daedalus::durability {

namespace {

constexpr std::string_view kMagic = "DAEDLOG\n";

/// Returns what a record's checksum begins with: a record of another log or file is none here.
uint32_t seed(LogFileId file) {
  std::string bytes;
  put(bytes, static_cast<uint32_t>(file.kind));
  put(bytes, file.number);
  return crc32c(bytes);
}

}  // namespace

std::string encode_header(const LogFileHeader& header) {
  std::string bytes(kMagic);
  put(bytes, kLogVersion);
  put(bytes, static_cast<uint32_t>(header.kind));
  put(bytes, header.number);
  put(bytes, header.previous_number);
  put(bytes, header.previous_end);
  put(bytes, raw(header.after));
  bytes.resize(kLogHeaderSize - sizeof(uint32_t), '\0');
  put(bytes, crc32c(bytes));
  return bytes;
}

std::optional<LogFileHeader> decode_header(std::string_view bytes) {
  if (bytes.size() < kLogHeaderSize) {
    return std::nullopt;
  }
  constexpr size_t kChecked = kLogHeaderSize - sizeof(uint32_t);
  if (!bytes.starts_with(kMagic) || get<uint32_t>(bytes, 8) != kLogVersion ||
      get<uint32_t>(bytes, kChecked) != crc32c(bytes.substr(0, kChecked))) {
    return std::nullopt;
  }
  return LogFileHeader{.kind = LogKind{get<uint32_t>(bytes, 12)},
                       .number = get<uint64_t>(bytes, 16),
                       .previous_number = get<uint64_t>(bytes, 24),
                       .previous_end = get<uint64_t>(bytes, 32),
                       .after = Timestamp{get<uint64_t>(bytes, 40)}};
}

uint64_t record_size(uint64_t payload_size) {
  return (kRecordHeaderSize + payload_size + kRecordAlignment - 1) / kRecordAlignment * kRecordAlignment;
}

void encode_record(LogFileId file, RecordPlace place, Timestamp last, std::string_view payload, std::string& bytes) {
  CHECK(payload.size() <= kRecordPayloadMax);
  const size_t begin = bytes.size();
  put(bytes, uint32_t{0});
  put(bytes, static_cast<uint32_t>(payload.size()));
  put(bytes, place.offset);
  put(bytes, place.synced);
  put(bytes, raw(last));
  bytes.append(payload);
  const uint32_t checksum = crc32c(std::string_view(bytes).substr(begin + sizeof(uint32_t)), seed(file));
  std::memcpy(bytes.data() + begin, &checksum, sizeof checksum);
  bytes.resize(begin + record_size(payload.size()), '\0');
}

std::optional<RecordView> decode_record(LogFileId file, uint64_t offset, std::string_view bytes) {
  if (bytes.size() < kRecordHeaderSize) {
    return std::nullopt;
  }
  const uint64_t payload_size = get<uint32_t>(bytes, 4);
  if (get<uint64_t>(bytes, 8) != offset || payload_size > kRecordPayloadMax ||
      bytes.size() - kRecordHeaderSize < payload_size) {
    return std::nullopt;
  }
  const std::string_view checked = bytes.substr(sizeof(uint32_t), kRecordHeaderSize - sizeof(uint32_t) + payload_size);
  if (get<uint32_t>(bytes, 0) != crc32c(checked, seed(file))) {
    return std::nullopt;
  }
  return RecordView{.last = Timestamp{get<uint64_t>(bytes, 24)},
                    .synced = get<uint64_t>(bytes, 16),
                    .payload = bytes.substr(kRecordHeaderSize, payload_size),
                    .size = record_size(payload_size)};
}

}  // namespace daedalus::durability
