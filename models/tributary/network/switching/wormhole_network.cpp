// SPDX-License-Identifier: Apache-2.0
#include <tributary/network/switching/wormhole_network.h>

#include <algorithm>
#include <string>
#include <utility>

#include <tributary/sim/error.h>
#include <tributary/sim/state_archive.h>

namespace tributary {
namespace {

void refuse(bool wanted, const char* key, const std::string& problem, const char* allowed) {
  if (!wanted) return;
  throw configuration_error(
      {key, "", problem, allowed, "change it, or choose another network.kind"});
}

const message_network_config& checked(const message_network_config& config,
                                      std::uint32_t buffer_bytes, const network_graph* graph,
                                      const routing_table& table) {
  require_table_of(graph, table);
  wormhole_network::validate(config, buffer_bytes, graph->hosts());
  refuse(table.virtual_channels() != 1, "network.routing",
         table.name() + " needs several virtual channels of each link", "a table of one");
  return config;
}

wormhole_config flow_of(const message_network_config& config, std::uint32_t buffer_bytes,
                        std::uint32_t header_cycles) {
  const std::uint64_t flits = config.clock.cycles_of(buffer_bytes, config.rate());
  return {static_cast<std::uint32_t>(flits), config.hop_latency,
          static_cast<std::uint32_t>(config.gap_cycles()), header_cycles};
}

/// Switches give their links and the channels to their hosts; those from hosts have one sender.
std::vector<std::uint32_t> switches_of_channels(const network_graph& graph) {
  std::vector<std::uint32_t> made;
  for (std::uint32_t c = 0; c < graph.channels(); ++c) made.push_back(index(graph.source(c).at));
  made.insert(made.end(), graph.hosts(), wormhole_flow::no_switch);
  for (std::uint32_t h = 0; h < graph.hosts(); ++h) {
    made.push_back(index(graph.switch_of(host_id{h})));
  }
  return made;
}

}  // namespace

void wormhole_network::validate(const message_network_config& config, std::uint32_t buffer_bytes,
                                std::uint32_t hosts) {
  config.validate_for_graph(hosts);
  refuse(config.broadcast, "network.broadcast", "wormhole switches make no copies", "false");
  refuse(config.reorder_window != 0, "network.reorder_window",
         "messages of a wormhole network keep their order", "0");
  refuse(config.router_latency != 0, "network.router_latency",
         "the time of a wormhole switch is network.hop_latency", "0");
  refuse(config.router_buffer_bytes != 0, "network.router_buffer_bytes",
         "wormhole switches have network.buffer_bytes behind each channel", "0");
  refuse(config.endpoint_buffer_bytes != 0, "network.endpoint_buffer_bytes",
         "hosts of a wormhole network take what comes", "0");
  refuse(config.base_latency <= config.hop_latency, "network.base_latency",
         std::to_string(config.base_latency) + " cycles over a switch that takes " +
             std::to_string(config.hop_latency),
         "more than network.hop_latency");
  const std::uint32_t flits = flow_of(config, buffer_bytes, 0).buffer_flits;
  refuse(flits < config.hop_latency, "network.buffer_bytes",
         "a buffer of " + std::to_string(flits) + " cycles is shorter than the " +
             std::to_string(config.hop_latency) + " of a hop, so messages would stop and go",
         "so many bytes that they take network.hop_latency cycles or more");
}

wormhole_network::wormhole_network(const message_network_config& config, std::uint32_t buffer_bytes,
                                   std::shared_ptr<const network_graph> graph,
                                   const routing_table& table, std::optional<std::uint64_t> seed,
                                   std::uint32_t header_cycles)
    : message_network(checked(config, buffer_bytes, graph.get(), table), graph->hosts()),
      graph_(std::move(graph)),
      routes_(table, seed),
      flow_(agenda_, flow_of(config, buffer_bytes, header_cycles),
            graph_->channels() + 2 * graph_->hosts(), *this, switches_of_channels(*graph_)),
      free_at_(nodes()),
      held_(std::size_t{nodes()} * config.lanes),
      times_(graph_->channels() + 2 * nodes()) {
  number_links();
}

void wormhole_network::number_links() {
  watched_.nodes = nodes();
  link_numbers_.resize(graph_->channels());
  std::uint32_t next = 2 * nodes();
  for (std::uint32_t s = 0; s < graph_->switches(); ++s) {
    const std::vector<neighbour_link>& to = graph_->neighbours(switch_id{s});
    watched_.of_router.push_back(static_cast<std::uint32_t>(to.size()));
    for (const neighbour_link& each : to) link_numbers_[each.channel] = next++;
  }
}

std::vector<std::uint32_t> wormhole_network::route(node_id from, node_id to) const {
  const host_id source{index(from)};
  const host_id destination{index(to)};
  std::vector<std::uint32_t> channels{graph_->channels() + index(from)};
  switch_id at = graph_->switch_of(source);
  for (const route_hop& each : routes_.route(at, graph_->switch_of(destination))) {
    const std::uint32_t channel = graph_->channel_from({at, each.port});
    channels.push_back(channel);
    at = graph_->target(channel).at;
  }
  channels.push_back(graph_->channels() + nodes() + index(to));
  return channels;
}

bool wormhole_network::ready(node_id node, std::uint8_t, cycle_t now) const {
  return free_at_[index(node)] <= now;
}

void wormhole_network::send(const network_transfer& transfer, cycle_t now) {
  check_transfer(transfer, now);
  std::vector<std::uint32_t> channels = route(transfer.source, transfer.destination);
  const std::size_t hops = channels.size();
  free_at_[index(transfer.source)] = never;
  const auto flits = static_cast<std::uint32_t>(wire_cycles(transfer.bytes));
  const std::uint32_t number = flow_.send(flits, std::move(channels), now);
  if (number >= messages_.size()) messages_.resize(number + 1);
  messages_[number] = {transfer, now, hops};
}

void wormhole_network::head_crosses(std::uint32_t packet, std::size_t hop, cycle_t at) {
  times_[flow_.channel_of(packet, hop)].begin(at);
  const flying_message& message = messages_[packet];
  if (hop + 1 != message.hops) return;
  const network_transfer transfer = message.transfer;
  const std::size_t switches = message.hops - 1;
  const cycle_t head = at + config_.base_latency - config_.hop_latency;
  const cycle_t least = config_.base_latency + (switches - 1) * config_.hop_latency;
  count_delivery(transfer, head - message.sent, head - message.sent - least);
  switches_.add(switches);
  ++held_[place_of(transfer.destination, transfer.lane)];
  deliver(transfer, head, at);
}

void wormhole_network::tail_crossed(std::uint32_t packet, std::size_t hop, cycle_t at) {
  times_[flow_.channel_of(packet, hop)].end(at + config_.gap_cycles());
  if (!watched_.observers.empty()) tell(packet, hop, at);
  if (hop != 0) return;
  const node_id source = messages_[packet].transfer.source;
  const cycle_t free = std::max(at + config_.gap_cycles(), now() + 1);
  free_at_[index(source)] = free;
  if (endpoint(source) == nullptr) return;
  for (std::uint8_t lane = 0; lane < lanes(); ++lane) endpoint(source)->room(lane, free);
}

void wormhole_network::tell(std::uint32_t packet, std::size_t hop, cycle_t last) const {
  const flying_message& message = messages_[packet];
  link_event crossed;
  crossed.cycle = flow_.head_of(packet, hop);
  crossed.last = last;
  crossed.transfer = message.transfer;
  const auto router_of = [this](node_id host) {
    return node_id{index(graph_->switch_of(host_id{index(host)}))};
  };
  if (hop == 0) {
    crossed.from = message.transfer.source;
    crossed.to = router_of(crossed.from);
    crossed.number = index(crossed.from);
  } else if (hop + 1 == message.hops) {
    crossed.kind = link_kind::ejection;
    crossed.to = message.transfer.destination;
    crossed.from = router_of(crossed.to);
    crossed.number = nodes() + index(crossed.to);
  } else {
    const std::uint32_t channel = flow_.channel_of(packet, hop);
    crossed.kind = link_kind::hop;
    crossed.from = node_id{index(graph_->source(channel).at)};
    crossed.to = node_id{index(graph_->target(channel).at)};
    crossed.number = link_numbers_[channel];
  }
  watched_.observers.notify(crossed);
}

void wormhole_network::give_back(node_id node, std::uint8_t lane, cycle_t now) {
  check_node(node, lane, now);
  std::uint32_t& held = held_[place_of(node, lane)];
  if (held == 0) {
    fail(now, lane_of_node(node, lane) + " gives back a place although it holds no message");
  }
  --held;
}

std::vector<network_transfer> wormhole_network::waiting() const {
  std::vector<network_transfer> all;
  for (std::uint32_t number = 0; number < messages_.size(); ++number) {
    if (flow_.waits_for(number)) all.push_back(messages_[number].transfer);
  }
  return all;
}

std::string wormhole_network::circle() const {
  std::string text;
  for (const std::uint32_t each : flow_.circle()) {
    text += (text.empty() ? "" : ", ") + channel_text(each);
  }
  return text;
}

std::string wormhole_network::channel_text(std::uint32_t channel) const {
  if (channel < graph_->channels()) return graph_->channel_text(channel);
  const std::uint32_t host = channel - graph_->channels();
  return host < nodes() ? "out of host " + std::to_string(host)
                        : "into host " + std::to_string(host - nodes());
}

void wormhole_network::reset_statistics() {
  statistics_since_ = now();
  for (channel_times& each : times_) each.reset(now());
  by_lane_.assign(lanes(), {});
  switches_.reset();
}

void wormhole_network::report(statistics_group& group, std::uint64_t) const {
  report_lanes(group);
  group.add("switches", switches_, "switches", "That a message crossed.");
}

network_use wormhole_network::use() const {
  network_use found;
  found.cycles = now() - statistics_since_;
  const auto part_of = [&](std::size_t channel) {
    if (found.cycles == 0) return 0.0;
    return static_cast<double>(times_[channel].busy(now())) / static_cast<double>(found.cycles);
  };
  const std::uint32_t links = graph_->channels();
  for (std::uint32_t c = 0; c < links; ++c) found.channels.push_back(part_of(c));
  for (std::uint32_t n = 0; n < nodes(); ++n) {
    found.from_hosts.push_back(part_of(links + n));
    found.to_hosts.push_back(part_of(links + nodes() + n));
  }
  return found;
}

std::string wormhole_network::save() const {
  return save_state(agenda_.save(), flow_.save(), save_state(*this));
}

void wormhole_network::restore(const std::string& state) {
  const std::size_t places = held_.size();
  const std::size_t channels_before = times_.size();
  const std::size_t nodes_before = free_at_.size();
  const std::size_t lanes_before = by_lane_.size();
  std::string wakeups;
  std::string flow;
  std::string own;
  restore_state(state, wakeups, flow, own);
  restore_state(own, *this);
  require_state(held_.size() == places && times_.size() == channels_before &&
                    free_at_.size() == nodes_before && by_lane_.size() == lanes_before,
                "the network has another shape");
  flow_.restore(flow);
  agenda_.restore(wakeups);
}

}  // namespace tributary
