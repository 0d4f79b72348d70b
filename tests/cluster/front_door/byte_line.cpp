#include "byte_line.hpp"

#include <algorithm>
#include <utility>

namespace daedalus::testing {

namespace {

constexpr int64_t kDelayNsMin = 20 * kMicrosecond;
/// Half of the pieces are this small at most, so that messages come in parts.
constexpr uint64_t kSmallPieceMax = 24;
/// So much of what is written at once is cut finely; the rest would take the simulator too long.
constexpr size_t kFineCutSize = 2048;
constexpr uint64_t kPieceSizeMax = 16u << 10;
/// A server that is not told of a loss finds out by keep-alive.
constexpr int64_t kKeepAliveNsMax = 3 * kSecond;

}  // namespace

void ByteLine::attach(Side side, Listener listener, Schedule schedule) {
  Way& in = way(other(side));
  in.listener = std::move(listener);
  in.schedule = std::move(schedule);
  for (size_t waiting = in.pieces.size(); waiting > 0; --waiting) {
    in.schedule(network_.now(), [self = shared_from_this(), side] { self->arrive(other(side)); });
  }
}

void ByteLine::detach(Side side) {
  Way& in = way(other(side));
  sever(other(side));
  in.listener = {};
}

void ByteLine::write(Side from, std::string bytes) {
  rpc::Random& random = network_.random();
  way(from).unread += bytes.size();
  for (size_t begin = 0; begin < bytes.size();) {
    const uint64_t usual_max = begin < kFineCutSize ? temper_.piece_size_max : kPieceSizeMax;
    const uint64_t size_max = begin < kFineCutSize && random.chance(0.5) ? kSmallPieceMax : usual_max;
    const size_t size = std::min<size_t>(bytes.size() - begin, 1 + random.below(size_max));
    if (temper_.loss_probability > 0 && random.chance(temper_.loss_probability)) {
      lose();
    }
    send_piece(from, bytes.substr(begin, size));
    begin += size;
  }
}

void ByteLine::close(Side from) {
  if (!std::exchange(way(from).is_closed, true)) {
    send_piece(from, {});
  }
}

void ByteLine::send_piece(Side from, std::string bytes) {
  Way& out = way(from);
  if (out.is_severed) {
    return;
  }
  out.pieces.push_back(std::move(bytes));
  out.last_arrival = std::max(out.last_arrival, after(network_.now(), draw_delay()));
  if (out.schedule) {
    out.schedule(out.last_arrival, [self = shared_from_this(), from] { self->arrive(from); });
  }
}

void ByteLine::arrive(Side from) {
  ++way(from).arrived;
  read(from);
}

void ByteLine::read(Side from) {
  const auto self = shared_from_this();  // Whoever is told may let go of it.
  Way& in = way(from);
  while (in.is_read && !in.is_severed && in.arrived > 0 && !in.pieces.empty()) {
    --in.arrived;
    const std::string bytes = std::move(in.pieces.front());
    in.pieces.pop_front();
    if (bytes.empty()) {
      in.is_severed = true;
      if (const auto on_end = std::exchange(in.listener, {}).on_end) {
        on_end();
      }
      return;
    }
    in.unread -= bytes.size();
    if (const Way& back = way(other(from)); back.schedule) {
      back.schedule(after(network_.now(), draw_delay()), [self, from, size = bytes.size()] {
        if (const auto on_written = self->way(other(from)).listener.on_written) {
          on_written(size);
        }
      });
    }
    if (const auto on_bytes = in.listener.on_bytes) {
      on_bytes(bytes);
    }
  }
}

void ByteLine::set_reading(Side side, bool is_reading) {
  Way& in = way(other(side));
  if (in.is_read == is_reading) {
    return;
  }
  in.is_read = is_reading;
  if (is_reading && in.schedule) {
    in.schedule(network_.now(), [self = shared_from_this(), side] { self->read(other(side)); });
  }
}

void ByteLine::lose() {
  if (std::exchange(is_lost_, true)) {
    return;
  }
  rpc::Random& random = network_.random();
  sever(Side::kClient);
  sever(Side::kServer);
  notice(Side::kClient, after(network_.now(), draw_delay()));
  notice(Side::kServer, after(network_.now(), random.chance(0.5) ? draw_delay() : random.between(0, kKeepAliveNsMax)));
}

void ByteLine::vanish(Side side) {
  way(other(side)).listener = {};
  if (std::exchange(is_lost_, true)) {
    return;
  }
  sever(other(side));
  const Instant reset_arrives = std::max(way(side).last_arrival, after(network_.now(), draw_delay()));
  if (network_.random().chance(0.5)) {
    sever(side);
  }
  notice(other(side), reset_arrives);
}

void ByteLine::sever(Side from) {
  Way& out = way(from);
  out.is_severed = true;
  out.pieces.clear();
  out.unread = 0;
}

void ByteLine::notice(Side side, Instant when) {
  const Way& in = way(other(side));
  if (!in.schedule) {
    return;
  }
  in.schedule(when, [self = shared_from_this(), side] {
    Way& way_in = self->way(other(side));
    way_in.is_severed = true;
    if (const auto on_end = std::exchange(way_in.listener, {}).on_end) {
      on_end();
    }
  });
}

int64_t ByteLine::draw_delay() { return network_.random().between(kDelayNsMin, temper_.delay_ns_max); }

}  // namespace daedalus::testing
