#include "vector_node.hpp"

#include <algorithm>

namespace daedalus::engine {

VectorNode::~VectorNode() {
  if (whole_ != nullptr) {
    --kept_->count;
  }
}

bool VectorNode::is_by_row() const {
  return std::any_of(parts_.begin(), parts_.end(), [](const VectorNodePtr& part) { return part->is_by_row(); });
}

ValueVector VectorNode::values(const RowBatch& batch) {
  DCHECK(batch.count <= kVectorRows);
  const uint64_t epoch = kept_ != nullptr ? kept_->epoch : 0;
  if (kept_ != nullptr && batch.number != 0 && batch.number == last_number_ && epoch == last_epoch_) {
    return last_;
  }
  const bool is_entered = contents_ == batch.chunk->contents;
  asked_ += is_entered ? batch.count : 0;
  last_ = is_entered && whole_ != nullptr && whole_->is_there ? from_chunk(batch) : compute(batch);
  last_number_ = batch.number;
  last_epoch_ = epoch;
  return last_;
}

void VectorNode::begin(const RowBatch& batch) {
  enter(*batch.chunk);
  if (kept_ != nullptr && (batch.number == 0 || batch.number != kept_->number)) {
    kept_->number = batch.number;
    ++kept_->epoch;
  }
}

/// If more rows of the last chunk were asked for than it has, each was computed more than once: from then on all are
/// computed, once.
void VectorNode::enter(const ChunkView& chunk) {
  if (kept_ == nullptr || is_leaf_ || contents_ == chunk.contents) {
    return;
  }
  for (const VectorNodePtr& part : parts_) {
    part->enter(chunk);
  }
  const bool is_asked_again = contents_ != kNoContents && asked_ > chunk.row_count;
  contents_ = chunk.contents;
  asked_ = 0;
  if (whole_ == nullptr && is_asked_again && kept_->count < ChunkVectors::kMax) {
    whole_ = std::make_unique<Chunk>();
    ++kept_->count;
  }
  if (whole_ == nullptr) {
    return;
  }
  whole_->is_there = false;
  if (is_asked_again) {
    compute_chunk(chunk);
  }
}

void VectorNode::compute_chunk(const ChunkView& chunk) {
  ++kept_->epoch;
  whole_->nulls.assign(chunk.word_count(), 0);
  whole_->hard.assign(chunk.word_count(), 0);
  whole_->has_nulls = whole_->has_hard = false;
  whole_->magnitude = 0;
  for (uint32_t first = 0; first < chunk.row_count; first += kVectorRows) {
    const RowBatch batch = {
        .chunk = &chunk, .rows = nullptr, .first = first, .count = std::min(kVectorRows, chunk.row_count - first)};
    const ValueVector part = compute(batch);
    if (part.wides != nullptr || part.is_constant) {
      return;
    }
    keep(part, batch);
  }
  whole_->is_there = true;
}

namespace {

template <typename T>
void copy_part(const T* from, std::vector<T>& to, size_t at, size_t count, size_t size) {
  to.resize(size);
  std::copy_n(from, count, to.begin() + static_cast<std::ptrdiff_t>(at));
}

template <typename T>
void gather_rows(const std::vector<T>& from, const RowBatch& batch, T* to) {
  for (uint32_t position = 0; position < batch.count; ++position) {
    to[position] = from[batch.rows[position]];
  }
}

const uint64_t* gather_bits(const std::vector<uint64_t>& from, const RowBatch& batch, VectorBits& to) {
  std::fill_n(to.begin(), vector_words(batch.count), 0);
  for (uint32_t position = 0; position < batch.count; ++position) {
    to[position / 64] |= uint64_t{test_bit(from.data(), batch.rows[position])} << (position % 64);
  }
  return to.data();
}

}  // namespace

void VectorNode::keep(const ValueVector& part, const RowBatch& batch) {
  const uint32_t rows = batch.chunk->row_count;
  const uint32_t words = vector_words(batch.count);
  switch (form_) {
    case Form::kTruth:
      copy_part(part.truths, whole_->truths, batch.first / 64, words, batch.chunk->word_count());
      break;
    case Form::kInteger:
      copy_part(part.integers, whole_->integers, batch.first, batch.count, rows);
      whole_->magnitude = std::max(whole_->magnitude, part.magnitude);
      break;
    case Form::kFloating:
      copy_part(part.floatings, whole_->floatings, batch.first, batch.count, rows);
      break;
    case Form::kText:
      keep_texts(part, batch);
      break;
  }
  if (part.nulls != nullptr) {
    whole_->has_nulls = true;
    std::copy_n(part.nulls, words, whole_->nulls.begin() + batch.first / 64);
  }
  if (part.hard != nullptr) {
    whole_->has_hard = true;
    std::copy_n(part.hard, words, whole_->hard.begin() + batch.first / 64);
  }
}

void VectorNode::keep_texts(const ValueVector& part, const RowBatch& batch) {
  const size_t number = batch.first / kVectorRows;
  whole_->texts.resize(batch.chunk->row_count);
  whole_->characters.resize(std::max(whole_->characters.size(), number + 1));
  std::vector<char>& characters = whole_->characters[number];
  size_t size = 0;
  for (uint32_t position = 0; position < batch.count; ++position) {
    size += part.texts[position].size();
  }
  characters.resize(std::max(characters.size(), size));
  char* next = characters.data();
  for (uint32_t position = 0; position < batch.count; ++position) {
    const std::string_view text = part.texts[position];
    whole_->texts[batch.first + position] = {next, text.size()};
    next = std::copy(text.begin(), text.end(), next);
  }
}

ValueVector VectorNode::from_chunk(const RowBatch& batch) {
  ValueVector made;
  made.magnitude = whole_->magnitude;
  if (batch.rows == nullptr) {
    const uint32_t word = batch.first / 64;
    made.truths = form_ == Form::kTruth ? whole_->truths.data() + word : nullptr;
    made.integers = form_ == Form::kInteger ? whole_->integers.data() + batch.first : nullptr;
    made.floatings = form_ == Form::kFloating ? whole_->floatings.data() + batch.first : nullptr;
    made.texts = form_ == Form::kText ? whole_->texts.data() + batch.first : nullptr;
    made.nulls = whole_->has_nulls ? whole_->nulls.data() + word : nullptr;
    made.hard = whole_->has_hard ? whole_->hard.data() + word : nullptr;
    return made;
  }
  if (form_ == Form::kTruth) {
    made.truths = gather_bits(whole_->truths, batch, gathered_.truths);
  } else if (form_ == Form::kInteger) {
    int64_t* integers = VectorBuffer::room(gathered_.integers);
    gather_rows(whole_->integers, batch, integers);
    made.integers = integers;
  } else if (form_ == Form::kText) {
    std::string_view* texts = VectorBuffer::room(gathered_.texts);
    gather_rows(whole_->texts, batch, texts);
    made.texts = texts;
  } else {
    double* floatings = VectorBuffer::room(gathered_.floatings);
    gather_rows(whole_->floatings, batch, floatings);
    made.floatings = floatings;
  }
  made.nulls = whole_->has_nulls ? gather_bits(whole_->nulls, batch, gathered_.nulls) : nullptr;
  made.hard = whole_->has_hard ? gather_bits(whole_->hard, batch, gathered_.hard) : nullptr;
  return made;
}

const uint64_t* in_either(const uint64_t* left, const uint64_t* right, uint32_t count, VectorBits& room) {
  if (left == nullptr || right == nullptr) {
    return left == nullptr ? right : left;
  }
  for (uint32_t word = 0; word < vector_words(count); ++word) {
    room[word] = left[word] | right[word];
  }
  return room.data();
}

}  // namespace daedalus::engine
