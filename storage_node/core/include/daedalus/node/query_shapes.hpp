// The shapes that aggregators have defined on their connections.
//
// Decides which shape a slot holds, and that equal ones are kept once whoever defined them. Refuses to know values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>

#include "daedalus/contract/shape.hpp"
#include "daedalus/contract/shape_handles.hpp"
#include "daedalus/rpc/network.hpp"

namespace daedalus::node {

/// A node keeps so much for each connection: 16 MiB as they travel, if somebody fills every slot.
constexpr contract::HandleLimits kNodeHandles{4096, contract::kShapeBytesMax};

class QueryShapes {
 public:
  explicit QueryShapes(std::shared_ptr<const semantics::Schema> schema) : schema_(std::move(schema)) {}

  void on_up(rpc::PeerId peer) { peers_.try_emplace(peer, kNodeHandles); }
  void on_down(rpc::PeerId peer) { peers_.erase(peer); }

  /// Precondition of both: the peer is up. What is wrong with a definition is said to whoever uses it.
  void define(rpc::PeerId peer, uint32_t slot, const std::string& body);
  [[nodiscard]] const Result<std::shared_ptr<const contract::SelectShape>>& at(rpc::PeerId peer, uint32_t slot) const {
    return peers_.at(peer).at(slot);
  }

  /// Different ones that are kept.
  [[nodiscard]] size_t count() const;

 private:
  using Shared = std::shared_ptr<const contract::SelectShape>;

  /// The shape that these bytes are, read once as long as somebody has it in a slot.
  [[nodiscard]] Result<Shared> shape_of(const std::string& body);
  void forget_unused();

  std::shared_ptr<const semantics::Schema> schema_;
  std::map<rpc::PeerId, contract::ReceivedHandles<contract::SelectShape>> peers_;
  std::unordered_map<std::string, std::weak_ptr<const contract::SelectShape>> known_;  ///< By their bytes, whole.
  size_t known_max_ = 64;  ///< When there are so many, those that nobody has any more are looked for.
};

}  // namespace daedalus::node
