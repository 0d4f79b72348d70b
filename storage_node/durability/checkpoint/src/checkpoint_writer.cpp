#include "daedalus/durability/checkpoint_writer.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "checkpoint_bytes.hpp"
#include "daedalus/base/check.hpp"

namespace daedalus::durability {
namespace {

uint64_t aligned(uint64_t offset) { return (offset + kBlockAlignment - 1) / kBlockAlignment * kBlockAlignment; }

uint64_t bytes_of(const Manifest& manifest) {
  uint64_t bytes = 0;
  for (const SegmentManifest& segment : manifest.segments) {
    for (const DataFile& file : segment.files) {
      bytes += file.size;
    }
  }
  return bytes;
}

}  // namespace

CheckpointWriter::CheckpointWriter(Disk& disk, ChunkBuffers& buffers, std::vector<ChunkCopier*> copiers,
                                   std::function<void()> room_made)
    : disk_(&disk), buffers_(&buffers), copiers_(std::move(copiers)), room_made_(std::move(room_made)) {}

Result<void> CheckpointWriter::open(std::optional<uint64_t> restored) {
  CHECK(state_ == State::kIdle);
  if (Result<void> made = disk_->make_folder(kCheckpointFolder); !made) {
    return made;
  }
  Result<std::optional<Manifest>> found = find_manifest(*disk_);
  if (!found) {
    return found.error();
  }
  current_ = std::move(*found);
  may_keep_ = current_.has_value() && restored == current_->number;
  if (current_.has_value()) {
    status_.number = current_->number;
    status_.lowest = current_->lowest;
    status_.highest = current_->highest;
    status_.bytes = bytes_of(*current_);
  }
  const auto files = disk_->list(kCheckpointFolder);
  if (!files) {
    return files.error();
  }
  for (const std::string& file : *files) {
    last_number_ = std::max(last_number_, number_in(file).value_or(0));
  }
  // Everything loaded has been read. As long as nobody has read a manifest, the one before may be needed.
  return may_keep_ || !current_.has_value() ? clean() : Result<void>();
}

void CheckpointWriter::begin() {
  CHECK(state_ == State::kIdle);
  next_ = {};
  next_.number = ++last_number_;
  next_.segments.resize(copiers_.size());
  outputs_.clear();
  outputs_.resize(copiers_.size());
  chunks_written_ = 0;
  chunks_kept_ = 0;
  has_failed_ = false;
  for (uint32_t segment = 0; segment < copiers_.size(); ++segment) {
    next_.segments[segment].chunks.resize(copiers_[segment]->chunk_count());
    copiers_[segment]->begin(kept(segment));
  }
  state_ = State::kWriting;
}

/// Files of which less than half is in use are written out of: their blocks may not be kept.
std::vector<std::optional<Timestamp>> CheckpointWriter::kept(uint32_t segment) const {
  std::vector<std::optional<Timestamp>> kept(copiers_[segment]->chunk_count());
  if (!may_keep_ || segment >= current_->segments.size() || current_->segments[segment].chunks.size() != kept.size()) {
    return kept;
  }
  const SegmentManifest& current = current_->segments[segment];
  std::map<uint64_t, uint64_t> used;
  for (const BlockPlace& place : current.chunks) {
    used[place.file] += place.size;
  }
  std::set<uint64_t> worth_keeping;
  for (const DataFile& file : current.files) {
    if (used[file.number] * 2 >= file.size) {
      worth_keeping.insert(file.number);
    }
  }
  for (size_t chunk = 0; chunk < kept.size(); ++chunk) {
    if (worth_keeping.contains(current.chunks[chunk].file)) {
      kept[chunk] = current.chunks[chunk].stamp;
    }
  }
  return kept;
}

bool CheckpointWriter::step() {
  if (state_ != State::kWriting) {
    return false;
  }
  // Before looking for chunks: what was copied before an end is ready now.
  std::vector<uint32_t> ended;
  for (uint32_t segment = 0; segment < copiers_.size(); ++segment) {
    if (!outputs_[segment].is_done && copiers_[segment]->has_ended()) {
      ended.push_back(segment);
    }
  }
  if (CopiedChunk* chunk = buffers_->take_ready()) {
    if (!has_failed_) {
      write(*chunk);
    }
    buffers_->put_free(chunk);
    room_made_();
    return true;
  }
  if (ended.empty()) {
    return false;
  }
  for (const uint32_t segment : ended) {
    end_segment(segment);
  }
  if (std::all_of(outputs_.begin(), outputs_.end(), [](const Output& output) { return output.is_done; })) {
    end_round();
  }
  return true;
}

void CheckpointWriter::write(CopiedChunk& chunk) {
  clear_dead_rows(chunk.header, std::span(chunk.bytes).first(chunk.size));
  const std::string_view content(reinterpret_cast<const char*>(chunk.bytes.data()), chunk.size);
  chunk.header.widths_digest = widths_digest(content, chunk.header.column_count);
  const Result<BlockPlace> place = append(chunk.header, content);
  if (!place) {
    return fail(place.error());
  }
  next_.segments[chunk.header.segment].chunks[chunk.header.chunk] = *place;
  ++chunks_written_;
}

Result<BlockPlace> CheckpointWriter::append(BlockHeader header, std::string_view content) {
  if (Result<void> opened = open_output(header.segment); !opened) {
    return opened.error();
  }
  Output& output = outputs_[header.segment];
  header.file = next_.number;
  header.offset = output.end;
  encode_block(header, content, packed_);
  if (Result<void> written = output.file->write(header.offset, packed_); !written) {
    return written.error();
  }
  output.end = aligned(header.offset + packed_.size());
  return BlockPlace{header.file, header.offset, packed_.size(), header.stamp};
}

Result<void> CheckpointWriter::open_output(uint32_t segment) {
  Output& output = outputs_[segment];
  if (output.file != nullptr) {
    return {};
  }
  Result<std::unique_ptr<File>> created = disk_->create(data_file_name(segment, next_.number));
  if (!created) {
    return created.error();
  }
  output.file = std::move(*created);
  output.end = kDataFileHeaderSize;
  return output.file->write(0, encode_data_file_header(segment, next_.number));
}

void CheckpointWriter::end_segment(uint32_t segment) {
  outputs_[segment].is_done = true;
  if (!has_failed_) {
    if (Result<void> written = write_end(segment); !written) {
      fail(written.error());
    }
  }
}

Result<void> CheckpointWriter::write_end(uint32_t segment) {
  const ChunkCopier& copier = *copiers_[segment];
  SegmentManifest& manifest = next_.segments[segment];
  const Result<BlockPlace> allocator = append(copier.allocator_header(), copier.allocator_content());
  if (!allocator) {
    return allocator.error();
  }
  manifest.allocator = *allocator;
  std::set<uint64_t> older;
  for (uint32_t chunk = 0; chunk < manifest.chunks.size(); ++chunk) {
    if (copier.kept_at(chunk).has_value()) {
      manifest.chunks[chunk] = current_->segments[segment].chunks[chunk];
      manifest.chunks[chunk].stamp = *copier.kept_at(chunk);
      older.insert(manifest.chunks[chunk].file);
      ++chunks_kept_;
    }
    CHECK(manifest.chunks[chunk].size > 0);
  }
  if (!older.empty()) {
    for (const DataFile& file : current_->segments[segment].files) {
      if (older.contains(file.number)) {
        manifest.files.push_back(file);
      }
    }
  }
  manifest.files.push_back({next_.number, outputs_[segment].end});
  return {};
}

void CheckpointWriter::end_round() {
  if (!has_failed_) {
    if (Result<void> synced = sync_round(); !synced) {
      fail(synced.error());
    }
  }
  if (has_failed_) {
    return finish_failed();
  }
  next_.lowest = Timestamp{UINT64_MAX};
  for (const SegmentManifest& segment : next_.segments) {
    next_.highest = std::max(next_.highest, segment.allocator.stamp);
    for (const BlockPlace& place : segment.chunks) {
      next_.lowest = std::min(next_.lowest, place.stamp);
    }
  }
  state_ = State::kPrepared;
}

Result<void> CheckpointWriter::sync_round() {
  for (Output& output : outputs_) {
    if (Result<void> synced = output.file->sync(); !synced) {
      return synced;
    }
  }
  return disk_->sync_folder(kCheckpointFolder);
}

Result<void> CheckpointWriter::commit(std::string opaque) {
  CHECK(state_ == State::kPrepared);
  next_.opaque = std::move(opaque);
  if (Result<void> published = publish(); !published) {
    give_up(published.error());
    return published;
  }
  current_ = std::move(next_);
  may_keep_ = true;
  outputs_.clear();
  state_ = State::kIdle;
  status_.number = current_->number;
  status_.lowest = current_->lowest;
  status_.highest = current_->highest;
  status_.bytes = bytes_of(*current_);
  status_.chunks_written = chunks_written_;
  status_.chunks_kept = chunks_kept_;
  status_.last_error.reset();
  ++status_.rounds;
  // Whatever is left lying about takes room and does no harm; the next round tries again.
  if (Result<void> cleaned = clean(); !cleaned) {
    status_.last_error = cleaned.error();
  }
  return {};
}

/// Read back before it can be taken for a checkpoint: should power be lost in between, the one before is the newest.
Result<void> CheckpointWriter::publish() {
  if (Result<void> verified = verify(*disk_, next_); !verified) {
    return verified;
  }
  const std::string name = manifest_name(next_.number);
  const std::string manifest = encode_manifest(next_);
  if (Result<void> written = replace_file(*disk_, name, manifest); !written) {
    return written;
  }
  const Result<std::string> read = read_file(*disk_, name);
  if (!read) {
    return read.error();
  }
  return *read == manifest ? Result<void>() : Result<void>(corrupted(name + ": it does not read as it was written"));
}

void CheckpointWriter::give_up(const Error& why) {
  CHECK(state_ == State::kPrepared);
  fail(why);
  finish_failed();
}

void CheckpointWriter::fail(const Error& error) {
  has_failed_ = true;
  status_.last_error = error;
  for (ChunkCopier* copier : copiers_) {
    copier->discard();
  }
  room_made_();
}

void CheckpointWriter::finish_failed() {
  outputs_.clear();
  ++status_.rounds_given_up;
  state_ = State::kIdle;
  static_cast<void>(clean());  // The error that ended the round is the one to be told.
}

Result<void> CheckpointWriter::clean() {
  std::set<std::string> needed;
  if (current_.has_value()) {
    needed.insert(manifest_name(current_->number));
    for (uint32_t segment = 0; segment < current_->segments.size(); ++segment) {
      for (const DataFile& file : current_->segments[segment].files) {
        needed.insert(data_file_name(segment, file.number));
      }
    }
  }
  const auto files = disk_->list(kCheckpointFolder);
  if (!files) {
    return files.error();
  }
  // A manifest is gone for good before what it names goes.
  for (const bool manifests : {true, false}) {
    bool has_removed = false;
    for (const std::string& file : *files) {
      const std::string name = std::string(kCheckpointFolder) + "/" + file;
      if (number_in(file).has_value() && file.starts_with("manifest") == manifests && !needed.contains(name)) {
        if (Result<void> removed = disk_->remove(name); !removed) {
          return removed;
        }
        has_removed = true;
      }
    }
    if (has_removed) {
      if (Result<void> synced = disk_->sync_folder(kCheckpointFolder); !synced) {
        return synced;
      }
    }
  }
  return {};
}

}  // namespace daedalus::durability
