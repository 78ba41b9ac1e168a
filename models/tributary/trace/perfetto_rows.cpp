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
  place taken;
  std::vector<lane>& lanes = row_of(track, kind, number, taken.row).lanes;
  const auto free = std::find_if(lanes.begin(), lanes.end(),
                                 [from](const lane& each) { return each.busy_until <= from; });
  taken.lane = static_cast<std::uint32_t>(free - lanes.begin());
  if (free == lanes.end()) lanes.emplace_back();
  lanes[taken.lane].busy_until = until;
  return taken;
}

perfetto_rows::row& perfetto_rows::row_of(track_id track, std::string_view kind, std::size_t number,
                                          std::uint32_t& at) {
  constexpr unsigned bits_of_number = 16;  // kinds and stays
  const std::uint64_t key = static_cast<std::uint64_t>(track) << bits_of_number | number;
  std::uint32_t& known = index_[key];
  if (known == number_index::none) {
    known = static_cast<std::uint32_t>(rows_.size());
    rows_.push_back({track, kind, {}});
  }
  at = known;
  return rows_[at];
}

void perfetto_rows::introduce(row& named, std::size_t at) {
  const std::string name = catalog_.name_of(named.track);
  const std::size_t unit = length_of_unit(name);
  perfetto_thread& thread = named.lanes[at].thread;
  thread.process = process_of(name.substr(0, unit), named.track);
  thread.number = ++threads_;
  const std::string thread_name = name.substr(std::min(unit + 1, name.size())) +
                                  (unit == name.size() ? "" : " ") + std::string(named.kind) +
                                  (at == 0 ? "" : fmt::format(" {}", at + 1));
  writer_.name_thread(thread, thread_name, named.track);
}

std::uint32_t perfetto_rows::process_of(const std::string& unit, track_id track) {
  const auto number = static_cast<std::uint32_t>(processes_.size() + 1);
  const auto [found, is_new] = processes_.insert({unit, number});
  if (is_new) writer_.name_process(number, unit, track);
  return found->second;
}

}  // namespace tributary
