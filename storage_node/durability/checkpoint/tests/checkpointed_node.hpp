// Segments with rows, a disk, and rounds of checkpoints between them.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>

#include "daedalus/durability/checkpoint_reader.hpp"
#include "daedalus/durability/checkpoint_writer.hpp"
#include "daedalus/durability/simulated_disk.hpp"
#include "daedalus/engine/segment.hpp"
#include "operation_mix.hpp"

namespace daedalus::durability::test {

using engine::Segment;
using engine::Update;
using engine::UpdateOutput;
using engine::test::below;
using engine::test::one_in;
using engine::test::OperationMix;
using engine::test::Random;
using engine::test::test_codec;
using engine::test::test_schema;

constexpr uint32_t kSegments = 2;
constexpr uint32_t kChunkRows = 64;
constexpr uint64_t kMemory = 150'000;

struct Logged {
  Update update;
  UpdateOutput output;
};

class CheckpointedNode {
 public:
  CheckpointedNode(Disk& disk, Random& random, uint32_t buffer_count = 2)
      : random_(random),
        mix_(random),
        buffers_(buffer_count,
                 chunk_content_size(kChunkRows, static_cast<uint32_t>(test_schema().columns.size()),
                                    Segment(test_schema(), test_codec(), options(nullptr)).statistics().row_bytes)) {
    const auto shape = Segment(test_schema(), test_codec(), options(nullptr)).statistics();
    const auto slots = static_cast<uint32_t>(shape.rows_max);
    std::vector<ChunkCopier*> copiers;
    for (uint32_t segment = 0; segment < kSegments; ++segment) {
      copiers_.push_back(
          std::make_unique<ChunkCopier>(segment, ChunkCopier::Shape{slots / kChunkRows, slots}, buffers_));
      segments_.push_back(std::make_unique<Segment>(test_schema(), test_codec(), options(copiers_.back().get())));
      copiers.push_back(copiers_.back().get());
    }
    log_.resize(kSegments);
    writer_ = std::make_unique<CheckpointWriter>(disk, buffers_, copiers, [this] { ++rooms_made_; });
  }

  static engine::SegmentOptions options(engine::CheckpointHook* hook) {
    return {.memory_bytes = kMemory, .chunk_rows = kChunkRows, .checkpoint_hook = hook};
  }

  [[nodiscard]] CheckpointWriter& writer() { return *writer_; }
  [[nodiscard]] ChunkBuffers& buffers() { return buffers_; }
  [[nodiscard]] Segment& segment(uint32_t number) { return *segments_[number]; }
  [[nodiscard]] const std::vector<Logged>& log(uint32_t segment) const { return log_[segment]; }
  [[nodiscard]] uint64_t rooms_made() const { return rooms_made_; }

  void update(uint32_t segment, std::vector<engine::UpdatePart> parts) {
    Update update{Timestamp{++timestamp_}, std::move(parts)};
    ASSERT_TRUE(segments_[segment]->enqueue(update));
    log_[segment].push_back({std::move(update), {}});
  }
  void fill() {
    for (uint32_t segment = 0; segment < kSegments; ++segment) {
      update(segment, {mix_.insertion(segments_[segment]->statistics().rows_max * 3 / 4)});
    }
    settle();
  }
  void random_updates(uint64_t count) {
    for (; count > 0; --count) {
      update(static_cast<uint32_t>(below(random_, kSegments)), {mix_.part()});
    }
  }
  /// All updates are applied.
  void settle() {
    for (uint32_t segment = 0; segment < kSegments; ++segment) {
      size_t next = done_[segment];
      while (next < log_[segment].size()) {
        segments_[segment]->step({0});
        while (std::optional<engine::Output> output = segments_[segment]->dequeue()) {
          log_[segment].at(next++).output = std::get<UpdateOutput>(std::move(*output));
        }
      }
      done_[segment] = next;
    }
  }

  /// Writes a round, with updates in between, to where it can be committed or has failed.
  void write_round(uint64_t updates = 0) {
    writer_->begin();
    for (auto& segment : segments_) {
      ASSERT_TRUE(segment->begin_checkpoint());
    }
    for (uint64_t steps = 0; writer_->state() == CheckpointWriter::State::kWriting; ++steps) {
      ASSERT_LT(steps, 100'000u);
      if (updates > 0 && below(random_, 4) == 0) {
        random_updates(1);
        --updates;
      }
      Segment& segment = *segments_[below(random_, kSegments)];
      if (below(random_, 2) == 0) {
        segment.step({0}, {.chunks_max = 2});
      } else {
        if (before_write) {
          before_write();
        }
        writer_->step();
      }
    }
    settle();
  }
  [[nodiscard]] bool round(uint64_t updates = 0) {
    write_round(updates);
    return writer_->state() == CheckpointWriter::State::kPrepared && writer_->commit("opaque").has_value();
  }

  std::function<void()> before_write;  ///< Called before each step of the writer.

  /// All rows of a segment, where they lie: packed, in the order of their slots.
  static std::string rows_of(Segment& segment) {
    std::vector<uint32_t> columns(test_schema().columns.size());
    for (uint32_t column = 0; column < columns.size(); ++column) {
      columns[column] = column;
    }
    const auto selection = std::make_shared<semantics::Selection>(engine::test::select(columns));
    EXPECT_TRUE(segment.enqueue(engine::Query{engine::QueryHandle{1}, selection}));
    for (;;) {
      segment.step({0});
      while (std::optional<engine::Output> output = segment.dequeue()) {
        if (auto* answer = std::get_if<engine::QueryOutput>(&*output)) {
          EXPECT_FALSE(answer->error.has_value());
          return std::move(answer->rows);
        }
      }
    }
  }
  [[nodiscard]] std::vector<std::string> rows() {
    std::vector<std::string> all;
    for (auto& segment : segments_) {
      all.push_back(rows_of(*segment));
    }
    return all;
  }

 private:
  Random& random_;
  OperationMix mix_;
  ChunkBuffers buffers_;
  std::vector<std::unique_ptr<ChunkCopier>> copiers_;
  std::vector<std::unique_ptr<Segment>> segments_;
  std::unique_ptr<CheckpointWriter> writer_;
  std::vector<std::vector<Logged>> log_;
  std::map<uint32_t, size_t> done_;
  uint64_t timestamp_ = 0;
  uint64_t rooms_made_ = 0;
};

/// Into new segments; not replayed.
[[nodiscard]] inline Result<std::vector<std::unique_ptr<Segment>>> load(const CheckpointReader& reader,
                                                                        uint32_t threads = 1) {
  std::vector<std::unique_ptr<Segment>> segments;
  for (uint32_t number = 0; number < kSegments; ++number) {
    segments.push_back(std::make_unique<Segment>(test_schema(), test_codec(), CheckpointedNode::options(nullptr)));
    Segment& segment = *segments.back();
    const LoadTarget target{[&](const engine::ChunkImage& image) { return segment.load_chunk(image); },
                            [&](const engine::AllocatorImage& image) { return segment.load_allocator(image); },
                            {}};
    if (Result<void> loaded = reader.load(number, target, threads); !loaded) {
      return loaded.error();
    }
    if (Result<void> finished = segment.finish_restore(); !finished) {
      return finished.error();
    }
  }
  return segments;
}

/// Returns what is in the newest checkpoint. Precondition of the rows: nothing was updated during its round.
[[nodiscard]] inline Result<std::vector<std::string>> loaded_rows(Disk& disk) {
  auto reader = CheckpointReader::open(disk);
  if (!reader) {
    return reader.error();
  }
  if (!reader->has_value()) {
    return std::vector<std::string>();
  }
  auto segments = load(**reader);
  if (!segments) {
    return segments.error();
  }
  std::vector<std::string> rows;
  for (auto& segment : *segments) {
    rows.push_back(CheckpointedNode::rows_of(*segment));
  }
  return rows;
}

}  // namespace daedalus::durability::test
