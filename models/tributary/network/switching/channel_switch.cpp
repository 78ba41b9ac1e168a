// SPDX-License-Identifier: Apache-2.0
#include <tributary/network/switching/channel_switch.h>

#include <algorithm>
#include <string>

#include <tributary/network/routing/routing_table.h>
#include <tributary/sim/error.h>
#include <tributary/sim/parameters.h>

namespace tributary {
namespace {

std::uint32_t lowest_bit(channel_plan::mask_t mask) {
  return static_cast<std::uint32_t>(__builtin_ctz(mask));
}

/// Of the numbers below `count`.
std::uint32_t bits_for(std::uint32_t count) {
  std::uint32_t bits = 0;
  while (1U << bits < count) ++bits;
  return bits;
}

/// How far behind `turn` a number below `count` is, going around.
std::uint32_t behind_turn(std::uint32_t number, std::uint32_t turn, std::uint32_t count) {
  return number >= turn ? number - turn : number + count - turn;
}

std::uint32_t following(std::uint32_t number, std::uint32_t count) {
  return number + 1 == count ? 0 : number + 1;
}

/// Whether one packet was sent before another; numbers wrap around.
bool is_older(std::uint32_t age, std::uint32_t other) { return age - other > 0x80000000U; }

}  // namespace

// --- configuration -------------------------------------------------------------------------------

void channel_switch_config::bind(parameter_set& parameters) {
  using u32 = tributary::interval<std::uint32_t>;
  parameters.add("number", channels, u32{1, most_virtual_channels}, "channels",
                 "Virtual channels of each link, shared by the classes of the routing table.");
  parameters.add("buffer_flits", buffer_flits, u32{1, 65535}, "flits",
                 "Buffer behind each virtual channel.");
  parameters.add_choice(
      "discipline", switching,
      {{"wormhole", flit_switching::wormhole}, {"cut_through", flit_switching::cut_through}},
      "Whether a head goes on if there is room for a flit, or only if there is "
      "room for the whole packet.");
  parameters.add_choice(
      "crossbar_inputs", inputs,
      {{"per_port", crossbar_inputs::per_port}, {"per_channel", crossbar_inputs::per_channel}},
      "Whether one flit of a link crosses a switch in a cycle, or one of each "
      "virtual channel.");
  parameters.add_choice("route_choice", choice,
                        {{"free", route_choice::free}, {"drawn", route_choice::drawn}},
                        "Which of several ways on is taken: one whose channel is free, or one that "
                        "is drawn.");
  parameters.add("routing_cycles", routing_cycles, u32{0, 1000}, "cycles",
                 "Route computation of a head; 0: the switch before has done it.");
  parameters.add("channel_allocation_cycles", channel_allocation_cycles, u32{1, 1000}, "cycles",
                 "Allocation of a virtual channel to a head.");
  parameters.add("switch_allocation_cycles", switch_allocation_cycles, u32{1, 1000}, "cycles",
                 "Allocation of the crossbar to a flit.");
  parameters.add("traversal_cycles", traversal_cycles, u32{0, 1000}, "cycles",
                 "A flit's way through the crossbar.");
  parameters.add("link_cycles", link_cycles, u32{1, 1000}, "cycles",
                 "A flit's way over a link between switches.");
  parameters.add("host_link_cycles", host_link_cycles, u32{1, 1000}, "cycles",
                 "A flit's way over a link of a host.");
  parameters.add("credit_cycles", credit_cycles, u32{0, 1000}, "cycles",
                 "From when a credit has crossed the link to its use.");
  parameters.add("misroute_limit", misroute_limit, u32{1, 255}, "hops",
                 "With adaptive routing: hops without getting nearer before a packet stays on the "
                 "escape channels.");
}

void channel_switch_config::validate(std::uint32_t longest) const {
  check_part("network.channels", [this] { check_ranges(*this); });
  if (switching == flit_switching::wormhole || buffer_flits >= longest) return;
  throw configuration_error({"network.channels.buffer_flits", "",
                             "a buffer of " + std::to_string(buffer_flits) +
                                 " flits does not hold the longest packet, as cut-through needs",
                             std::to_string(longest) + " or more",
                             "make the buffer longer, or choose wormhole switching"});
}

channel_switch_counts& channel_switch_counts::operator+=(const channel_switch_counts& other) {
  heads += other.heads;
  waited += other.waited;
  stalled += other.stalled;
  adaptive += other.adaptive;
  escapes += other.escapes;
  misroutes += other.misroutes;
  discards += other.discards;
  return *this;
}

// --- from outside --------------------------------------------------------------------------------

channel_switch::channel_switch(const channel_switch_config& config, const channel_plan& plan,
                               const std::vector<bool>& hosts, std::uint32_t lanes,
                               std::uint32_t number)
    : channels_(plan.channels()),
      bits_(bits_for(channels_)),
      lanes_(lanes),
      buffer_(config.buffer_flits),
      head_timer_(config.head_cycles() - 1),
      per_channel_(config.inputs == crossbar_inputs::per_channel),
      oldest_first_(config.arbiter == arbiter_kind::oldest_first),
      hosts_(hosts.begin(), hosts.end()),
      inputs_(hosts.size() << bits_),
      flits_(inputs_.size() * buffer_),
      outputs_(inputs_.size()),
      ports_(hosts.size()),
      places_(hosts.size() * lanes_),
      holds_(hosts.size()),
      sent_(inputs_.size()),
      draws_(config.seed, number, static_cast<std::uint32_t>(purpose::routes)) {
  for (output_channel& each : outputs_) each.credits = buffer_;
}

void channel_switch::accept(std::uint32_t port, const channel_flit& flit,
                            channel_switch_output& out) {
  const std::uint32_t input = index_of(port, flit.channel);
  input_channel& in = inputs_[input];
  if (in.use == input_use::discarding && flit.head) in.use = input_use::idle;
  // A switch that was off may get the rest of a packet.
  if (in.use == input_use::idle && !flit.head) in.use = input_use::discarding;
  if (in.use == input_use::discarding) {
    out.credits.push_back({static_cast<std::uint8_t>(port), flit.channel});
    if (!flit.tail) return;
    out.discarded.push_back(flit);
    in.use = input_use::idle;
    return;
  }
  if (in.count == buffer_) {
    throw simulation_error("a switch got a flit by port " + std::to_string(port) +
                           ", virtual channel " + std::to_string(flit.channel) +
                           ", without room for it: a credit was given twice");
  }
  flits_[place_of(input, in.count++)] = flit;
  if (in.use == input_use::idle) {
    ++packets_;
    begin_head(input);
  } else if (in.use == input_use::active && in.count == 1) {
    ports_[port].active |= 1U << flit.channel;
  }
}

std::uint32_t channel_switch::hold(std::uint32_t port, std::uint32_t cycles) {
  const std::uint32_t before = holds_[port];
  if (before == 0 && cycles != 0) ++held_ports_;
  holds_[port] += cycles;
  return before;
}

void channel_switch::step(const channel_switch_config& config, const channel_plan& plan,
                          const switch_routes& routes, std::uint32_t here,
                          channel_switch_scratch& scratch, channel_switch_output& out) {
  const std::uint32_t asking = allocate_channels(config, plan, routes, here, scratch, out);
  allocate_crossbar(scratch, out);
  const std::uint32_t given = give_channels(plan, routes, scratch);
  counts_.heads.add(given);
  counts_.waited.add(asking - given);
  if (held_ports_ != 0) count_down_holds();
}

void channel_switch::count_down_holds() {
  for (std::uint32_t& each : holds_) {
    if (each != 0 && --each == 0) --held_ports_;
  }
}

void channel_switch::clear(std::vector<channel_flit>& flits, channel_switch_output& out) {
  for (std::uint32_t input = 0; input < inputs_.size(); ++input) {
    while (inputs_[input].count != 0) {
      flits.push_back(front(input));
      pop(input, out);
    }
    inputs_[input].use = input_use::idle;
  }
  for (port_state& each : ports_) each.waiting = each.active = each.held = 0;
  packets_ = 0;
}

bool channel_switch::truncate(std::uint32_t port, std::uint32_t channel, std::uint32_t packet) {
  const std::uint32_t input = index_of(port, channel);
  input_channel& in = inputs_[input];
  for (std::uint32_t i = in.count; i-- != 0;) {
    channel_flit& each = flits_[place_of(input, i)];
    if (each.packet != packet) continue;
    each.tail = true;
    return true;
  }
  if (in.use == input_use::active) {
    ports_[in.out_port].held &= ~(1U << in.out_channel);
    --packets_;
  }
  in.use = input_use::idle;
  return false;
}

void channel_switch::reset_statistics() {
  counts_.reset();
  std::fill(sent_.begin(), sent_.end(), 0);
}

std::vector<std::pair<std::uint8_t, channel_plan::mask_t>> channel_switch::ways_of_head(
    const channel_switch_config& config, const channel_plan& plan, const switch_routes& routes,
    std::uint32_t here, std::uint32_t port, std::uint32_t channel) const {
  const std::uint32_t input = index_of(port, channel);
  std::vector<channel_switch_scratch::way> ways;
  find_ways(config, plan, routes, here, input, inputs_[input].drawn, ways);
  if (routes.adaptive() && front(input).destination != here) {
    find_escape(plan, routes, input, ways);
  }
  std::vector<std::pair<std::uint8_t, channel_plan::mask_t>> all;
  for (const auto& each : ways) all.emplace_back(each.port, each.channels);
  return all;
}

// --- buffers -------------------------------------------------------------------------------------

void channel_switch::begin_head(std::uint32_t input) {
  input_channel& in = inputs_[input];
  in.use = input_use::waiting;
  in.timer = head_timer_;
  in.drawn = 0;
  ports_[port_of(input)].waiting |= 1U << channel_of(input);
}

void channel_switch::pop(std::uint32_t input, channel_switch_output& out) {
  input_channel& in = inputs_[input];
  in.first = following(in.first, buffer_);
  --in.count;
  out.credits.push_back(
      {static_cast<std::uint8_t>(port_of(input)), static_cast<std::uint8_t>(channel_of(input))});
}

void channel_switch::discard_front(std::uint32_t input, channel_switch_output& out) {
  input_channel& in = inputs_[input];
  ports_[port_of(input)].waiting &= ~(1U << channel_of(input));
  ++counts_.discards;
  in.use = input_use::discarding;
  while (in.count != 0 && in.use == input_use::discarding) {
    const channel_flit flit = front(input);
    pop(input, out);
    if (!flit.tail) continue;
    out.discarded.push_back(flit);
    in.use = input_use::idle;
  }
  if (in.count != 0) return begin_head(input);
  --packets_;
}

// --- virtual channels ----------------------------------------------------------------------------

channel_plan::mask_t channel_switch::free_channels(const channel_switch_config& config,
                                                   std::uint32_t port, channel_plan::mask_t of,
                                                   const channel_flit& head,
                                                   bool with_credit) const {
  channel_plan::mask_t found = of & ~ports_[port].held;
  if (is_host(port)) return places(port, head.lane) != 0 ? found : 0;
  std::uint32_t least = with_credit ? 1 : 0;
  if (config.switching == flit_switching::cut_through) least = head.flits;
  if (least == 0) return found;
  for (channel_plan::mask_t rest = found; rest != 0; rest &= rest - 1) {
    const std::uint32_t channel = lowest_bit(rest);
    if (credits(port, channel) < least) found &= ~(1U << channel);
  }
  return found;
}

void channel_switch::find_ways(const channel_switch_config& config, const channel_plan& plan,
                               const switch_routes& routes, std::uint32_t here, std::uint32_t input,
                               std::uint32_t drawn,
                               std::vector<channel_switch_scratch::way>& ways) const {
  const channel_flit& head = front(input);
  if (head.destination == here) {
    ways.push_back({head.host_port, plan.of_network(plan.network_of(head.lane))});
    return;
  }
  const std::uint32_t port = port_of(input);
  const std::uint32_t its_class = is_host(port) ? 0 : plan.class_of(channel_of(input));
  if (routes.adaptive()) {
    const bool escaped = !is_host(port) && its_class != channel_plan::adaptive_class;
    // Only whole packets in buffers are free to leave the escape again.
    if (head.misroutes >= config.misroute_limit ||
        (escaped && config.switching == flit_switching::wormhole)) {
      return;
    }
    const std::uint8_t* const end = routes.minimal_end(head.destination);
    for (const std::uint8_t* each = routes.minimal_begin(head.destination); each != end; ++each) {
      ways.push_back({*each, plan.adaptive_of(plan.network_of(head.lane))});
    }
    return;
  }
  const std::uint32_t phase = is_host(port) ? 0 : routes.phase_of_input(port, its_class);
  const route_set hops = routes.ways_on(phase, head.destination);
  if (drawn != 0 && drawn <= hops.size()) {
    const route_hop& one = hops[drawn - 1];
    ways.push_back({one.port, plan.of_class(plan.network_of(head.lane), one.virtual_channel)});
    return;
  }
  for (const route_hop& each : hops) {
    ways.push_back({each.port, plan.of_class(plan.network_of(head.lane), each.virtual_channel)});
  }
}

void channel_switch::find_escape(const channel_plan& plan, const switch_routes& routes,
                                 std::uint32_t input,
                                 std::vector<channel_switch_scratch::way>& ways) const {
  const channel_flit& head = front(input);
  const std::uint32_t port = port_of(input);
  const std::uint32_t its_class = plan.class_of(channel_of(input));
  // Where a packet escapes it begins in phase 0: nothing that waits depends on how it came.
  const bool escaped = !is_host(port) && its_class != channel_plan::adaptive_class;
  const std::uint32_t phase = escaped ? routes.phase_of_input(port, its_class) : 0;
  for (const route_hop& each : routes.ways_on(phase, head.destination)) {
    ways.push_back({each.port, plan.of_class(plan.network_of(head.lane), each.virtual_channel)});
  }
}

/// How many heads ask.
std::uint32_t channel_switch::allocate_channels(const channel_switch_config& config,
                                                const channel_plan& plan,
                                                const switch_routes& routes, std::uint32_t here,
                                                channel_switch_scratch& scratch,
                                                channel_switch_output& out) {
  scratch.channels_asked_.clear();
  std::uint32_t asking = 0;
  for (std::uint32_t port = 0; port < ports_.size(); ++port) {
    for (channel_plan::mask_t rest = ports_[port].waiting; rest != 0; rest &= rest - 1) {
      const std::uint32_t input = index_of(port, lowest_bit(rest));
      if (inputs_[input].timer != 0) {
        --inputs_[input].timer;
        continue;
      }
      if (ask_for_channel(config, plan, routes, here, input, scratch)) {
        ++asking;
      } else {
        discard_front(input, out);
      }
    }
  }
  return asking;
}

/// False if there is no way on.
bool channel_switch::ask_for_channel(const channel_switch_config& config, const channel_plan& plan,
                                     const switch_routes& routes, std::uint32_t here,
                                     std::uint32_t input, channel_switch_scratch& scratch) {
  input_channel& in = inputs_[input];
  const channel_flit& head = front(input);
  std::vector<channel_switch_scratch::way>& ways = scratch.ways_;
  ways.clear();
  find_ways(config, plan, routes, here, input, in.drawn, ways);
  if (config.choice == route_choice::drawn && ways.size() > 1 && !routes.adaptive()) {
    in.drawn = static_cast<std::uint8_t>(1 + draws_.below(ways.size()));
    ways[0] = ways[in.drawn - 1U];
    ways.resize(1);
  }
  const std::uint32_t count = static_cast<std::uint32_t>(outputs_.size());
  std::uint32_t chosen = channel_switch_scratch::none;
  std::uint32_t least = count;
  const auto choose = [&](const channel_switch_scratch::way& way) {
    const channel_plan::mask_t free =
        free_channels(config, way.port, way.channels, head, routes.adaptive());
    if (free == 0) return;
    const std::uint32_t base = index_of(way.port, 0);
    channel_plan::mask_t first = free;
    if (in.turn > base && in.turn < base + channels_) {
      first = free >> (in.turn - base) << (in.turn - base);
      if (first == 0) first = free;
    }
    const std::uint32_t output = base + lowest_bit(first);
    const std::uint32_t behind = behind_turn(output, in.turn, count);
    if (behind >= least) return;
    least = behind;
    chosen = output;
  };
  for (const channel_switch_scratch::way& each : ways) choose(each);
  if (routes.adaptive() && chosen == channel_switch_scratch::none && head.destination != here) {
    ways.clear();
    find_escape(plan, routes, input, ways);
    for (const channel_switch_scratch::way& each : ways) choose(each);
  }
  if (ways.empty()) {
    if (routes.waits(head.destination)) return true;
    if (config.without_route == lost_route::discard) return false;
    throw simulation_error("switch " + std::to_string(here) + " has no way on to switch " +
                           std::to_string(head.destination) + " for a packet that came by port " +
                           std::to_string(port_of(input)) + ", virtual channel " +
                           std::to_string(channel_of(input)));
  }
  if (chosen == channel_switch_scratch::none) return true;
  std::uint32_t& winner = scratch.asks_channel_[chosen];
  if (winner == channel_switch_scratch::none) {
    scratch.channels_asked_.push_back(chosen);
    winner = input;
  } else if (comes_first(input, winner, outputs_[chosen].turn, count)) {
    winner = input;
  }
  return true;
}

/// Of input channels. The front of both is a head, or a flit that asks for the crossbar.
bool channel_switch::comes_first(std::uint32_t input, std::uint32_t other, std::uint32_t turn,
                                 std::uint32_t count) const {
  if (oldest_first_) return is_older(front(input).age, front(other).age);
  return behind_turn(input, turn, count) < behind_turn(other, turn, count);
}

/// How many were given.
std::uint32_t channel_switch::give_channels(const channel_plan& plan, const switch_routes& routes,
                                            channel_switch_scratch& scratch) {
  const std::uint32_t count = static_cast<std::uint32_t>(outputs_.size());
  std::uint32_t given = 0;
  for (const std::uint32_t output : scratch.channels_asked_) {
    const std::uint32_t input = scratch.asks_channel_[output];
    scratch.asks_channel_[output] = channel_switch_scratch::none;
    const std::uint32_t port = port_of(output);
    const std::uint32_t channel = channel_of(output);
    const channel_flit& head = front(input);
    if (is_host(port)) {
      // Several channels of a host's port are given in a cycle, and there may be one place.
      if (!take_place(port, head.lane)) continue;
    } else {
      count_hop(plan, routes, input, port, channel);
    }
    input_channel& in = inputs_[input];
    outputs_[output].holder = input;
    outputs_[output].turn = following(input, count);
    ports_[port].held |= 1U << channel;
    in.turn = following(output, count);
    in.use = input_use::active;
    in.packet = head.packet;
    in.out_port = static_cast<std::uint8_t>(port);
    in.out_channel = static_cast<std::uint8_t>(channel);
    port_state& from = ports_[port_of(input)];
    from.waiting &= ~(1U << channel_of(input));
    from.active |= 1U << channel_of(input);
    ++given;
  }
  return given;
}

void channel_switch::count_hop(const channel_plan& plan, const switch_routes& routes,
                               std::uint32_t input, std::uint32_t port, std::uint32_t channel) {
  if (!routes.adaptive()) return;
  if (plan.class_of(channel) == channel_plan::adaptive_class) {
    ++counts_.adaptive;
    return;
  }
  ++counts_.escapes;
  channel_flit& head = flits_[place_of(input, 0)];
  if (routes.is_minimal(port, head.destination)) return;
  ++counts_.misroutes;
  if (head.misroutes != 255) ++head.misroutes;
}

// --- crossbar ------------------------------------------------------------------------------------

void channel_switch::allocate_crossbar(channel_switch_scratch& scratch,
                                       channel_switch_output& out) {
  scratch.ports_asked_.clear();
  for (std::uint32_t port = 0; port < ports_.size(); ++port) {
    if (ports_[port].active != 0) ask_for_crossbar(port, scratch);
  }
  for (const std::uint32_t port : scratch.ports_asked_) {
    const std::uint32_t input = scratch.asks_port_[port];
    scratch.asks_port_[port] = channel_switch_scratch::none;
    send(input, out);
  }
}

void channel_switch::ask_for_crossbar(std::uint32_t port, channel_switch_scratch& scratch) {
  const port_state& from = ports_[port];
  const std::uint32_t ports = static_cast<std::uint32_t>(ports_.size());
  std::uint32_t chosen = channel_switch_scratch::none;
  std::uint32_t least = 0;
  std::uint32_t stalled = 0;
  for (channel_plan::mask_t rest = from.active; rest != 0; rest &= rest - 1) {
    const std::uint32_t channel = lowest_bit(rest);
    const std::uint32_t input = index_of(port, channel);
    const input_channel& in = inputs_[input];
    if (holds_[in.out_port] != 0) continue;
    if (!is_host(in.out_port) && credits(in.out_port, in.out_channel) == 0) {
      ++stalled;
      continue;
    }
    if (per_channel_) {
      ask_for_port(input, scratch);
      continue;
    }
    // The output port in turn first; of the channels that want it, the one in turn.
    const std::uint32_t behind = behind_turn(in.out_port, from.out_turn, ports) * channels_ +
                                 behind_turn(channel, from.channel_turn, channels_);
    const bool first =
        chosen == channel_switch_scratch::none ||
        (oldest_first_ ? is_older(front(input).age, front(chosen).age) : behind < least);
    if (!first) continue;
    chosen = input;
    least = behind;
  }
  counts_.stalled.add(stalled);
  if (chosen != channel_switch_scratch::none) ask_for_port(chosen, scratch);
}

void channel_switch::ask_for_port(std::uint32_t input, channel_switch_scratch& scratch) {
  const std::uint32_t port = inputs_[input].out_port;
  std::uint32_t& winner = scratch.asks_port_[port];
  if (winner == channel_switch_scratch::none) {
    scratch.ports_asked_.push_back(port);
    winner = input;
  } else if (comes_first(input, winner, ports_[port].in_turn,
                         static_cast<std::uint32_t>(inputs_.size()))) {
    winner = input;
  }
}

void channel_switch::send(std::uint32_t input, channel_switch_output& out) {
  input_channel& in = inputs_[input];
  const std::uint32_t port = port_of(input);
  const std::uint32_t channel = channel_of(input);
  const std::uint32_t output = index_of(in.out_port, in.out_channel);
  const std::uint32_t ports = static_cast<std::uint32_t>(ports_.size());
  out.flits.push_back({in.out_port, front(input)});
  out.flits.back().flit.channel = in.out_channel;
  const bool tail = out.flits.back().flit.tail;
  if (!is_host(in.out_port)) --outputs_[output].credits;
  ++sent_[output];
  port_state& from = ports_[port];
  from.out_turn = following(in.out_port, ports);
  from.channel_turn = following(channel, channels_);
  // By input channels; a turn that begins with the next port is one of input ports.
  ports_[in.out_port].in_turn = per_channel_
                                    ? following(input, static_cast<std::uint32_t>(inputs_.size()))
                                    : index_of(following(port, ports), 0);
  pop(input, out);
  if (tail) {
    ports_[in.out_port].held &= ~(1U << in.out_channel);
    from.active &= ~(1U << channel);
    if (in.count != 0) return begin_head(input);
    in.use = input_use::idle;
    --packets_;
  } else if (in.count == 0) {
    from.active &= ~(1U << channel);
  }
}

}  // namespace tributary
