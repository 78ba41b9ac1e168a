// SPDX-License-Identifier: Apache-2.0
#include <tributary/nic/network_interface.h>

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include <tributary/sim/count_down.h>
#include <tributary/sim/error.h>
#include <tributary/sim/log2.h>
#include <tributary/sim/parameters.h>

namespace tributary {

void network_interface_config::bind(parameter_set& parameters) {
  parameters.add("outstanding", outstanding, interval<std::uint32_t>{1, 1024}, "requests",
                 "Requests of one processing element in the network at a time.");
  parameters.add_choice("policy", policy,
                        {{"automatic", issue_policy::automatic},
                         {"unordered", issue_policy::unordered},
                         {"one_per_word", issue_policy::one_per_word}},
                        "Whether several requests of one element to one word may be in the "
                        "network together; automatic is one_per_word for programs and sockets, "
                        "whose requests have an order, and unordered for generated traffic and "
                        "traces.");
}

network_interface_config network_interface_config::resolved(bool program_order) const {
  network_interface_config chosen = *this;
  if (policy == issue_policy::automatic) {
    chosen.policy = program_order ? issue_policy::one_per_word : issue_policy::unordered;
  }
  return chosen;
}

namespace {

/// Log2 of the records of a chunk: enough for `outstanding`, at most 8.
unsigned chunk_bits(std::uint32_t outstanding) { return std::min(3U, log2_of(outstanding)); }
/// The records of all elements, in whole chunks.
std::size_t all_records(std::uint32_t outstanding, std::size_t count) {
  const unsigned bits = chunk_bits(outstanding);
  return (((outstanding - 1) >> bits) + 1) * count << bits;
}

[[noreturn]] void no_word(std::size_t pe, std::uint64_t address, bool in_no_region) {
  throw simulation_error(
      fmt::format("processing element {} asks for address {}, which is {}", pe, address,
                  in_no_region ? "in no region (see addresses.regions)" : "not a multiple of 8"));
}

}  // namespace

network_interface::network_interface(const network_interface_config& config, const address_map& map,
                                     unsigned route_bit, std::uint32_t link_cycles,
                                     std::size_t count)
    : config_((check_ranges(config), config)),
      map_(&map),
      route_bit_(route_bit),
      link_cycles_(link_cycles),
      waiting_(count),
      chunk_bits_(chunk_bits(config.outstanding)),
      records_(all_records(config.outstanding, count)),
      outstanding_(count),
      next_sequence_(count),
      wants_(count),
      link_timer_(count),
      leaving_(count),
      active_(count),
      bound_for_(count),
      watched_(count) {}

const address_region& network_interface::region_of(const address_map& map, std::size_t pe,
                                                   std::uint64_t address) {
  const address_region* region = map.region_of(address);
  if (region != nullptr && address % word_bytes == 0) return *region;
  no_word(pe, address, region == nullptr);
}

void network_interface::offer(std::size_t pe, const access& request, cycle_t now) {
  const address_region& region = region_of(*map_, pe, request.address);
  const mm_id module = map_->module_of(region, request.address);
  if (!offers_.empty()) offers_.notify({now, pe_id{static_cast<std::uint32_t>(pe)}, request});
  ++bound_for_[index(module)];
  if (watched_[index(module)] != 0) watched_offers_.push_back(index(module));
  ++total_waiting_;
  enqueue(pe, request, region, module, now);
}

void network_interface::offer_of_range(std::size_t pe, const access& request, cycle_t now,
                                       request_counts& counted) {
  const address_region& region = region_of(*map_, pe, request.address);
  const mm_id module = map_->module_of(region, request.address);
  // Of any module, so that threads meet here. Nobody reads it before they have come together.
  __atomic_fetch_add(&bound_for_[index(module)], 1, __ATOMIC_RELAXED);
  ++counted.offered;
  enqueue(pe, request, region, module, now);
}

void network_interface::enqueue(std::size_t pe, const access& request, const address_region& region,
                                mm_id module, cycle_t now) {
  queued entry;
  entry.request = packet_of(pe, request, region, module);
  entry.tag = request.tag;
  entry.offered = now;
  entry.warmth = request.warmth;
  const bool local = region.local_port && index(module) == pe;
  const unsigned output = (index(module) >> route_bit_) & 1U;
  entry.wants = static_cast<std::uint8_t>(local ? unsigned{to_local} : 1U << output);
  waiting_[pe].push(entry);
  if (waiting_[pe].size() == 1) refresh(pe);
}

packet network_interface::packet_of(std::size_t pe, const access& request,
                                    const address_region& region, mm_id module) const {
  packet outgoing;
  outgoing.location = location_of(module, request.address);
  outgoing.set_function(request.function);
  outgoing.pe = static_cast<std::uint16_t>(pe);
  outgoing.combinable = region.combinable ? 1 : 0;
  return outgoing;
}

packet network_interface::add_local_loads(std::size_t pe, const access& load,
                                          const local_loads& loads) {
  const address_region& region = region_of(*map_, pe, load.address);
  packet last = packet_of(pe, load, region, map_->module_of(region, load.address));
  next_sequence_[pe] += static_cast<std::uint32_t>(loads.accepted);
  last.sequence = next_sequence_[pe] - 1;
  records_[place(pe, 0)] = record_of(last, load.tag, load.warmth, loads.last);
  offered_wait_.add(0, loads.accepted);
  accepted_.add(loads.accepted);
  if (loads.delivered != 0) {
    latency_classes_.add(load.warmth, last.kind, loads.latency, loads.delivered);
  }
  if (loads.delivered == loads.accepted) return last;
  outstanding_[pe] = 1;
  ++total_outstanding_;
  ++bound_for_[index(last.module())];
  return last;
}

void network_interface::refresh(std::size_t pe) {
  wants_[pe] = 0;
  if (waiting_[pe].empty() || outstanding_[pe] == config_.outstanding) return;
  const queued& head = waiting_[pe].front();
  if (config_.policy == issue_policy::one_per_word) {
    std::size_t at = place(pe, 0);
    for (std::size_t i = 0; i < outstanding_[pe]; at = next_place(at, ++i)) {
      if (records_[at].location == head.request.location) return;
    }
  }
  wants_[pe] = head.wants;
  active_.set(pe);
}

void network_interface::depart(const port_range& elements, const std::uint8_t* request_ready,
                               const std::uint8_t* local_ready) {
  const std::uint8_t* wants = wants_.data();
  const std::uint8_t* link_timer = link_timer_.data();
  std::uint8_t* leaving = leaving_.data();
  active_.for_each_and_keep(elements, [&](std::size_t first, std::size_t last) {
    std::uint8_t busy = 0;
    for (std::size_t pe = first; pe < last; ++pe) {
      const auto network =
          static_cast<std::uint8_t>(link_timer[pe] == 0 ? request_ready[pe] & 3 : 0);
      const std::uint8_t local = local_ready[pe] != 0 ? to_local : 0;
      leaving[pe] = static_cast<std::uint8_t>(wants[pe] & (network | local));
      busy = static_cast<std::uint8_t>(busy | wants[pe] | link_timer[pe]);
    }
    return busy != 0;
  });
}

void network_interface::advance(const port_range& elements) {
  active_.for_each(
      elements, [&](std::size_t first, std::size_t last) { count_down(link_timer_, first, last); });
}

packet network_interface::accept_head(std::size_t pe, cycle_t now, request_counts& counted) {
  const queued& head = waiting_[pe].front();
  packet request = head.request;
  request.sequence = next_sequence_[pe]++;
  ++counted.released;
  counted.waited.add(now - head.offered);
  records_[place(pe, outstanding_[pe])] = record_of(request, head.tag, head.warmth, now);
  ++outstanding_[pe];
  waiting_[pe].pop();
  refresh(pe);
  return request;
}

void network_interface::take(request_counts& counted) {
  offered_wait_ += counted.waited;
  accepted_.add(counted.released);
  total_waiting_ += counted.offered - counted.released;
  total_outstanding_ += counted.released;
  counted = {};
}

std::size_t network_interface::which(std::size_t pe, std::uint32_t sequence) const {
  std::size_t i = 0;
  std::size_t at = place(pe, 0);
  while (i < outstanding_[pe] && records_[at].sequence != sequence) at = next_place(at, ++i);
  return i;
}

std::size_t network_interface::find(std::size_t pe, std::uint32_t sequence) const {
  const std::size_t found = which(pe, sequence);
  if (found < outstanding_[pe]) return found;
  throw simulation_error(fmt::format(
      "processing element {} has no request {} outstanding: lost, duplicated or misrouted", pe,
      sequence));
}

std::optional<asked_request> network_interface::find_request(const request_id& id) const {
  const std::size_t found = which(id.pe, id.sequence);
  if (found == outstanding_[id.pe]) return std::nullopt;
  const record& its = records_[place(id.pe, found)];
  return asked_request{address_of(its.location), its.kind};
}

network_interface::answered network_interface::answer(std::size_t pe, const reply& response,
                                                      cycle_t now) {
  if (response.pe != pe) {
    throw simulation_error("a response for processing element " + std::to_string(response.pe) +
                           " was delivered to " + std::to_string(pe));
  }
  std::size_t i = find(pe, response.sequence);
  std::size_t at = place(pe, i);
  const record its = records_[at];
  --outstanding_[pe];
  while (i < outstanding_[pe]) {
    const std::size_t next = next_place(at, ++i);
    records_[at] = records_[next];
    at = next;
  }
  refresh(pe);
  const completion ended{pe_id{static_cast<std::uint32_t>(pe)}, its.tag, response.value};
  const mm_id module{static_cast<std::uint32_t>(its.location >> location_word_bits)};
  return {{ended, response.id(), its.accepted}, module, now - its.accepted, its.kind, its.warmth};
}

memory_response network_interface::count(const answered& request) {
  --total_outstanding_;
  --bound_for_[index(request.module)];
  latency_classes_.add(request.warmth, request.kind, request.latency);
  return request.response;
}

bool network_interface::idle() const { return total_outstanding_ == 0 && total_waiting_ == 0; }

void network_interface::reset_statistics() {
  latency_classes_.reset();
  offered_wait_.reset();
  accepted_.reset();
}

void network_interface::report_load(statistics_group& group, std::uint64_t cycles) const {
  const double element_cycles = static_cast<double>(cycles) * static_cast<double>(count());
  group.add("accepted_load",
            element_cycles == 0 ? 0.0 : static_cast<double>(accepted_.value()) / element_cycles,
            "requests/element/cycle", "Requests that the network took per element and cycle.");
}

void network_interface::report(statistics_group& group) const {
  group.add("accepted", accepted_, "requests",
            "Requests that the first switch or a local port took.");
  group.add("latency", latency(), "cycles",
            "From the first switch accepting a request to the delivery of its response.");
  group.add("latency_distribution", latency_distribution(), "cycles",
            "Distribution of the latency.");
  latency_classes_.report(group);
  group.add("source_wait", offered_wait_, "cycles",
            "From the cycle in which a request is offered to the first switch accepting it.");
}

}  // namespace tributary
