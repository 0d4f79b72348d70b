#include "daedalus/rpc/channel.hpp"

#include <fmt/format.h>
#include <google/protobuf/io/coded_stream.h>

#include <algorithm>
#include <utility>

#include "daedalus/base/check.hpp"
#include "message_bytes.hpp"

namespace daedalus::rpc {

namespace {

/// The most bytes of a text that a peer may make this side log or send on.
constexpr size_t kReasonSizeMax = 1024;
/// From so many bytes on rows are a piece of output of their own, and are not copied.
constexpr size_t kRowsOfTheirOwn = 16u << 10;
/// Text of a peer made fit for a log line and for sending on: bounded, and without control characters.
std::string presentable(std::string text) {
  if (text.size() > kReasonSizeMax) {
    text.resize(kReasonSizeMax);
    while (!text.empty() && (static_cast<uint8_t>(text.back()) & 0x80) != 0) {
      text.pop_back();  // Never half of a UTF-8 sequence: a proto string must be valid.
    }
  }
  std::replace_if(
      text.begin(), text.end(), [](char c) { return (c >= 0 && c < 0x20) || c == 0x7F; }, ' ');
  return text;
}

wire::v1::Result too_large(uint64_t sequence, const char* what, size_t size, size_t size_max) {
  wire::v1::Result result;
  result.set_sequence(sequence);
  wire::v1::Error& error = *result.mutable_error();
  error.set_category(wire::v1::ERROR_CATEGORY_REJECTED);
  error.set_sqlstate("54000");
  error.set_message(
      fmt::format("{} of {} bytes is larger than the {} bytes that the peer takes", what, size, size_max));
  return result;
}

/// Returns whether one side's build has all that the other's may say. Whoever names no version has the first one, which
/// all have.
bool share_language(const wire::v1::Hello& ours, const wire::v1::Hello& theirs) {
  const auto knows = [](const auto& versions, uint64_t newest) {
    return std::find(versions.begin(), versions.end(), newest) != versions.end();
  };
  const auto& our = ours.languages();
  const auto& their = theirs.languages();
  return our.empty() || their.empty() || knows(our, *their.rbegin()) || knows(their, *our.rbegin());
}

/// Why two hellos do not fit together; empty when they do.
std::string misfit(const wire::v1::Hello& ours, const wire::v1::Hello& theirs) {
  if (theirs.role() == wire::v1::ROLE_UNSPECIFIED) {
    return "peer's hello states no role";
  }
  const auto differ = [&](const char* what, const std::string& our, const std::string& their) {
    return fmt::format("{} differs: \"{}\" here, \"{}\" at peer \"{}\"", what, our, their, theirs.name());
  };
  if (!ours.cluster_id().empty() && !theirs.cluster_id().empty() && ours.cluster_id() != theirs.cluster_id()) {
    return differ("cluster id", ours.cluster_id(), theirs.cluster_id());
  }
  if (!ours.schema_fingerprint().empty() && !theirs.schema_fingerprint().empty() &&
      ours.schema_fingerprint() != theirs.schema_fingerprint()) {
    return differ("schema fingerprint", ours.schema_fingerprint(), theirs.schema_fingerprint());
  }
  if (ours.map_version() != 0 && theirs.map_version() != 0 && ours.map_version() != theirs.map_version()) {
    return differ("map version", fmt::to_string(ours.map_version()), fmt::to_string(theirs.map_version()));
  }
  if (!share_language(ours, theirs)) {
    return fmt::format("peer \"{}\" speaks language {:016x}, this side {:016x}, and neither build has the other's: {}",
                       theirs.name(), *theirs.languages().rbegin(), *ours.languages().rbegin(),
                       "run builds of which one is older than the other");
  }
  if (theirs.frame_size_max() < kFrameSizeMaxMin) {
    return fmt::format("peer \"{}\" takes frames of at most {} bytes, at least {} are required", theirs.name(),
                       theirs.frame_size_max(), kFrameSizeMaxMin);
  }
  return {};
}

}  // namespace

Channel::Channel(wire::v1::Hello own_hello, ChannelLimits limits, Instant now)
    : limits_(limits),
      own_(std::move(own_hello)),
      framer_(limits.frame_size_max),
      hello_until_(after(now, limits.handshake_ns_max)),
      last_heard_(now),
      last_sent_(now),
      last_written_(now) {
  CHECK(limits.frame_size_max >= kFrameSizeMaxMin && limits.frame_size_max <= kFrameSizeMax);
  own_.set_frame_size_max(limits.frame_size_max);
  CHECK(own_.ByteSizeLong() + kFrameOverhead <= kFrameSizeMaxMin);
  send_frame(FrameType::kHello, own_);
}

// ---- what happens to the connection ----

void Channel::on_bytes(std::string_view bytes, Instant now) {
  if (state_ == State::kClosed || bytes.empty()) {
    return;
  }
  last_heard_ = std::max(last_heard_, now);
  framer_.feed(bytes);
  while (state_ != State::kClosed) {
    const auto frame = framer_.next();
    if (!frame) {
      break;
    }
    on_frame(*frame);
  }
  if (state_ != State::kClosed && framer_.error()) {
    fail(fmt::format("malformed frame: {}", framer_.error()->message));
  }
}

void Channel::on_deadline(Instant now) {
  if (state_ == State::kClosed) {
    return;
  }
  if (state_ == State::kHandshake && now >= hello_until_) {
    fail(fmt::format("no hello within {} ms", limits_.handshake_ns_max / kMillisecond));
    return;
  }
  if (now >= after(last_heard_, limits_.silence_ns_max)) {
    fail(fmt::format("peer silent for {} ms", limits_.silence_ns_max / kMillisecond));
    return;
  }
  if (unwritten_size_ > 0 && now >= after(last_written_, limits_.stall_ns_max)) {
    drop_output();
    fail(fmt::format("slow peer: it has read nothing for {} ms", limits_.stall_ns_max / kMillisecond));
    return;
  }
  if (now >= after(last_sent_, limits_.keep_alive_ns)) {
    last_sent_ = now;
    if (output_.empty()) {
      send_frame(FrameType::kKeepAlive, wire::v1::KeepAlive());
    }
  }
}

void Channel::on_unread(Instant now) {
  last_heard_ = std::max(last_heard_, now);
  hello_until_ = std::max(hello_until_, after(now, kUnreadGrace));
}

void Channel::on_written(size_t size, Instant now) {
  DCHECK(size <= unwritten_size_);
  unwritten_size_ -= size;
  last_written_ = std::max(last_written_, now);
}

void Channel::on_lost(std::string reason) {
  if (state_ != State::kClosed) {
    finish(std::move(reason));
    drop_output();
  }
}

// ---- one handler per frame type ----

void Channel::on_frame(const Frame& frame) {
  if (state_ == State::kHandshake && frame.type != FrameType::kHello && frame.type != FrameType::kGoodbye) {
    fail(fmt::format("protocol violation: {} frame before hello", to_string(frame.type)));
    return;
  }
  switch (frame.type) {
    case FrameType::kHello:
      return on_hello(frame.payload);
    case FrameType::kKeepAlive:
      return on_keep_alive(frame.payload);
    case FrameType::kOperations:
      return on_operations(frame.payload);
    case FrameType::kResults:
      return on_results(frame.payload);
    case FrameType::kGoodbye:
      return on_goodbye(frame.payload);
  }
}

void Channel::on_hello(std::string_view payload) {
  wire::v1::Hello hello;
  if (!parse(payload, FrameType::kHello, hello)) {
    return;
  }
  if (state_ != State::kHandshake) {
    fail("protocol violation: second hello");
    return;
  }
  if (std::string reason = misfit(own_, hello); !reason.empty()) {
    fail(std::move(reason));
    return;
  }
  peer_frame_size_max_ = std::min(hello.frame_size_max(), kFrameSizeMax);
  state_ = State::kUp;
  events_.emplace_back(ChannelUp{std::move(hello)});
}

void Channel::on_keep_alive(std::string_view payload) {
  wire::v1::KeepAlive keep_alive;
  (void)parse(payload, FrameType::kKeepAlive, keep_alive);
}

void Channel::on_operations(std::string_view payload) {
  if (!unpack(payload, [this](std::string_view bytes) { return add_operation(bytes); })) {
    wire::v1::OperationBatch batch;
    if (parse(payload, FrameType::kOperations, batch)) {
      for (wire::v1::Operation& operation : *batch.mutable_operations()) {
        events_.emplace_back(std::move(operation));
      }
    }
  }
}

void Channel::on_results(std::string_view payload) {
  if (!unpack(payload, [this](std::string_view bytes) { return add_result(bytes); })) {
    wire::v1::ResultBatch batch;
    if (parse(payload, FrameType::kResults, batch)) {
      for (wire::v1::Result& result : *batch.mutable_results()) {
        events_.emplace_back(std::move(result));
      }
    }
  }
}

/// All messages become events, or none.
template <typename Add>
bool Channel::unpack(std::string_view payload, Add add) {
  const size_t events_before = events_.size();
  std::string_view rest = payload;
  while (!rest.empty()) {
    const auto entry = take_field(kBatchEntryTag, rest);
    if (!entry || !add(*entry)) {
      while (events_.size() > events_before) {
        events_.pop_back();
      }
      return false;
    }
  }
  return true;
}

bool Channel::add_operation(std::string_view bytes) {
  // Header and body, as they are written. All else is rare.
  std::string_view rest = bytes;
  const auto header = take_field(kHeaderTag, rest);
  const auto body = rest.empty() ? std::optional(std::string_view()) : take_field(kBodyTag, rest);
  const bool is_plain = header && body && rest.empty();
  wire::v1::Operation operation = is_plain ? spare_.operation() : wire::v1::Operation();
  if (!(is_plain ? parse_from(*header, *operation.mutable_header()) : parse_from(bytes, operation))) {
    return false;
  }
  if (is_plain && !body->empty()) {
    operation.mutable_body()->assign(*body);
  }
  events_.emplace_back(std::move(operation));
  return true;
}

bool Channel::add_result(std::string_view bytes) {
  // Rows and ends, as they are written: the sequence, and the rest of it. All else is rare.
  std::string_view rest = bytes;
  const auto sequence = take_sequence(rest);
  const char tag = sequence && !rest.empty() ? rest.front() : '\0';
  const auto field = tag == kRowsTag || tag == kEndTag ? take_field(tag, rest) : std::nullopt;
  if (!field || !rest.empty()) {
    wire::v1::Result result;
    if (!parse_from(bytes, result)) {
      return false;
    }
    events_.emplace_back(std::move(result));
    return true;
  }
  wire::v1::Result result = tag == kRowsTag ? spare_.rows() : spare_.end();
  result.set_sequence(*sequence);
  if (!(tag == kRowsTag ? parse_from(*field, *result.mutable_rows()) : parse_from(*field, *result.mutable_end()))) {
    return false;
  }
  events_.emplace_back(std::move(result));
  return true;
}

void Channel::on_goodbye(std::string_view payload) {
  wire::v1::Goodbye goodbye;
  if (parse(payload, FrameType::kGoodbye, goodbye)) {
    finish(fmt::format("peer said goodbye: {}", presentable(goodbye.reason())));
    drop_output();
  }
}

bool Channel::parse(std::string_view payload, FrameType type, google::protobuf::MessageLite& message) {
  if (parse_from(payload, message)) {
    return true;
  }
  fail(fmt::format("malformed payload: {} frame of {} bytes does not parse", to_string(type), payload.size()));
  return false;
}

// ---- what the owner wants ----

void Channel::send(const wire::v1::Operation& operation) {
  const size_t size = operation.ByteSizeLong();
  if (state_ != State::kUp) {
    return;
  }
  if (size > message_size_max()) {
    events_.emplace_back(too_large(operation.header().sequence(), "operation", size, message_size_max()));
    return;
  }
  append(FrameType::kOperations, operation, size);
}

void Channel::send(wire::v1::Result&& result) {
  const size_t size = result.ByteSizeLong();
  if (state_ != State::kUp) {
    return;
  }
  if (size > message_size_max()) {
    const wire::v1::Result error = too_large(result.sequence(), "result", size, message_size_max());
    append(FrameType::kResults, error, error.ByteSizeLong());
    return;
  }
  if (result.rows().rows().size() >= kRowsOfTheirOwn) {
    append_rows(std::move(result), size);
  } else {
    append(FrameType::kResults, result, size);
  }
}

void Channel::close(std::string reason) {
  if (state_ != State::kClosed) {
    closed_by_owner_ = true;
    fail(std::move(reason));
  }
}

// ---- output ----

template <typename Message>
void Channel::append(FrameType type, const Message& message, size_t message_size) {
  const size_t entry_size = entry_overhead(message_size) + message_size;
  if (batch_open_) {
    const size_t batch_size = output_.back().size() - batch_begin_ + kChecksumSize;
    if (batch_type_ != type || batch_size >= limits_.batch_size || batch_size + entry_size > peer_frame_size_max_) {
      finish_batch();
    }
  }
  std::string& piece = batch_open_ ? output_.back() : open_piece();
  const size_t size_before = piece.size();
  if (!batch_open_) {
    batch_open_ = true;
    batch_type_ = type;
    batch_begin_ = size_before;
    (void)FrameWriter(piece, type);
  }
  const size_t old_size = piece.size();
  piece.resize(old_size + entry_size);
  auto* to = reinterpret_cast<uint8_t*>(piece.data() + old_size);
  *to++ = static_cast<uint8_t>(kBatchEntryTag);
  to = google::protobuf::io::CodedOutputStream::WriteVarint32ToArray(static_cast<uint32_t>(message_size), to);
  to = message.SerializeWithCachedSizesToArray(to);
  DCHECK(to == reinterpret_cast<uint8_t*>(piece.data() + piece.size()));
  waiting_size_ += piece.size() - size_before;
  check_waiting();
}

void Channel::append_rows(wire::v1::Result result, size_t size) {
  finish_batch();
  wire::v1::QueryRows about;
  about.Swap(result.mutable_rows());
  result.clear_rows();
  std::string rows = std::move(*about.mutable_rows());
  about.clear_rows();

  std::string& piece = open_piece();
  const size_t size_before = piece.size();
  FrameWriter writer(piece, FrameType::kResults);
  piece += kBatchEntryTag;
  append_varint(size, piece);
  result.AppendToString(&piece);
  // Fields may come in any order: the rows come last, and lie elsewhere.
  const size_t rows_size = about.ByteSizeLong() + entry_overhead(rows.size()) + rows.size();
  append_length(wire::v1::Result::kRowsFieldNumber, rows_size, piece);
  about.AppendToString(&piece);
  append_length(wire::v1::QueryRows::kRowsFieldNumber, rows.size(), piece);
  std::string checksum;
  writer.finish_behind(rows, checksum);
  waiting_size_ += piece.size() - size_before + rows.size() + checksum.size();
  output_.push_back(std::move(rows));
  output_.push_back(std::move(checksum));
  check_waiting();
}

void Channel::check_waiting() {
  if (output_waiting() > limits_.output_size_max) {
    drop_output();
    fail(fmt::format("slow peer: more than {} bytes wait to be sent", limits_.output_size_max));
  }
}

std::string& Channel::open_piece() {
  if (output_.empty() || output_.back().size() >= limits_.batch_size) {
    output_.emplace_back().reserve(batch_size_);  // As large as the one before, most likely.
  }
  return output_.back();
}

void Channel::drop_output() {
  output_.clear();
  waiting_size_ = 0;
  batch_open_ = false;
}

void Channel::finish_batch() {
  if (batch_open_) {
    batch_open_ = false;
    FrameWriter(output_.back(), batch_begin_).finish();
    batch_size_ = output_.back().size() - batch_begin_;
    waiting_size_ += kChecksumSize;
  }
}

void Channel::send_frame(FrameType type, const google::protobuf::MessageLite& message) {
  finish_batch();
  std::string& piece = open_piece();
  const size_t size_before = piece.size();
  FrameWriter writer(piece, type);
  message.AppendToString(&piece);
  writer.finish();
  waiting_size_ += piece.size() - size_before;
}

std::string Channel::take_output(Instant now) {
  finish_batch();
  if (output_.empty()) {
    return {};
  }
  std::string taken = std::move(output_.front());
  output_.pop_front();
  waiting_size_ -= taken.size();
  if (unwritten_size_ == 0) {
    last_written_ = std::max(last_written_, now);
  }
  unwritten_size_ += taken.size();
  last_sent_ = std::max(last_sent_, now);
  return taken;
}

std::optional<ChannelEvent> Channel::next_event() {
  if (events_.empty()) {
    return std::nullopt;
  }
  return events_.take_front();
}

void Channel::reuse(ChannelEvent&& event) {
  if (auto* operation = std::get_if<wire::v1::Operation>(&event)) {
    spare_.give(std::move(*operation));
  } else if (auto* result = std::get_if<wire::v1::Result>(&event)) {
    spare_.give(std::move(*result));
  }
}

std::vector<ChannelEvent> Channel::take_events() {
  std::vector<ChannelEvent> taken;
  taken.reserve(events_.size());
  while (!events_.empty()) {
    taken.push_back(events_.take_front());
  }
  return taken;
}

Instant Channel::next_deadline() const {
  if (state_ == State::kClosed) {
    return kNever;
  }
  Instant next = std::min(after(last_heard_, limits_.silence_ns_max), after(last_sent_, limits_.keep_alive_ns));
  if (unwritten_size_ > 0) {
    next = std::min(next, after(last_written_, limits_.stall_ns_max));
  }
  return state_ == State::kHandshake ? std::min(next, hello_until_) : next;
}

/// Says goodbye and ends. What was queued before goes first.
void Channel::fail(std::string reason) {
  reason = presentable(std::move(reason));
  wire::v1::Goodbye goodbye;
  goodbye.set_reason(reason);
  send_frame(FrameType::kGoodbye, goodbye);
  finish(std::move(reason));
}

void Channel::finish(std::string reason) {
  batch_open_ = false;
  state_ = State::kClosed;
  events_.emplace_back(ChannelClosed{std::move(reason)});
}

/// Largest message that fits a frame of the peer's maximum alone.
uint32_t Channel::message_size_max() const {
  return peer_frame_size_max_ - kFrameOverhead - 1 -
         static_cast<uint32_t>(google::protobuf::io::CodedOutputStream::VarintSize32(peer_frame_size_max_));
}

}  // namespace daedalus::rpc
