#include <algorithm>

#include "checkpoint_bytes.hpp"
#include "daedalus/base/crc32c.hpp"
#include "daedalus/durability/checkpoint_format.hpp"

namespace daedalus::durability {
namespace {

constexpr std::string_view kMagic = "DAEDCKM\n";

void put_place(std::string& bytes, const BlockPlace& place) {
  put(bytes, place.file);
  put(bytes, place.offset);
  put(bytes, place.size);
  put(bytes, raw(place.stamp));
}

/// Takes numbers from the front for as long as there are any.
class Numbers {
 public:
  explicit Numbers(std::string_view bytes) : left_(bytes) {}

  template <typename T>
  T take() {
    if (left_.size() < sizeof(T)) {
      is_short_ = true;
      return 0;
    }
    const T value = get<T>(left_, 0);
    left_.remove_prefix(sizeof(T));
    return value;
  }
  std::string take_bytes(uint64_t size) {
    is_short_ = is_short_ || left_.size() < size;
    const std::string bytes(left_.substr(0, size));
    left_.remove_prefix(bytes.size());
    return bytes;
  }
  BlockPlace take_place() {
    const auto file = take<uint64_t>();
    const auto offset = take<uint64_t>();
    const auto size = take<uint64_t>();
    return {file, offset, size, Timestamp{take<uint64_t>()}};
  }
  /// Returns whether there may be so many things of that size: before there is memory for them.
  bool has(uint64_t count, uint64_t size) {
    is_short_ = is_short_ || count > left_.size() / size;
    return !is_short_;
  }
  [[nodiscard]] bool is_short() const { return is_short_; }
  [[nodiscard]] bool is_empty() const { return left_.empty(); }

 private:
  std::string_view left_;
  bool is_short_ = false;
};

bool is_sound(const SegmentManifest& segment, const BlockPlace& place) {
  const auto file = std::find_if(segment.files.begin(), segment.files.end(),
                                 [&](const DataFile& any) { return any.number == place.file; });
  return file != segment.files.end() && place.offset >= kDataFileHeaderSize && place.size >= kBlockHeaderSize &&
         place.size <= file->size && place.offset <= file->size - place.size;
}

bool is_sound(const Manifest& manifest) {
  return std::all_of(manifest.segments.begin(), manifest.segments.end(), [&](const SegmentManifest& segment) {
    return is_sound(segment, segment.allocator) && segment.allocator.stamp <= manifest.highest &&
           std::all_of(segment.chunks.begin(), segment.chunks.end(), [&](const BlockPlace& place) {
             return is_sound(segment, place) && manifest.lowest <= place.stamp &&
                    place.stamp <= segment.allocator.stamp;
           });
  });
}

SegmentManifest take_segment(Numbers& numbers) {
  SegmentManifest segment;
  const auto file_count = numbers.take<uint32_t>();
  const auto chunk_count = numbers.take<uint32_t>();
  segment.allocator = numbers.take_place();
  if (!numbers.has(file_count, 16)) {
    return segment;
  }
  for (uint32_t file = 0; file < file_count; ++file) {
    const auto number = numbers.take<uint64_t>();
    segment.files.push_back({number, numbers.take<uint64_t>()});
  }
  if (!numbers.has(chunk_count, 32)) {
    return segment;
  }
  for (uint32_t chunk = 0; chunk < chunk_count; ++chunk) {
    segment.chunks.push_back(numbers.take_place());
  }
  return segment;
}

}  // namespace

std::string encode_manifest(const Manifest& manifest) {
  std::string bytes(kMagic);
  put(bytes, kCheckpointVersion);
  put(bytes, static_cast<uint32_t>(manifest.segments.size()));
  put(bytes, manifest.number);
  put(bytes, raw(manifest.lowest));
  put(bytes, raw(manifest.highest));
  put(bytes, uint64_t{manifest.opaque.size()});
  bytes += manifest.opaque;
  for (const SegmentManifest& segment : manifest.segments) {
    put(bytes, static_cast<uint32_t>(segment.files.size()));
    put(bytes, static_cast<uint32_t>(segment.chunks.size()));
    put_place(bytes, segment.allocator);
    for (const DataFile& file : segment.files) {
      put(bytes, file.number);
      put(bytes, file.size);
    }
    for (const BlockPlace& chunk : segment.chunks) {
      put_place(bytes, chunk);
    }
  }
  put(bytes, crc32c(bytes));
  return bytes;
}

Result<Manifest> decode_manifest(std::string_view bytes) {
  constexpr size_t kCrcSize = sizeof(uint32_t);
  if (bytes.size() < kMagic.size() + 2 * kCrcSize || !bytes.starts_with(kMagic)) {
    return corrupted("it is no manifest of a checkpoint");
  }
  const std::string_view checked = bytes.substr(0, bytes.size() - kCrcSize);
  if (get<uint32_t>(bytes, checked.size()) != crc32c(checked)) {
    return corrupted("its checksum is wrong");
  }
  Numbers numbers(checked.substr(kMagic.size()));
  if (const auto version = numbers.take<uint32_t>(); version != kCheckpointVersion) {
    return Error{ErrorCategory::kFatal, kDataCorrupted,
                 "it is of version " + std::to_string(version) + ", this program reads version " +
                     std::to_string(kCheckpointVersion),
                 "Start the version of the program that wrote it.", 0};
  }
  Manifest manifest;
  const auto segment_count = numbers.take<uint32_t>();
  manifest.number = numbers.take<uint64_t>();
  manifest.lowest = Timestamp{numbers.take<uint64_t>()};
  manifest.highest = Timestamp{numbers.take<uint64_t>()};
  manifest.opaque = numbers.take_bytes(numbers.take<uint64_t>());
  for (uint32_t segment = 0; segment < segment_count && !numbers.is_short(); ++segment) {
    manifest.segments.push_back(take_segment(numbers));
  }
  if (numbers.is_short() || !numbers.is_empty() || !is_sound(manifest)) {
    return corrupted("it does not agree with itself");
  }
  return manifest;
}

}  // namespace daedalus::durability
