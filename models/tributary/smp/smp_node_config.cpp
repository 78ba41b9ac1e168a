// SPDX-License-Identifier: Apache-2.0
#include <tributary/smp/smp_node_config.h>

#include <fmt/format.h>

#include <tributary/bus/snooping_bus.h>
#include <tributary/sim/error.h>
#include <tributary/sim/parameters.h>

namespace tributary {
namespace {

/// A bit of `masked_interrupts` for each; snooping buses have as many masters.
constexpr std::uint32_t most_processors = 64;

constexpr std::uint64_t every_bit = ~std::uint64_t{0};

/// The bits of so many processors.
constexpr std::uint64_t bits_of(std::uint32_t processors) {
  return every_bit >> (most_processors - processors);
}

[[noreturn]] void refuse(const char* key, const std::string& problem, const std::string& allowed,
                         const std::string& advice) {
  throw configuration_error({key, "", problem, allowed, advice});
}

}  // namespace

void schedule_costs::bind(parameter_set& parameters) {
  const interval<std::uint64_t> cycles{0, 10000000};
  parameters.add("interrupt", interrupt, {2, 10000000}, "cycles",
                 "Delivery of an interrupt and the return from it (section 2: 200 is 1 us).");
  parameters.add("delivery_percent", delivery_percent, {0, 100}, "%",
                 "How much of that is the delivery, before the handlers; the rest is the return "
                 "(section 5: an interrupted thread is delayed for a fixed time, 100).");
  parameters.add("acquire", acquire, cycles, "cycles",
                 "To take the role of the protocol processor, where it is not fixed (section 8).");
  parameters.add("activation", activation, cycles, "cycles",
                 "Of each handler beyond its own time, where the role is not fixed (section 8).");
  parameters.add("migration", migration, cycles, "cycles",
                 "In addition, if another processor ran the handler before (section 8).");
  parameters.add("variation", variation.percent, {0, 99}, "%",
                 "By how much each submit, handler and resume may be longer or shorter, all times "
                 "between equally likely (section 8, rule 1: 10).");
}

/// A hit is a cycle; a miss asks the bus in the cycle in which it is found.
smp_node_config::smp_node_config() {
  memory.bytes = std::uint64_t{32} << 20;
  caches.levels = {{std::uint64_t{1} << 20, 1, bus.line_bytes, 1}};
  caches.miss_cycles = 0;
  caches.retry_cycles = 0;
  caches.replacement_hints = false;
  caches.states = cache_states::moesi;
}

memory_controller_config smp_node_config::bus_memory() const {
  memory_controller_config behind = memory;
  behind.line_bytes = bus.line_bytes;
  return behind;
}

void smp_node_config::validate_bus() const {
  check_part("bus", [&] { bus.validate(); });
  check_part("caches", [&] { caches.validate(); });
  if (caches.last().line_bytes != bus.line_bytes) {
    refuse("caches.levels",
           fmt::format("lines of {} bytes on a bus of others", caches.last().line_bytes),
           fmt::format("bus.line_bytes = {}", bus.line_bytes), "make them alike");
  }
  // Beside the processors stand the network interface and the board of tags.
  constexpr std::uint32_t most_on_bus = static_cast<std::uint32_t>(snooping_bus::most_masters) - 2;
  if (std::uint64_t{processors} + bus_masters > most_on_bus) {
    refuse("processors",
           fmt::format("{} are more than a bus has masters for", processors + bus_masters),
           fmt::format("at most {} where level is bus, with masters without a cache", most_on_bus),
           "lower it");
  }
  if (memory.line_bytes < bus.line_bytes) {
    refuse("memory.line_bytes", fmt::format("{} is less than a line of the bus", memory.line_bytes),
           fmt::format("at least bus.line_bytes = {}", bus.line_bytes), "raise it");
  }
}

void smp_node_config::bind(parameter_set& parameters) {
  using u32 = tributary::interval<std::uint32_t>;
  parameters.add_choice(
      "level", level, {{"constants", node_level::constants}, {"bus", node_level::bus}},
      "Whether what the protocol costs beyond handlers are constants, or accesses "
      "of caches and of the network interface on a bus.");
  parameters.add("processors", processors, u32{1, most_processors}, "processors",
                 "Processors of a node.");
  parameters.add_choice("schedule", schedule,
                        {{"fixed", schedule_kind::fixed},
                         {"floating", schedule_kind::floating},
                         {"single", schedule_kind::single}},
                        "Who runs the protocol: the last processor and nothing else, one that is "
                        "idle or interrupted, or the node's only one (section 1).");
  parameters.add_group("readings", readings, "What the paper leaves open about schedules.");
  parameters.add_group("costs", costs, "What the protocol costs beyond its handlers.");
  parameters.add("masked_interrupts", masked_interrupts, {0, every_bit}, "",
                 "Processors that are never interrupted: bit i for processor i.");
  parameters.add_group("addresses", addresses, "Fields of an address.");
  parameters.add_group("memory", memory,
                       "A node's memory; its lines are payloads and blocks of protocols. Its times "
                       "count at level bus; memory_cycles is that of level constants.");
  parameters.add("protocol_bytes", protocol_bytes, {1024, std::uint64_t{1} << 30}, "bytes",
                 "End of each node's memory that protocols keep their state in.");
  parameters.add("memory_cycles", memory_cycles, {1, 1000000}, "cycles",
                 "From a processor's access to its node's memory until its program goes on.");
  parameters.add_group("jump_table", jump_table, "Table that chooses handlers.");
  parameters.add_group("bus", bus, "Bus of the node, at level bus.");
  parameters.add_group("caches", caches, "Caches of each processor, at level bus.");
  parameters.add_group("interface", interface, "Network interface, at level bus.");
}

protocol_site smp_node_config::site(node_id here, std::uint32_t nodes) const {
  protocol_site offered;
  offered.node = here;
  offered.nodes = nodes;
  offered.storage = memory.bytes - protocol_bytes;
  offered.memory_bytes = memory.bytes;
  offered.line = memory.line();
  if (level == node_level::constants) offered.facilities = {facility::realignment};
  return offered;
}

void smp_node_config::validate(std::uint32_t nodes) const {
  check_ranges(*this);
  check_part("addresses", [&] { addresses.validate(nodes); });
  memory.validate();
  if (level == node_level::bus) {
    validate_bus();
  } else if (bus_masters != 0) {
    refuse("bus_masters", fmt::format("{}, and the node has no bus", bus_masters),
           "0 where level is constants", "choose level = bus");
  }
  if (schedule == schedule_kind::fixed && processors < 2) {
    refuse("processors", "with node.schedule = fixed 1 processor leaves none to compute",
           fmt::format("2 to {}", most_processors), "add one, or choose node.schedule = single");
  }
  if (schedule == schedule_kind::single && processors != 1) {
    refuse("processors", fmt::format("with node.schedule = single there are {}", processors), "1",
           "lower it, or choose node.schedule = floating");
  }
  const std::uint64_t all = bits_of(processors);
  if (schedule != schedule_kind::fixed && (masked_interrupts & all) == all) {
    refuse("masked_interrupts", "masks every processor, so that nobody would run handlers",
           fmt::format("0 to {}, without all of the bits 0 to {}", every_bit, processors - 1),
           "leave one processor unmasked");
  }
  if (protocol_bytes >= memory.bytes) {
    refuse("protocol_bytes", fmt::format("{} leaves programs no memory", protocol_bytes),
           fmt::format("less than memory.bytes = {}", memory.bytes), "lower it");
  }
  if (memory.bytes > addresses.bytes_a_node()) {
    refuse("memory.bytes", fmt::format("{} is more than addresses can name", memory.bytes),
           fmt::format("at most {}", addresses.bytes_a_node()), "lower it or addresses.node_bits");
  }
  if (addresses.space_bits < 2) {
    refuse("addresses.space_bits",
           fmt::format("{} leave no space for registers", addresses.space_bits), "2 to 3",
           "raise it");
  }
}

}  // namespace tributary
