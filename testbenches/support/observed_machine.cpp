// SPDX-License-Identifier: Apache-2.0
#include "observed_machine.h"

#include <algorithm>
#include <sstream>

#include "random_choice.h"
#include "random_switch.h"

namespace tributary::testing {
namespace {

void randomize(memory_config& memory, random_stream& random) {
  memory.interval = one_of(random, {1U, 2U, 4U, 4U, 7U, 40U});
  memory.latency = one_of(random, {1U, 2U, 2U, 3U, 9U, 38U});
  memory.pipeline = one_of(random, {1U, 2U, 3U, 16U});
}

/// One region for the traffic: spread in one way or the other, or the local one of the defaults.
void randomize(address_map_config& addresses, traffic_config& traffic, random_stream& random) {
  traffic.region = random.below(4) == 0 ? "local" : "shared";
  address_region& shared = addresses.regions[0];
  shared.mapping = one_of(random, {region_mapping::interleaved, region_mapping::hashed,
                                   region_mapping::blocked, region_mapping::module});
  shared.combinable = random.below(16) != 0;
}

void randomize(traffic_config& traffic, std::uint32_t elements, random_stream& random) {
  traffic.hot_spot = one_of(random, {0.0, 0.3, 0.9, 1.0, 1.0});
  traffic.hot_words = one_of(random, {1U, 1U, 2U, 5U});
  traffic.hot_module = static_cast<std::uint32_t>(random.below(elements));
  traffic.rows = one_of<std::uint64_t>(random, {1, 2, 10});
  traffic.pattern = one_of(random, {traffic_pattern::uniform, traffic_pattern::uniform,
                                    traffic_pattern::shift, traffic_pattern::transpose,
                                    traffic_pattern::bit_reversal, traffic_pattern::tornado});
  traffic.operations.clear();
  const std::uint64_t kinds = 1 + random.below(6);
  for (std::uint64_t i = 0; i < kinds; ++i) {
    operation_share share;
    share.op = static_cast<operation>(random.below(operation_count));
    share.weight = between(random, 1, 4);
    traffic.operations.push_back(share);
  }
  // Loads ask what the others left behind; without them a lost store would hardly show.
  traffic.operations.push_back({operation::load, 2});
  traffic.operations.push_back({operation::fetch_add, 2});
}

}  // namespace

observed_machine::observed_machine(const ultracomputer_config& config, std::uint64_t seed)
    : machine_(config, seed), asked_(config.workload.traffic, machine_.addresses(), seed) {
  machine_.observers().attach(*this);
}

observed_machine::~observed_machine() { machine_.observers().detach(*this); }

void observed_machine::run(std::uint64_t requests, std::uint64_t cycles) {
  for (std::uint64_t i = 0; i < cycles && accepted() < requests; ++i) machine_.step();
}

void observed_machine::on_event(const trace_event& event) {
  const request_id id = request_of(event.identity);
  if (event.kind == &request_events::accepted) {
    const access asked = asked_.draw(id.pe);
    check_request(event, asked);
    recorder_.accepted(id, asked.address, asked.function, event.cycle);
  } else if (event.kind->joins) {
    recorder_.combined(id, request_of(event.parent));
  } else if (event.kind == &request_events::served) {
    recorder_.served(id);
  } else if (event.kind == &request_events::delivered) {
    recorder_.delivered(id, event.value, event.cycle);
  }
}

void observed_machine::check_request(const trace_event& event, const access& asked) {
  if (event.address == asked.address && request_events::form_of(event) == asked.function.kind &&
      event.value == asked.function.a) {
    return;
  }
  if (problem_.empty()) problem_ = to_string(event.identity) + " is not what its element asked for";
}

history& observed_machine::finish() {
  history& seen = recorder_.seen();
  const ultracomputer_config& config = machine_.config();
  seen.keeps_program_order = config.network.switches.order == match_order::ordered ||
                             config.interface.policy == issue_policy::one_per_word ||
                             config.interface.outstanding == 1;
  seen.final_memory.clear();
  for (const auto& [location, value] : machine_.memories().words().contents()) {
    packet somewhere;
    somewhere.location = location;
    seen.final_memory.emplace_back(somewhere.address(), value);
  }
  std::sort(seen.final_memory.begin(), seen.final_memory.end());
  return seen;
}

ultracomputer_config random_configuration(random_stream& random, std::uint32_t largest) {
  std::uint32_t sizes = 0;
  while ((2U << sizes) <= largest) ++sizes;
  ultracomputer_config config;
  config.network.processing_elements = 2U << random.below(sizes);
  config.network.switches = random_switch(random);
  randomize(config.memory, random);
  config.interface.outstanding = one_of(random, {1U, 2U, 4U, 8U});
  config.interface.policy = one_of(random, {issue_policy::unordered, issue_policy::one_per_word});
  config.processor.turnaround = one_of(random, {1U, 2U, 10U, 25U});
  config.processor.start_window = one_of(random, {1U, 10U, 100U});
  config.workload.kind =
      random.below(5) == 0 ? workload_kind::open_loop : workload_kind::closed_loop;
  config.workload.open_loop.load = one_of(random, {0.02, 0.1, 0.5});
  config.workload.open_loop.source_queue = one_of(random, {1U, 4U, 50U});
  randomize(config.workload.traffic, config.network.processing_elements, random);
  randomize(config.addresses, config.workload.traffic, random);
  // Few bits let compare-and-swaps succeed, many tell every operand apart.
  config.workload.traffic.operand_bits = one_of(random, {2U, 64U});
  return config;
}

std::string to_string(const ultracomputer_config& config) {
  const traffic_config& t = config.workload.traffic;
  std::ostringstream text;
  text << config.network.processing_elements << " elements, " << to_string(config.network.switches)
       << "; memory " << config.memory.interval << '/' << config.memory.latency << '/'
       << config.memory.pipeline << "; outstanding " << config.interface.outstanding
       << (config.interface.policy == issue_policy::unordered ? " unordered" : " one_per_word")
       << "; turnaround " << config.processor.turnaround << ", starts within "
       << config.processor.start_window
       << (config.workload.kind == workload_kind::open_loop ? "; open loop" : "; closed loop")
       << ", hot spot " << t.hot_spot << " on " << t.hot_words << " from module " << t.hot_module
       << ", " << t.rows << " rows of " << t.region << " mapping "
       << static_cast<int>(config.addresses.regions[0].mapping) << ", operations";
  for (const operation_share& share : t.operations) text << ' ' << name_of(share.op);
  return text.str();
}

}  // namespace tributary::testing
