// SPDX-License-Identifier: Apache-2.0
#include <tributary/network/traffic/traffic_replay.h>

#include <charconv>
#include <cstdint>
#include <limits>
#include <string>
#include <system_error>
#include <utility>

#include <tributary/sim/checkpoint.h>
#include <tributary/sim/error.h>
#include <tributary/sim/state_archive.h>
#include <tributary/sim/text_file.h>

namespace tributary {
namespace {

constexpr const char* replay_columns = "cycle,source,destination,bytes";

/// The numbers of a line, one after the other.
class replay_line {
 public:
  replay_line(const std::string& text, std::string place)
      : begin_(text.data()),
        at_(text.data()),
        end_(text.data() + text.size()),
        place_(std::move(place)) {}

  std::uint64_t number(const char* what, std::uint64_t most, bool is_last) {
    std::uint64_t value = 0;
    const auto [next, problem] = std::from_chars(at_, end_, value);
    if (problem != std::errc() || value > most) {
      refuse(std::string("the ") + what + " is no number from 0 to " + std::to_string(most));
    }
    at_ = next;
    const bool ends = at_ == end_;
    if (is_last != ends || (!ends && *at_ != ',')) {
      refuse(std::string("write ") + replay_columns + ", four numbers with commas between them");
    }
    if (!ends) ++at_;
    return value;
  }

  [[noreturn]] void refuse(const std::string& problem) const {
    throw input_error(place_ + ", column " + std::to_string(at_ - begin_ + 1) + ": " + problem);
  }

 private:
  const char* begin_;
  const char* at_;
  const char* end_;
  std::string place_;
};

replayed_message message_in(const std::string& text, const text_reader& reader) {
  constexpr std::uint64_t most_cycles = std::uint64_t{1} << 48U;
  constexpr std::uint64_t most_bytes = std::uint64_t{1} << 30U;
  constexpr std::uint64_t most_hosts = std::numeric_limits<std::uint32_t>::max();
  replay_line line(text, reader.place());
  replayed_message made;
  made.line = reader.line_number();
  made.at = line.number("cycle", most_cycles, false);
  made.from = node_id{static_cast<std::uint32_t>(line.number("source", most_hosts, false))};
  made.to = node_id{static_cast<std::uint32_t>(line.number("destination", most_hosts, false))};
  made.bytes = line.number("number of bytes", most_bytes, true);
  if (made.bytes == 0) line.refuse("a message has at least one byte");
  return made;
}

bool is_left_out(const std::string& line) { return line.empty() || line.front() == '#'; }

}  // namespace

std::vector<replayed_message> read_replay(const std::string& path) {
  text_reader reader(path);
  std::string line;
  bool has_names = false;
  std::vector<replayed_message> messages;
  while (reader.next_line(line)) {
    if (is_left_out(line)) continue;
    if (!has_names) {
      if (line != replay_columns) {
        throw input_error(reader.place() + ": the first line is not \"" + replay_columns +
                          "\"; write it there");
      }
      has_names = true;
      continue;
    }
    const replayed_message next = message_in(line, reader);
    if (!messages.empty() && next.at < messages.back().at) {
      throw input_error(reader.place() + ", column 1: cycle " + std::to_string(next.at) +
                        " comes after cycle " + std::to_string(messages.back().at) +
                        "; sort the lines by cycle");
    }
    messages.push_back(next);
  }
  if (!has_names) {
    throw input_error(path + ": the file has no line \"" + std::string(replay_columns) + "\"");
  }
  return messages;
}

traffic_replay::traffic_replay(std::vector<replayed_message> messages)
    : messages_(std::move(messages)) {}

void traffic_replay::check(const std::vector<replayed_message>& messages, std::uint32_t hosts) {
  for (const replayed_message& each : messages) {
    const auto refuse = [&](const std::string& problem) {
      throw configuration_error({"traffic.path", "line " + std::to_string(each.line), problem,
                                 "two hosts of 0 to " + std::to_string(hosts - 1),
                                 "change the file, or choose a network of more hosts"});
    };
    if (index(each.from) >= hosts || index(each.to) >= hosts) refuse("there is no such host");
    if (each.from == each.to) refuse("a host sends to itself");
  }
}

void traffic_replay::begin(traffic_hosts& hosts) {
  check(messages_, hosts.count());
  of_host_.assign(hosts.count(), {});
  sent_.assign(hosts.count(), 0);
  left_ = messages_.size();
  for (std::size_t m = 0; m < messages_.size(); ++m) {
    of_host_[index(messages_[m].from)].push_back(m);
  }
  for (std::uint32_t h = 0; h < hosts.count(); ++h) call_for_next(hosts, node_id{h});
}

void traffic_replay::call_for_next(traffic_hosts& hosts, node_id host) {
  const std::size_t sent = sent_[index(host)];
  const std::vector<std::size_t>& all = of_host_[index(host)];
  if (sent != all.size()) hosts.call(host, first_traffic_cycle + messages_[all[sent]].at);
}

void traffic_replay::called(traffic_hosts& hosts, node_id host, cycle_t now) {
  const std::size_t which = of_host_[index(host)][sent_[index(host)]++];
  hosts.host(host).post(messages_[which].to, messages_[which].bytes, now);
  call_for_next(hosts, host);
}

/// Of the messages, which a state does not hold.
std::uint64_t traffic_replay::sum() const {
  std::string all;
  for (const replayed_message& each : messages_) {
    all += save_state(each.at, each.from, each.to, each.bytes);
  }
  return checksum(all);
}

std::string traffic_replay::save() const { return save_state(sum(), sent_, left_); }

void traffic_replay::restore(const std::string& state) {
  const std::size_t hosts = sent_.size();
  std::uint64_t saved = 0;
  restore_state(state, saved, sent_, left_);
  require_state(saved == sum() && sent_.size() == hosts, "the file of messages is another");
}

}  // namespace tributary
