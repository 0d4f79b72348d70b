#include "output.hpp"

#include <utility>

namespace daedalus::postgres {

namespace {

/// Fewer bytes of rows are encoded at once: they cost less than being kept apart.
constexpr size_t kSmallRowsSize = 4096;

}  // namespace

Result<void> Output::add_rows(std::shared_ptr<const RowEncoder> encoder, std::string rows) {
  if (rows.empty()) {
    return {};
  }
  // Rows that may have characters the client's encoding lacks fail while their statement can still be told so.
  if (rows.size() <= kSmallRowsSize || encoder->style().encoding != ClientEncoding::kUtf8) {
    std::string_view rest = rows;
    return encoder->encode(rest, SIZE_MAX, tail_);
  }
  close_tail();
  piece_bytes_ += rows.size();
  pieces_.push_back({std::move(encoder), std::move(rows), 0});
  return {};
}

void Output::close_tail() {
  if (!tail_.empty()) {
    piece_bytes_ += tail_.size();
    pieces_.push_back({nullptr, std::exchange(tail_, {}), 0});
  }
}

Result<std::string> Output::take() {
  if (pieces_.empty()) {
    taken_bytes_ += tail_.size();
    return std::exchange(tail_, {});
  }
  Piece& piece = pieces_.front();
  std::string taken;
  if (piece.encoder == nullptr) {
    taken = std::move(piece.bytes);
    piece_bytes_ -= taken.size();
    static_cast<void>(pieces_.take_front());
  } else {
    std::string_view rest = std::string_view(piece.bytes).substr(piece.begin);
    const size_t before = rest.size();
    if (auto encoded = piece.encoder->encode(rest, kPieceSize, taken); !encoded) {
      clear();
      return encoded.error();
    }
    piece.begin += before - rest.size();
    piece_bytes_ -= before - rest.size();
    if (rest.empty()) {
      static_cast<void>(pieces_.take_front());
    }
  }
  taken_bytes_ += taken.size();
  return taken;
}

void Output::clear() {
  pieces_ = {};
  piece_bytes_ = 0;
  tail_.clear();
}

}  // namespace daedalus::postgres
