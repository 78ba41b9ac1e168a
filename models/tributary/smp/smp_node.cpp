// SPDX-License-Identifier: Apache-2.0
#include <tributary/smp/smp_node.h>

#include <utility>

#include <fmt/format.h>

#include <tributary/network/message_network.h>
#include <tributary/sim/error.h>
#include <tributary/sim/random_stream.h>
#include <tributary/sim/state_archive.h>
#include <tributary/smp/smp_events.h>
#include <tributary/trace/catalog.h>

namespace tributary {
namespace {

random_stream draws_of(std::uint64_t seed, node_id here, std::uint32_t unit) {
  return {seed, index(here) * 2 + unit, static_cast<std::uint32_t>(purpose::service)};
}

/// The blocks that protocols check, once they have been initialized.
std::optional<checked_blocks> checked_by(protocol_set& protocols, word_memory& memory) {
  protocols.initialize(memory);
  return protocols.checked();
}

}  // namespace

smp_node::smp_node(const smp_node_config& config, node_id here, std::uint32_t nodes,
                   std::uint64_t seed, network_port& network, message_pool& messages,
                   std::vector<std::unique_ptr<protocol>> protocols)
    : config_((config.validate(nodes), config)),
      here_(here),
      name_("node." + std::to_string(index(here))),
      protocols_(config_.site(here, nodes), std::move(protocols)),
      memory_(config_.level == node_level::bus ? config_.bus_memory() : config_.memory, agenda_,
              here),
      gate_(agenda_, here, network, messages),
      table_(config_.jump_table, protocols_.rules(), config_.addresses, here),
      executor_(here, config_.addresses, handlers_of(protocols_)),
      thread_(agenda_, here, config_.addresses, protocols_, executor_,
              {gate_, memory_, config_.memory.line()}, config_.costs.variation,
              draws_of(seed, here, 0)),
      role_(config_, agenda_, here, table_, thread_, draws_of(seed, here, 1)),
      processors_(config_, agenda_, here, nodes, table_, memory_, thread_, role_,
                  checked_by(protocols_, memory_)),
      blocks_({&role_, &thread_, &gate_, &processors_, &memory_}) {
  require_order(network.reorder_window(), "the protocols of SMP nodes");
  gate_.set_taker(role_);
  thread_.set_client(role_);
  if (config_.level == node_level::bus) {
    put_on_bus();
  } else if (network.combines()) {
    // Operations that wait for a handler wait in the switches, where others can join them.
    gate_.keep_places();
    role_.set_gate(gate_);
  }
}

/// The flags lie behind what protocols keep.
void smp_node::put_on_bus() {
  const line_size line = config_.bus.line();
  const std::uint64_t flags_at = line.next_start(protocols_.storage_end());
  const std::uint64_t wanted = flags_at + shared_flags::bytes(config_.processors, line);
  if (wanted > config_.memory.bytes) {
    throw configuration_error(
        {"node.protocol_bytes", "",
         fmt::format("{} hold less than what protocols and the node keep", config_.protocol_bytes),
         fmt::format("at least {}", config_.protocol_bytes + wanted - config_.memory.bytes),
         "raise it"});
  }
  bus_ = std::make_unique<node_bus>(config_, agenda_, memory_, gate_, role_, thread_, flags_at);
  processors_.put_on_bus(*bus_);
  for (block* const each : bus_->blocks()) blocks_.add(*each);
}

void smp_node::warm(std::uint32_t processor, std::uint64_t from, std::uint64_t bytes) {
  const line_size line = config_.bus.line();
  line_data words{};
  for (std::uint64_t at = from; at < from + bytes; at += line.bytes()) {
    for (std::size_t i = 0; i < line.words(); ++i) words[i] = memory_.read(at + i * word_bytes);
    bus_->processor(processor).warm(at, words);
  }
}

void smp_node::trace(const trace_scope& scope) {
  scope.catalog().set_names(smp_events::handler, protocols_.handler_names());
  scope.catalog().kinds = smp_events::all_kinds();
  blocks_.trace(scope.below(name()));
}

std::string smp_node::save() const { return save_state(agenda_.save(), blocks_.save()); }

void smp_node::restore(const std::string& state) {
  std::string wakeups;
  std::string units;
  restore_state(state, wakeups, units);
  blocks_.restore(units);
  agenda_.restore(wakeups);
}

}  // namespace tributary
