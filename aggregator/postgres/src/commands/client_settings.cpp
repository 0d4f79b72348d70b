#include "client_settings.hpp"

#include "backend.hpp"

namespace daedalus::postgres {

Settings& ClientSettings::change(bool is_in_block) {
  if (changing_ == nullptr) {
    changing_ = std::make_unique<Changing>(Changing{settings_.reports(), {}});
  }
  if (!is_in_block && !changing_->before) {
    changing_->before = settings_.values();
  }
  return settings_;
}

void ClientSettings::take_back() {
  if (changing_ != nullptr && changing_->before) {
    settings_.restore(std::move(*std::exchange(changing_->before, std::nullopt)));
  }
}

Settings::Values ClientSettings::begin_block() {
  const bool has_set = changing_ != nullptr && changing_->before;
  return has_set ? std::move(*std::exchange(changing_->before, std::nullopt)) : settings_.values();
}

void ClientSettings::tell(std::string& out) {
  if (changing_ == nullptr) {
    return;
  }
  const std::vector<Report> now = settings_.reports();
  for (size_t index = 0; index < now.size(); ++index) {
    if (now[index] != changing_->told[index]) {
      append_parameter_status(now[index].first, now[index].second, out);
    }
  }
  changing_.reset();
}

}  // namespace daedalus::postgres
