// SPDX-License-Identifier: Apache-2.0
#include <tributary/magic/protocol_statistics.h>

#include <algorithm>

#include <fmt/format.h>

#include <tributary/sim/error.h>
#include <tributary/sim/state_archive.h>

namespace tributary {

protocol_statistics::protocol_statistics(const protocol_set& protocols)
    : protocols_(protocols),
      owners_(protocols.handler_names().size()),
      sent_(protocols.handler_names().size()) {
  for (std::size_t place = 0; place < protocols.size(); ++place) {
    declared_.push_back(protocols.at(place).statistics());
    counted_.emplace_back(declared_.back().size());
    const auto first = static_cast<std::size_t>(protocols.storage(place).first_handler);
    // Handlers are numbered protocol by protocol.
    std::fill(owners_.begin() + static_cast<std::ptrdiff_t>(first), owners_.end(),
              static_cast<std::uint8_t>(place));
  }
}

void protocol_statistics::count(handler_id of, std::uint64_t number, std::uint64_t value) {
  if (static_cast<std::size_t>(of) >= owners_.size()) {
    throw simulation_error(fmt::format("a handler counts for handler {} (allowed: below {})",
                                       static_cast<std::size_t>(of), owners_.size()));
  }
  const std::size_t place = owners_[static_cast<std::size_t>(of)];
  if (number >= counted_[place].size()) {
    throw simulation_error(
        fmt::format("a handler counts in statistic {} of protocol '{}' (allowed: below {}, those "
                    "that the protocol declares)",
                    number, protocols_.at(place).name(), counted_[place].size()));
  }
  counted& into = counted_[place][static_cast<std::size_t>(number)];
  if (declared_[place][static_cast<std::size_t>(number)].kind != counted_kind::level) {
    into.values.add(value);
    return;
  }
  if (value == 0 && into.in_use == 0) {
    throw simulation_error(fmt::format(
        "a handler of protocol '{}' frees one of '{}', of which none "
        "is in use",
        protocols_.at(place).name(), declared_[place][static_cast<std::size_t>(number)].name));
  }
  into.in_use = value != 0 ? into.in_use + 1 : into.in_use - 1;
  into.most_in_use = std::max(into.most_in_use, into.in_use);
}

void protocol_statistics::sent(handler_id by, const message& header) {
  std::vector<sent_messages>& all = sent_[static_cast<std::size_t>(by)];
  auto found = std::find_if(all.begin(), all.end(),
                            [&](const sent_messages& each) { return each.type == header.type; });
  if (found == all.end()) {
    all.push_back({header.type, {}, {}});
    found = all.end() - 1;
  }
  ++found->messages;
  found->payload.add(header.length);
}

void protocol_statistics::reset_statistics() {
  for (std::vector<counted>& all : counted_) {
    for (counted& each : all) {
      each.values.reset();
      each.most_in_use = each.in_use;
    }
  }
  for (std::vector<sent_messages>& all : sent_) all.clear();
}

void protocol_statistics::report_counted(statistics_group& into, std::size_t place) const {
  for (std::size_t i = 0; i < counted_[place].size(); ++i) {
    const protocol_statistic& about = declared_[place][i];
    const counted& found = counted_[place][i];
    const std::string path = about.name;
    const std::size_t dot = path.rfind('.');
    statistics_group& group = dot == std::string::npos ? into : into.group(path.substr(0, dot));
    const std::string name = dot == std::string::npos ? path : path.substr(dot + 1);
    switch (about.kind) {
      case counted_kind::events:
        group.add(name, counter(found.values.sum()), about.unit, about.description);
        break;
      case counted_kind::sizes:
        group.add(name, found.values, about.unit, about.description);
        break;
      case counted_kind::level:
        group.add(name, found.most_in_use, about.unit, about.description);
        break;
    }
  }
}

void protocol_statistics::report_sent(statistics_group& into, std::size_t handler,
                                      const std::vector<std::string>& types) const {
  const std::string& full = protocols_.handler_names()[handler];
  const std::string name = full.substr(full.rfind('.') + 1);
  for (const sent_messages& each : sent_[handler]) {
    statistics_group& group = into.group("sent").group(types[each.type]).group(name);
    group.add("messages", each.messages, "messages",
              "Messages of this type to the network that this handler sent.");
    group.add("payload", each.payload, "bytes", "Payload of these messages.");
  }
}

void protocol_statistics::report(statistics_group& into, std::uint64_t) const {
  for (std::size_t place = 0; place < declared_.size(); ++place) {
    if (declared_[place].empty()) continue;
    report_counted(into.group(protocols_.at(place).name()), place);
  }
  const std::vector<std::string> types = protocols_.message_names();
  for (std::size_t i = 0; i < sent_.size(); ++i) {
    if (!sent_[i].empty()) report_sent(into.group(protocols_.at(owners_[i]).name()), i, types);
  }
}

std::string protocol_statistics::save() const { return save_state(*this); }

void protocol_statistics::restore(const std::string& state) {
  restore_state(state, *this);
  bool fits = counted_.size() == declared_.size() && sent_.size() == owners_.size();
  for (std::size_t i = 0; fits && i < declared_.size(); ++i) {
    fits = counted_[i].size() == declared_[i].size();
  }
  require_state(fits, "the protocols count other statistics");
}

}  // namespace tributary
