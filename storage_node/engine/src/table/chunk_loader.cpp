#include "chunk_loader.hpp"

#include <algorithm>

namespace daedalus::engine {
namespace {

Error corrupt(const ChunkImage& image, const std::string& what) {
  return {ErrorCategory::kFatal, "XX001", "chunk " + std::to_string(image.chunk) + " of the checkpoint " + what,
          "Restore with the schema and the segment memory that the checkpoint was made with, or from another one.", 0};
}

std::string expected(const char* what, uint64_t found, uint64_t wanted) {
  return std::string("has ") + std::to_string(found) + " " + what + ", the segment has " + std::to_string(wanted);
}

}  // namespace

ChunkLoader::ChunkLoader(const TableLayout& layout, ChunkStore& store)
    : layout_(&layout), store_(&store), prefixes_(store.chunk_count()), is_loaded_(store.chunk_count(), false) {}

Result<void> ChunkLoader::load(const ChunkImage& image) {
  if (Result<void> checked = check_shape(image); !checked) {
    return checked;
  }
  if (Result<void> checked = check_rows(image); !checked) {
    return checked;
  }
  copy(image);
  store_->mark_changed(image.chunk, image.changed);
  prefixes_[image.chunk] = image.prefix;
  is_loaded_[image.chunk] = true;
  return {};
}

std::optional<uint32_t> ChunkLoader::missing() const {
  const auto missing = std::find(is_loaded_.begin(), is_loaded_.end(), false);
  return missing == is_loaded_.end() ? std::nullopt
                                     : std::optional(static_cast<uint32_t>(missing - is_loaded_.begin()));
}

Result<void> ChunkLoader::check_shape(const ChunkImage& image) const {
  if (image.chunk_count != store_->chunk_count()) {
    return corrupt(image, expected("chunks beside it", image.chunk_count, store_->chunk_count()));
  }
  if (image.chunk >= image.chunk_count) {
    return corrupt(image, "is beyond the last of " + std::to_string(image.chunk_count));
  }
  if (is_loaded_[image.chunk]) {
    return corrupt(image, "is there twice");
  }
  if (image.row_count != store_->chunk_rows()) {
    return corrupt(image, expected("rows", image.row_count, store_->chunk_rows()));
  }
  const size_t columns = layout_->columns.size();
  if (image.widths.size() != columns || image.nulls.size() != columns ||
      image.planes.size() != layout_->plane_count()) {
    return corrupt(image, expected("columns", image.widths.size(), columns));
  }
  for (uint32_t column = 0; column < columns; ++column) {
    if (image.widths[column] != layout_->columns[column].width) {
      return corrupt(image,
                     expected(("bytes in a value of column \"" + layout_->schema->columns[column].name + "\"").c_str(),
                              image.widths[column], layout_->columns[column].width));
    }
  }
  if (image.live.size() != bitmap_words(image.row_count)) {
    return corrupt(image, expected("words of live rows", image.live.size(), bitmap_words(image.row_count)));
  }
  return {};
}

Result<void> ChunkLoader::check_rows(const ChunkImage& image) const {
  const uint32_t words = bitmap_words(image.row_count);
  const uint32_t live = count_bits(image.live.data(), words);
  if (live != image.live_count) {
    return corrupt(image, "marks " + std::to_string(live) + " rows as live and says that there are " +
                              std::to_string(image.live_count));
  }
  if (image.changed > image.prefix) {
    return corrupt(image, "was changed by update " + std::to_string(raw(image.changed)) + ", but has updates up to " +
                              std::to_string(raw(image.prefix)) + " only");
  }
  for (uint32_t column = 0; column < layout_->columns.size(); ++column) {
    if (layout_->columns[column].nullable) {
      continue;
    }
    for (uint32_t word = 0; word < words; ++word) {
      if ((image.nulls[column][word] & image.live[word]) != 0) {
        return corrupt(image,
                       "holds a NULL in column \"" + layout_->schema->columns[column].name + "\", which forbids it");
      }
    }
  }
  return {};
}

void ChunkLoader::copy(const ChunkImage& image) {
  if (image.live_count == 0) {
    return;  // The memory there is as good; its pages need not be touched.
  }
  const uint32_t words = bitmap_words(image.row_count);
  uint8_t* const* planes = store_->planes(image.chunk);
  for (uint32_t column = 0; column < layout_->columns.size(); ++column) {
    const ColumnLayout& layout = layout_->columns[column];
    std::copy_n(image.planes[column], size_t{image.row_count} * layout.stride, planes[column]);
    if (layout.tail_width() > 0) {
      const size_t tails = layout_->tail_plane(column);
      std::copy_n(image.planes[tails], size_t{image.row_count} * layout.tail_width(), planes[tails]);
    }
    if (layout.nullable) {
      std::copy_n(image.nulls[column], words, store_->nulls(image.chunk)[column]);
    }
  }
  store_->mark_loaded(image.chunk, image.live);
}

}  // namespace daedalus::engine
