// SPDX-License-Identifier: Apache-2.0
#include <tributary/trace/perfetto_rows.h>

#include <fmt/format.h>

#include <algorithm>

namespace tributary {
namespace {

/// "stage.0.switch.3" of "stage.0.switch.3.output.1", "node.3" of "node.3.inbox".
std::size_t length_of_unit(const std::string& name) {
  std::size_t length = name.size();
  for (std::size_t at = name.find('.'); at != std::string::npos; at = name.find('.', at + 1)) {
    const char last = name[at - 1];
    if (last >= '0' && last <= '9') length = at;
  }
  return length;
}

}  // namespace

perfetto_rows::place perfetto_rows::take(track_id track, std::string_view kind, std::size_t number,
                                         cycle_t from, cycle_t until) {
  constexpr unsigned bits_of_number = 16;  // kinds and stays
  std::uint32_t* link = &index_[static_cast<std::uint64_t>(track) << bits_of_number | number];
  std::uint32_t before = 0;
  while (*link != number_index::none && lanes_[*link].busy_until > from) {
    link = &lanes_[*link].next;
    ++before;
  }
  std::uint32_t found = *link;
  if (found == number_index::none) {
    found = *link = static_cast<std::uint32_t>(lanes_.size());
    lanes_.push_back({0, {}, number_index::none, before, track, kind});
  }
  lanes_[found].busy_until = until;
  return static_cast<place>(found);
}

void perfetto_rows::introduce(lane& named) {
  const std::string name = catalog_.name_of(named.track);
  const std::size_t unit = length_of_unit(name);
  named.thread.process = process_of(name.substr(0, unit), named.track);
  named.thread.number = ++threads_;
  const std::string thread_name = name.substr(std::min(unit + 1, name.size())) +
                                  (unit == name.size() ? "" : " ") + std::string(named.kind) +
                                  (named.number == 0 ? "" : fmt::format(" {}", named.number + 1));
  writer_.name_thread(named.thread, thread_name, named.track);
}

const perfetto_graph& perfetto_rows::graph_of(track_id track) {
  const auto [found, is_new] = graphs_.try_emplace(track);
  perfetto_graph& graph = found->second;
  if (!is_new) return graph;
  const std::string name = catalog_.name_of(track);
  const std::size_t unit = length_of_unit(name);
  graph.process = process_of(name.substr(0, unit), track);
  graph.number = static_cast<std::uint32_t>(graphs_.size());
  graph.name = name.substr(std::min(unit + 1, name.size()));
  writer_.begin(graph, track);
  return graph;
}

std::uint32_t perfetto_rows::process_of(const std::string& unit, track_id track) {
  const auto number = static_cast<std::uint32_t>(processes_.size() + 1);
  const auto [found, is_new] = processes_.insert({unit, number});
  if (is_new) writer_.name_process(number, unit, track);
  return found->second;
}

}  // namespace tributary
