// SPDX-License-Identifier: Apache-2.0
#include <tributary/network/omega/operation_network.h>

#include <string>

#include <tributary/sim/error.h>

namespace tributary {
namespace {

/// Accesses that a node may have outstanding.
constexpr std::uint32_t tags = 8;

/// FG's designs.
combining_switch_config design_of(combining_design design) {
  combining_switch_config switches;
  if (design == combining_design::baseline) return switches;
  switches.wait_buffer_entries = 100;
  switches.adaptive_limit = 2;
  if (design == combining_design::improved) return switches;
  switches.type = queue_type::a;
  switches.coupled = true;
  return switches;
}

omega_network_config combining_network_of(const message_network_config& config,
                                          std::uint32_t nodes) {
  omega_network_config network;
  network.processing_elements = nodes;
  network.switches = design_of(config.omega.combining);
  // Header and operands, or header and word.
  network.switches.link_cycles = 2 * config.omega.link_cycles;
  network.switches.slots = config.omega.slots;
  return network;
}

}  // namespace

operation_network::operation_network(const message_network_config& config, std::uint32_t nodes)
    : switches_(combining_network_of(config, nodes)),
      asked_(std::size_t{nodes} * tags),
      heading_(nodes) {}

bool operation_network::takes(const network_transfer& transfer) const {
  const std::size_t line = index(transfer.source);
  if (transfer.operation.is == operation_part::answer) return switches_.reply_ready()[line] != 0;
  const unsigned output = (index(transfer.destination) >> switches_.first_route_bit()) & 1U;
  return (switches_.request_ready()[line] >> output & 1U) != 0;
}

void operation_network::move(const std::vector<departure>& requests,
                             const std::vector<departure>& answers, std::vector<arrival>& into) {
  watch observer{*this};
  switches_.advance();
  switches_.move_requests(
      [&](std::size_t, const packet& arrived) { into.push_back(request_at_home(arrived)); },
      observer);
  for (const departure& each : requests) {
    switches_.accept_request(index(each.transfer.source), packet_of(each), observer);
  }
  switches_.move_replies(
      [&](std::size_t, const reply& arrived) { into.push_back(answer_at_asker(arrived)); },
      observer);
  for (const departure& each : answers) {
    switches_.accept_reply(index(each.transfer.source), reply_of(each), observer);
  }
  switches_.settle(observer);
}

operation_network::asked_operation& operation_network::asked(const request_id& id) {
  if (id.sequence >= tags) {
    throw simulation_error("an operation has the tag " + std::to_string(id.sequence) +
                           " (allowed: 0 to " + std::to_string(tags - 1) + ")");
  }
  return asked_[std::size_t{id.pe} * tags + id.sequence];
}

void operation_network::joined(const packet& request) {
  --heading_[index(request.module())];
  --requests_;
}

void operation_network::parted(const reply& response, const request_id& first) {
  asked_operation& second = asked(response.id());
  second.lane = asked(first).lane;
  second.answered = asked(first).answered;
  second.identity = second.transfer.operation.identity;
  ++answers_;
}

packet operation_network::packet_of(const departure& request) {
  const network_operation& operation = request.transfer.operation;
  packet leaving;
  leaving.location = location_of(mm_id{index(request.transfer.destination)}, operation.address);
  leaving.set_function(operation.function);
  leaving.sequence = operation.tag;
  leaving.pe = static_cast<std::uint16_t>(index(request.transfer.source));
  asked_operation& kept = asked(leaving.id());
  kept = {};
  kept.used = true;
  kept.transfer = request.transfer;
  kept.sent = request.sent;
  ++heading_[index(request.transfer.destination)];
  ++requests_;
  return leaving;
}

reply operation_network::reply_of(const departure& answer) {
  const network_operation& operation = answer.transfer.operation;
  reply leaving;
  leaving.value = operation.before;
  leaving.sequence = operation.tag;
  leaving.pe = static_cast<std::uint16_t>(index(answer.transfer.destination));
  asked_operation& first = asked(leaving.id());
  if (!first.used) throw simulation_error("an operation is answered that was not asked for");
  first.lane = answer.transfer.lane;
  first.answered = answer.sent;
  first.identity = operation.identity;
  ++answers_;
  return leaving;
}

operation_network::arrival operation_network::request_at_home(const packet& request) {
  const asked_operation& first = asked(request.id());
  --heading_[index(request.module())];
  --requests_;
  arrival arrived{first.transfer, first.sent};
  arrived.transfer.operation.function = request.function();
  arrived.transfer.bytes = request.b == 0 ? word_bytes : 2 * word_bytes;
  return arrived;
}

operation_network::arrival operation_network::answer_at_asker(const reply& response) {
  asked_operation& kept = asked(response.id());
  arrival arrived{kept.transfer, kept.answered};
  network_transfer& transfer = arrived.transfer;
  transfer.source = kept.transfer.destination;
  transfer.destination = kept.transfer.source;
  transfer.lane = kept.lane;
  transfer.operation.is = operation_part::answer;
  transfer.operation.before = response.value;
  transfer.operation.identity = kept.identity;
  transfer.bytes = word_bytes;
  kept.used = false;
  --answers_;
  return arrived;
}

}  // namespace tributary
