// Manifests and blocks made of arbitrary bytes: refused, or they agree with themselves. Checksums are made right, since
// a fuzzer would never come by them.
#include <cstdint>
#include <cstring>
#include <string>

#include "daedalus/base/check.hpp"
#include "daedalus/base/crc32c.hpp"
#include "daedalus/durability/checkpoint_format.hpp"

namespace {

using namespace daedalus;
using namespace daedalus::durability;

void put_checksum(std::string& bytes, size_t offset, std::string_view of) {
  const uint32_t crc = crc32c(of);
  std::memcpy(bytes.data() + offset, &crc, sizeof crc);
}

void read_manifest(std::string bytes) {
  if (bytes.size() >= sizeof(uint32_t)) {
    const size_t end = bytes.size() - sizeof(uint32_t);
    put_checksum(bytes, end, std::string_view(bytes).substr(0, end));
  }
  if (const auto manifest = decode_manifest(bytes)) {
    CHECK(encode_manifest(*manifest) == bytes);
  }
}

void read_block(std::string bytes) {
  if (bytes.size() < kBlockHeaderSize) {
    return;
  }
  put_checksum(bytes, 4, std::string_view(bytes).substr(kBlockHeaderSize));
  put_checksum(bytes, 0, std::string_view(bytes).substr(4, kBlockHeaderSize - 4));
  BlockPlace place{.size = bytes.size(), .stamp = Timestamp{UINT64_MAX}};
  std::memcpy(&place.file, bytes.data() + 72, sizeof place.file);
  std::memcpy(&place.offset, bytes.data() + 80, sizeof place.offset);
  const auto header = check_block(bytes, place);
  constexpr uint64_t kMemoryMax = 64u << 20;
  if (!header || header->content_size > kMemoryMax) {
    return;
  }
  auto content = unpack_block(*header, bytes);
  if (!content) {
    return;
  }
  if (header->kind == BlockKind::kAllocator) {
    if (const auto allocator = LoadedAllocator::make(*header, std::move(*content))) {
      CHECK(allocator->image().free.size() * 64 == header->row_count);
    }
  } else if (const auto chunk = LoadedChunk::make(*header, std::move(*content), place.stamp)) {
    CHECK(chunk->image().live.size() * 64 == header->row_count);
    std::string copy(header->content_size, '\0');
    auto* const begin = reinterpret_cast<uint8_t*>(copy.data());
    if (header->live_count > 0) {
      CHECK(write_chunk_content(chunk->image(), begin) <= begin + copy.size());
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) {
    return 0;
  }
  const std::string bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] % 2 == 0) {
    read_manifest(bytes);
  } else {
    read_block(bytes);
  }
  return 0;
}
