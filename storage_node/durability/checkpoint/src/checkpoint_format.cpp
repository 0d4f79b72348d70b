#include "daedalus/durability/checkpoint_format.hpp"

#include <zstd.h>

#include <algorithm>
#include <memory>

#include "checkpoint_bytes.hpp"
#include "daedalus/base/check.hpp"
#include "daedalus/base/crc32c.hpp"

namespace daedalus::durability {

namespace {

constexpr std::string_view kDataMagic = "DAEDCKD\n";
constexpr int kLevel = 1;
/// Bytes in its plane of a value that has a tail.
constexpr uint32_t kBeforeTail = 8;

/// A context is a megabyte of tables: one a thread, made once.
ZSTD_CCtx* packer() {
  thread_local const std::unique_ptr<ZSTD_CCtx, size_t (*)(ZSTD_CCtx*)> context(ZSTD_createCCtx(), ZSTD_freeCCtx);
  return context.get();
}

ZSTD_DCtx* unpacker() {
  thread_local const std::unique_ptr<ZSTD_DCtx, size_t (*)(ZSTD_DCtx*)> context(ZSTD_createDCtx(), ZSTD_freeDCtx);
  return context.get();
}

std::string encode_block_header(const BlockHeader& header, uint32_t content_crc) {
  std::string bytes(sizeof(uint32_t), '\0');
  put(bytes, content_crc);
  put(bytes, static_cast<uint32_t>(header.kind));
  put(bytes, header.segment);
  put(bytes, header.chunk);
  put(bytes, header.chunk_count);
  put(bytes, raw(header.stamp));
  put(bytes, raw(header.changed));
  put(bytes, header.row_count);
  put(bytes, header.live_count);
  put(bytes, header.column_count);
  put(bytes, header.widths_digest);
  put(bytes, header.stored_size);
  put(bytes, header.content_size);
  put(bytes, header.file);
  put(bytes, header.offset);
  CHECK(bytes.size() == kBlockHeaderSize);
  const uint32_t crc = crc32c(std::string_view(bytes).substr(sizeof(uint32_t)));
  std::memcpy(bytes.data(), &crc, sizeof crc);
  return bytes;
}

uint32_t content_crc(std::string_view header) { return get<uint32_t>(header, 4); }

uint64_t word_count(uint32_t row_count) { return row_count / 64; }

/// A chunk's content may be no other than this.
Error other_size(const BlockHeader& header) {
  return corrupted("chunk " + std::to_string(header.chunk) + " of segment " + std::to_string(header.segment) +
                   " has a content of " + std::to_string(header.content_size) + " bytes, which its " +
                   std::to_string(header.row_count) + " rows and " + std::to_string(header.column_count) +
                   " columns do not take");
}

}  // namespace

std::string encode_data_file_header(uint32_t segment, uint64_t number) {
  std::string bytes(kDataMagic);
  put(bytes, kCheckpointVersion);
  put(bytes, segment);
  put(bytes, number);
  bytes.resize(kDataFileHeaderSize - sizeof(uint32_t), '\0');
  put(bytes, crc32c(bytes));
  return bytes;
}

void encode_block(BlockHeader& header, std::string_view content, std::string& bytes) {
  header.content_size = content.size();
  bytes.resize(kBlockHeaderSize + ZSTD_compressBound(content.size()));
  const size_t stored = ZSTD_compressCCtx(packer(), bytes.data() + kBlockHeaderSize, bytes.size() - kBlockHeaderSize,
                                          content.data(), content.size(), kLevel);
  CHECK(ZSTD_isError(stored) == 0);  // There is room for whatever it makes.
  header.stored_size = stored;
  bytes.resize(kBlockHeaderSize + stored);
  const std::string head = encode_block_header(header, crc32c(std::string_view(bytes).substr(kBlockHeaderSize)));
  std::copy(head.begin(), head.end(), bytes.begin());
}

Result<BlockHeader> decode_block_header(std::string_view bytes, const BlockPlace& place) {
  if (bytes.size() < kBlockHeaderSize ||
      get<uint32_t>(bytes, 0) != crc32c(bytes.substr(sizeof(uint32_t), kBlockHeaderSize - sizeof(uint32_t)))) {
    return corrupted("no valid block begins there");
  }
  const BlockHeader header{.kind = BlockKind{get<uint32_t>(bytes, 8)},
                           .segment = get<uint32_t>(bytes, 12),
                           .chunk = get<uint32_t>(bytes, 16),
                           .chunk_count = get<uint32_t>(bytes, 20),
                           .stamp = Timestamp{get<uint64_t>(bytes, 24)},
                           .changed = Timestamp{get<uint64_t>(bytes, 32)},
                           .row_count = get<uint32_t>(bytes, 40),
                           .live_count = get<uint32_t>(bytes, 44),
                           .column_count = get<uint32_t>(bytes, 48),
                           .widths_digest = get<uint32_t>(bytes, 52),
                           .stored_size = get<uint64_t>(bytes, 56),
                           .content_size = get<uint64_t>(bytes, 64),
                           .file = get<uint64_t>(bytes, 72),
                           .offset = get<uint64_t>(bytes, 80)};
  if (header.file != place.file || header.offset != place.offset) {
    return corrupted("a block begins there that belongs to offset " + std::to_string(header.offset) + " of file " +
                     std::to_string(header.file));
  }
  if (header.stamp > place.stamp || header.changed > header.stamp || header.content_size > kBlockContentMax ||
      header.stored_size != place.size - kBlockHeaderSize) {
    return corrupted("the block there is not the one that the manifest means");
  }
  return header;
}

Result<BlockHeader> check_block(std::string_view bytes, const BlockPlace& place) {
  Result<BlockHeader> header = decode_block_header(bytes, place);
  if (!header) {
    return header;
  }
  if (bytes.size() != kBlockHeaderSize + header->stored_size ||
      crc32c(bytes.substr(kBlockHeaderSize)) != content_crc(bytes)) {
    return corrupted("the content of the block there is not what was written");
  }
  return header;
}

Result<std::vector<uint64_t>> unpack_block(const BlockHeader& header, std::string_view bytes,
                                           std::vector<uint64_t> memory) {
  const std::string_view stored = bytes.substr(kBlockHeaderSize);
  // Before there is memory for it: what was packed says how long it is.
  if (ZSTD_getFrameContentSize(stored.data(), stored.size()) != header.content_size) {
    return corrupted("the content of the block there is not as long as its header says");
  }
  std::vector<uint64_t> content = std::move(memory);
  content.resize((header.content_size + 7) / 8);
  if (!content.empty()) {
    content.back() = 0;
  }
  const size_t size =
      ZSTD_decompressDCtx(unpacker(), content.data(), header.content_size, stored.data(), stored.size());
  if (ZSTD_isError(size) != 0 || size != header.content_size) {
    return corrupted("the content of the block there cannot be unpacked");
  }
  return content;
}

uint64_t chunk_content_size(uint32_t row_count, uint32_t column_count, uint64_t row_bytes) {
  return uint64_t{column_count} * sizeof(ColumnWidths) + word_count(row_count) * 8 * (1 + uint64_t{column_count}) +
         row_count * row_bytes;
}

uint8_t* write_chunk_content(const engine::ChunkImage& image, uint8_t* out) {
  const size_t columns = image.widths.size();
  const auto append = [&out](const void* bytes, size_t size) {
    std::memcpy(out, bytes, size);
    out += size;
  };
  const auto tail_width = [&](size_t column) {
    return image.planes[columns + column] == nullptr ? 0 : image.widths[column] - kBeforeTail;
  };
  for (size_t column = 0; column < columns; ++column) {
    const ColumnWidths widths{image.widths[column], tail_width(column)};
    append(&widths, sizeof widths);
  }
  if (image.live_count == 0) {
    return out;
  }
  append(image.live.data(), image.live.size_bytes());
  for (size_t column = 0; column < columns; ++column) {
    const uint32_t tail = tail_width(column);
    append(image.nulls[column], image.live.size_bytes());
    append(image.planes[column], size_t{image.row_count} * (image.widths[column] - tail));
    if (tail > 0) {
      append(image.planes[columns + column], size_t{image.row_count} * tail);
    }
  }
  return out;
}

void clear_dead_rows(const BlockHeader& header, std::span<uint8_t> content) {
  if (header.live_count == 0 || header.live_count == header.row_count) {
    return;
  }
  const uint64_t words = word_count(header.row_count);
  uint8_t* at = content.data() + size_t{header.column_count} * sizeof(ColumnWidths);
  std::vector<uint64_t> live(words);
  std::memcpy(live.data(), at, words * 8);
  at += words * 8;
  const auto clear_plane = [&](uint32_t width) {
    for (uint32_t row = 0; row < header.row_count; ++row) {
      if (((live[row / 64] >> (row % 64)) & 1) == 0) {
        std::memset(at + size_t{row} * width, 0, width);
      }
    }
    at += size_t{header.row_count} * width;
  };
  for (uint32_t column = 0; column < header.column_count; ++column) {
    ColumnWidths widths;
    std::memcpy(&widths, content.data() + column * sizeof widths, sizeof widths);
    for (uint64_t word = 0; word < words; ++word) {
      uint64_t nulls = 0;
      std::memcpy(&nulls, at + word * 8, sizeof nulls);
      nulls &= live[word];
      std::memcpy(at + word * 8, &nulls, sizeof nulls);
    }
    at += words * 8;
    clear_plane(widths.width - widths.tail_width);
    clear_plane(widths.tail_width);
  }
  DCHECK(at == content.data() + content.size());
}

uint32_t widths_digest(std::string_view content, uint32_t column_count) {
  return crc32c(content.substr(0, size_t{column_count} * sizeof(ColumnWidths)));
}

Result<LoadedChunk> LoadedChunk::make(const BlockHeader& header, std::vector<uint64_t> content, Timestamp stamp) {
  const uint64_t table_size = uint64_t{header.column_count} * sizeof(ColumnWidths);
  if (header.kind != BlockKind::kChunk || header.row_count % 64 != 0 || header.live_count > header.row_count ||
      header.content_size < table_size || content.size() != (header.content_size + 7) / 8) {
    return other_size(header);
  }
  LoadedChunk chunk;
  chunk.header_ = header;
  chunk.stamp_ = stamp;
  chunk.content_ = std::move(content);
  const auto* const bytes = reinterpret_cast<const uint8_t*>(chunk.content_.data());
  uint64_t row_bytes = 0;
  std::vector<ColumnWidths> table(header.column_count);
  std::copy_n(bytes, table_size, reinterpret_cast<uint8_t*>(table.data()));
  for (const ColumnWidths& widths : table) {
    if (widths.tail_width != 0 && widths.width - widths.tail_width != kBeforeTail) {
      return other_size(header);
    }
    row_bytes += widths.width;
    chunk.widths_.push_back(widths.width);
  }
  const bool has_rows = header.live_count > 0;
  const uint64_t words = word_count(header.row_count);
  if (header.content_size !=
      (has_rows ? chunk_content_size(header.row_count, header.column_count, row_bytes) : table_size)) {
    return other_size(header);
  }
  chunk.planes_.assign(2 * table.size(), nullptr);
  if (!has_rows) {
    chunk.no_rows_.assign(words, 0);
    chunk.live_ = chunk.no_rows_.data();
    chunk.nulls_.assign(table.size(), chunk.no_rows_.data());
    return chunk;
  }
  const uint8_t* at = bytes + table_size;  // All parts are whole words: rows come in multiples of 64.
  const auto take = [&at](uint64_t size) { return std::exchange(at, at + size); };
  chunk.live_ = reinterpret_cast<const uint64_t*>(take(words * 8));
  for (size_t column = 0; column < table.size(); ++column) {
    chunk.nulls_.push_back(reinterpret_cast<const uint64_t*>(take(words * 8)));
    chunk.planes_[column] = take(uint64_t{header.row_count} * (table[column].width - table[column].tail_width));
    if (table[column].tail_width > 0) {
      chunk.planes_[table.size() + column] = take(uint64_t{header.row_count} * table[column].tail_width);
    }
  }
  return chunk;
}

engine::ChunkImage LoadedChunk::image() const {
  return {.chunk = header_.chunk,
          .chunk_count = header_.chunk_count,
          .prefix = stamp_,
          .changed = header_.changed,
          .row_count = header_.row_count,
          .live_count = header_.live_count,
          .widths = widths_,
          .planes = planes_,
          .nulls = nulls_,
          .live = {live_, word_count(header_.row_count)}};
}

void LoadedAllocator::write_content(const engine::AllocatorImage& image, uint8_t* out) {
  const auto append = [&out](const void* bytes, size_t size) {
    std::memcpy(out, bytes, size);
    out += size;
  };
  for (const auto& cooling : image.cooling) {
    append(&cooling.generation, sizeof cooling.generation);
  }
  append(image.free.data(), image.free.size_bytes());
  for (const auto& cooling : image.cooling) {
    append(cooling.slots.data(), cooling.slots.size_bytes());
  }
}

Result<LoadedAllocator> LoadedAllocator::make(const BlockHeader& header, std::vector<uint64_t> content) {
  if (header.kind != BlockKind::kAllocator || header.row_count % 64 != 0 ||
      header.content_size != content_size(header.row_count) || content.size() * 8 != header.content_size) {
    return corrupted("the list of free slots of segment " + std::to_string(header.segment) + " has a content of " +
                     std::to_string(header.content_size) + " bytes, which its " + std::to_string(header.row_count) +
                     " slots do not take");
  }
  LoadedAllocator allocator;
  allocator.prefix_ = header.stamp;
  allocator.slot_count_ = header.row_count;
  allocator.words_ = std::move(content);
  return allocator;
}

engine::AllocatorImage LoadedAllocator::image() const {
  const uint64_t words = word_count(slot_count_);
  const std::span<const uint64_t> all = words_;
  return {.prefix = prefix_,
          .slot_count = slot_count_,
          .free = all.subspan(2, words),
          .cooling = {{{all[0], all.subspan(2 + words, words)}, {all[1], all.subspan(2 + 2 * words, words)}}}};
}

}  // namespace daedalus::durability
