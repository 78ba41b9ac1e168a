// SPDX-License-Identifier: Apache-2.0
#include <tributary/network/omega/omega_tracks.h>

#include <string>
#include <vector>

namespace tributary {
void omega_tracks::describe(trace_catalog& catalog) const {
  const track_signal request_link{"request", true};
  const track_signal reply_link{"reply", true};
  const auto lines = static_cast<std::uint32_t>(lines_);
  const std::vector<track_part> end{{"", {request_link, reply_link}}};
  catalog.add({"", "element", lines, end});
  const std::vector<track_signal> output{{"waiting"}, {"combined"}, {"wait_buffer"}, request_link};
  const std::vector<track_signal> input{{"waiting_replies"}, reply_link};
  for (unsigned stage = 0; stage < stages_; ++stage) {
    catalog.add(
        {"stage." + std::to_string(stage),
         "switch",
         lines / 2,
         {{"output.0", output}, {"output.1", output}, {"input.0", input}, {"input.1", input}}});
  }
  catalog.add({"", "module", lines, end});

  std::vector<std::string> forms;
  for (std::size_t each = 0; each < form_count; ++each) {
    forms.emplace_back(name_of(static_cast<form>(each)));
  }
  catalog.set_names(request_events::form_detail, forms);
  std::vector<std::string> operations;
  for (std::size_t each = 0; each < operation_count; ++each) {
    operations.emplace_back(name_of(static_cast<operation>(each)));
  }
  catalog.set_names(request_events::operation_detail, operations);
  catalog.kinds = {
      &request_events::accepted,   &request_events::inserted,       &request_events::combined,
      &request_events::departed,   &request_events::served,         &request_events::replied,
      &request_events::decombined, &request_events::reply_departed, &request_events::delivered};
  catalog.lifetime = request_events::accepted.changes[0].stay;
  catalog.onward = [tracks = *this](const trace_event& event) {
    return tracks.next_reverse_queue(event);
  };
}

omega_tracks::place omega_tracks::place_of(track_id track) const {
  const auto at = static_cast<std::size_t>(track);
  place found;
  if (at < lines_) {
    found.stage = processor_side;
    found.switch_index = static_cast<std::uint32_t>(at);
  } else if (at >= stage_begin(stages_)) {
    found.stage = static_cast<std::int32_t>(stages_);
    found.switch_index = static_cast<std::uint32_t>(at - stage_begin(stages_));
  } else {
    const std::size_t within = (at - lines_) % (2 * lines_);
    found.stage = static_cast<std::int32_t>((at - lines_) / (2 * lines_));
    found.switch_index = static_cast<std::uint32_t>(within / ports);
    found.is_input = within % ports >= 2;
    found.port = static_cast<std::uint32_t>(within % 2);
  }
  return found;
}

/// A response enters the switch behind the link, on its way to the input that its element's number
/// names; one that a wait buffer yields stays in its switch.
track_id omega_tracks::next_reverse_queue(const trace_event& event) const {
  const place here = place_of(event.track);
  const std::size_t switches = lines_ / 2;
  const bool is_module = here.stage == static_cast<std::int32_t>(stages_);
  std::size_t stage = static_cast<std::size_t>(here.stage) - (here.is_input || is_module ? 1 : 0);
  std::size_t index = here.switch_index;
  if (is_module) {
    index /= 2;
  } else if (here.is_input) {
    // The link in front of input i of switch j is line i * N / 2 + j, memory-side port of that
    // number.
    index = (here.port * switches + here.switch_index) / 2;
  }
  const std::size_t side = event.identity.origin() >> (stages_ - 1 - stage) & 1U;
  return input(stage, side * switches + index);
}

}  // namespace tributary
