// SPDX-License-Identifier: Apache-2.0
#include <tributary/magic/magic_node.h>

#include <algorithm>
#include <string>
#include <utility>

#include <tributary/magic/node_events.h>
#include <tributary/sim/error.h>
#include <tributary/sim/parameters.h>
#include <tributary/sim/state_archive.h>
#include <tributary/trace/catalog.h>

namespace tributary {

namespace {

constexpr std::uint32_t most_processes = 7;

/// Calls `part(name, configuration, description)` for each unit behind the memory, in the order of
/// parameters.
template <class Config, class Part>
void for_each_unit(Config& config, Part&& part) {
  part("data_buffers", config.buffers, "Staging buffers of MAGIC.");
  part("jump_table", config.jump_table, "Table that chooses handlers.");
  part("inbox", config.in, "Selection of messages.");
  part("protocol_processor", config.protocol_processor, "What runs the handlers.");
  part("outbox", config.out, "Way of messages from the handlers to the interfaces.");
  part("idle_handler", config.timed, "Handlers for a later time.");
  part("network_interface", config.network_interface, "Queues to and from the network.");
}

template <class Enumeration>
std::vector<std::string> names_of(std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) names.emplace_back(name_of(static_cast<Enumeration>(i)));
  return names;
}

}  // namespace

void node_caches_config::bind(parameter_set& parameters) {
  using u32 = interval<std::uint32_t>;
  parameters.add("present", present, "Whether processors have caches.");
  parameters.add("clock_ratio", clock_ratio, u32{1, 64}, "cycles",
                 "Cycles of the processor in one of the node (FLASH 5.4.1: 400 and 100 MHz).");
  parameters.add("state_cycles", state_cycles, u32{1, 1000}, "cycles",
                 "Of the node, from an intervention until the state is known (FLASH 5.4.1: 15).");
  parameters.add(
      "invalidation_cycles", invalidation_cycles, u32{1, 1000}, "cycles",
      "Of the node, from an invalidation whose state is not awaited until the caches have "
      "lost the line (not published; 15 at most).");
  parameters.add("data_cycles", data_cycles, u32{0, 1000}, "cycles",
                 "Of the node, from then to the first doubleword; the others follow one a cycle "
                 "(FLASH 5.4.1: 5).");
  parameters.add("uncached_pause", uncached_pause, u32{0, 1000000}, "cycles",
                 "Of the node, from the end of an uncached access until its processor knows of it "
                 "(not published; 29 and a cycle of the processor's program are the 30 cycles "
                 "without caches, which are fitted to the 131 of FLASH Table 5.1).");
  parameters.add("patience", patience, {1, std::uint64_t{1} << 40}, "cycles",
                 "Of the node, that a miss may last, refusals included; an older one ends the run "
                 "with who waits for what (a bound of the simulation; no hardware has it).");
  parameters.add_group("caches", levels, "The caches; their cycles are the processor's.");
}

void magic_node_config::bind(parameter_set& parameters) {
  parameters.add_group("addresses", addresses, "Fields of an address.");
  parameters.add_group("memory", memory, "A node's memory and its controller.");
  parameters.add("protocol_bytes", protocol_bytes, {1024, std::uint64_t{1} << 30}, "bytes",
                 "End of each node's memory that protocols and the software queue keep their state "
                 "in (FLASH 2.2.1: a small part). With caches a directory of 8 bytes a line comes "
                 "in addition.");
  for_each_unit(*this, [&](const char* name, auto& unit, const char* description) {
    parameters.add_group(name, unit, description);
  });
  parameters.add_group("processor_interface", processor_interface,
                       "Uncached accesses of the processor.");
  parameters.add_group("processor_caches", caches, "Caches between processor and node.");
  parameters.add(
      "memory_cycles", memory_cycles, {1, 1000000}, "cycles",
      "From an access to shared memory to its end, where a tag allows it: caches are not "
      "simulated (assumed).");
  parameters.add("processes", processes, {1, most_processes}, "processes",
                 "Processes of a program on the node's processor, which share its port and caches: "
                 "process p of node n has rank n x processes + p (FLASH 6.2.4).");
}

std::uint64_t magic_node_config::directory_bytes() const {
  if (!caches.present) return 0;
  const line_size line = memory.line();
  return line.next_start(line.number(memory.bytes) * word_bytes);
}

void magic_node_config::validate_caches() const {
  check_part("processor_caches.caches", [&] { caches.levels.validate(); });
  if (!caches.present) return;
  if (caches.levels.states != cache_states::mesi) {
    throw configuration_error({"processor_caches.caches.states", "",
                               "the directory protocol knows no owned lines", "mesi",
                               "leave the states as they are"});
  }
  if (caches.levels.last().line_bytes != memory.line_bytes) {
    throw configuration_error({"processor_caches.caches.levels", "",
                               "the last level has lines of " +
                                   std::to_string(caches.levels.last().line_bytes) + " bytes",
                               "memory.line_bytes = " + std::to_string(memory.line_bytes),
                               "give both the same lines"});
  }
  if (processor_interface.queue < 2) {
    throw configuration_error({"processor_interface.queue", "",
                               "a miss and the line that leaves for it do not fit in",
                               "2 to 64 accesses, where processors have caches", "raise it"});
  }
  if (processor_interface.bus + processor_interface.inbound == 0) {
    throw configuration_error(
        {"processor_interface.inbound", "", "requests of the caches would come in no time",
         "1 cycle or more, with processor_interface.bus", "raise one of them"});
  }
  if (!processor_interface.windows.empty()) {
    throw configuration_error({"processor_interface.windows", "",
                               "caches know the machine's addresses only",
                               "none, where processors have caches", "leave them out"});
  }
}

void magic_node_config::validate(std::uint32_t nodes) const {
  check_part("addresses", [&] { addresses.validate(nodes); });
  memory.validate();
  buffers.validate();
  for_each_unit(*this, [](const char* name, const auto& unit, const char*) {
    check_part(name, [&] { check_ranges(unit); });
  });
  check_part("processor_interface", [&] { processor_interface.validate(addresses, nodes); });
  validate_caches();
  const line_size line = memory.line();
  if (protocol_bytes + directory_bytes() >= memory.bytes && protocol_bytes < memory.bytes) {
    throw configuration_error({"protocol_bytes", "",
                               std::to_string(protocol_bytes) + " and the directory's " +
                                   std::to_string(directory_bytes()) +
                                   " bytes leave nothing of a memory of " +
                                   std::to_string(memory.bytes),
                               "less than memory.bytes together", "enlarge the memory"});
  }
  if (line.offset(protocol_bytes) != 0 || protocol_bytes >= memory.bytes) {
    throw configuration_error(
        {"protocol_bytes", "",
         std::to_string(protocol_bytes) + " is no part of a memory of " +
             std::to_string(memory.bytes) + " bytes",
         "multiples of memory.line_bytes = " + std::to_string(line.bytes()) + " below memory.bytes",
         "choose such a part"});
  }
  if (memory.bytes > addresses.bytes_a_node()) {
    throw configuration_error(
        {"memory.bytes", "", std::to_string(memory.bytes) + " bytes have no addresses",
         "up to " + std::to_string(addresses.bytes_a_node()) + " bytes a node",
         "choose less memory, or fewer bits for nodes and spaces"});
  }
  if (protocol_processor.outgoing_reserve >= network_interface.out_depth) {
    throw configuration_error(
        {"protocol_processor.outgoing_reserve", "",
         std::to_string(protocol_processor.outgoing_reserve) + " leaves handlers no room",
         "less than network_interface.out_depth = " + std::to_string(network_interface.out_depth),
         "choose deeper queues or a smaller reserve"});
  }
}

protocol_site magic_node_config::site(node_id here, std::uint32_t nodes) const {
  protocol_site offered;
  offered.node = here;
  offered.nodes = nodes;
  offered.storage = protocol_storage();
  offered.memory_bytes = software_queue_anchor();
  offered.facilities = {facility::realignment};
  offered.line = memory.line();
  return offered;
}

data_buffers_config magic_node_config::resolved_buffers() const {
  data_buffers_config chosen = buffers;
  chosen.line = memory.line();
  return chosen;
}

namespace {

line_interface_config line_times(const magic_node_config& config) {
  return {config.processor_interface.bus,
          config.processor_interface.inbound,
          config.processor_interface.outbound,
          config.caches.state_cycles,
          config.caches.invalidation_cycles,
          config.caches.data_cycles,
          config.caches.clock_ratio};
}

/// A page, on whatever node, `beyond` bytes behind it.
port_window window_of(const address_layout& layout, const noncoherent_page& page,
                      std::uint64_t beyond, processor_port& port) {
  port_window window;
  window.mask = layout.space_mask() | (layout.bytes_a_node() - 1) / page.bytes * page.bytes;
  window.value = layout.address_of(node_id{0}, page.space, page.offset + beyond);
  window.port = &port;
  return window;
}

/// Of the one page whose lines the processor drops; 0 if there is none.
std::uint64_t drop_distance(const std::vector<noncoherent_page>& pages) {
  for (const noncoherent_page& each : pages) {
    if (each.drop_distance != 0) return each.drop_distance;
  }
  return 0;
}

/// The words of each node that caches leave alone. Their stores are answered, as operations are.
port_window uncached_words(const address_layout& layout, std::uint64_t bytes,
                           processor_port& uncached) {
  port_window window;
  window.mask = layout.space_mask();
  if (bytes < layout.bytes_a_node()) window.mask |= layout.bytes_a_node() - bytes;
  window.port = &uncached;
  window.operations = &uncached;
  window.waits_for_stores = true;
  return window;
}

/// The spaces are aliases of one memory; the caches have the lines of space 0, and those that
/// protocols give them.
std::vector<port_window> windows_of(const address_layout& layout, const protocol_set& protocols,
                                    processor_port& cached, processor_port& drops,
                                    processor_port& uncached) {
  const std::vector<noncoherent_page> pages = protocols.noncoherent_pages();
  const operated_words operated = protocols.operations();
  port_window of_lines;
  of_lines.mask = layout.space_mask();
  of_lines.port = &cached;
  if (operated.cached) of_lines.operations = &uncached;
  port_window others;
  others.port = &uncached;
  others.posts_stores = true;
  others.waits_for_stores = true;
  std::vector<port_window> windows;
  if (operated.uncached_bytes != 0) {
    windows.push_back(uncached_words(layout, operated.uncached_bytes, uncached));
  }
  windows.push_back(of_lines);
  for (const noncoherent_page& each : pages) {
    windows.push_back(window_of(layout, each, 0, cached));
    if (each.drop_distance == 0) continue;
    windows.push_back(window_of(layout, each, each.drop_distance, drops));
  }
  windows.push_back(others);
  return windows;
}

}  // namespace

magic_node::cached_processor::cached_processor(const magic_node_config& config, std::uint32_t nodes,
                                               agenda& node_time, node_id here,
                                               processor_queue& queue, data_buffers& buffers,
                                               processor_interface& past_caches,
                                               const protocol_set& protocols)
    : lines(line_times(config), {config.addresses, nodes, config.protocol_storage()}, node_time,
            time, here, queue, buffers),
      caches(config.caches.levels, time, lines, config.processes),
      uncached("uncached_accesses", config.caches.clock_ratio, config.caches.uncached_pause, time,
               past_caches),
      drops(drop_distance(protocols.noncoherent_pages()), time, lines),
      accesses("processor_accesses",
               windows_of(config.addresses, protocols, caches, drops, uncached)),
      counted(protocols) {
  lines.set_client(caches);
  lines.set_noncoherent(protocols.noncoherent_pages());
}

namespace {

/// Address space 0 is checked; the others go to the controller as they are.
std::vector<port_window> checked_windows(const address_layout& layout, processor_port& checked,
                                         processor_port& unchecked) {
  port_window shared;
  shared.mask = layout.space_mask();
  shared.port = &checked;
  port_window others;
  others.port = &unchecked;
  return {shared, others};
}

}  // namespace

magic_node::checked_processor::checked_processor(const magic_node_config& config,
                                                 const checked_blocks& blocks, agenda& node_time,
                                                 node_id here, std::uint32_t nodes,
                                                 word_memory& memory, processor_queue& queue,
                                                 processor_interface& unchecked)
    : tags(config.processor_interface, config.memory_cycles, config.processes, blocks,
           config.addresses, node_time, here, nodes, memory, queue),
      accesses("processor_accesses", checked_windows(config.addresses, tags, unchecked)) {}

magic_node::magic_node(const magic_node_config& config, node_id here, std::uint32_t nodes,
                       network_port& network, message_pool& messages,
                       std::vector<std::unique_ptr<protocol>> protocols)
    : config_((config.validate(nodes), config)),
      here_(here),
      name_("node." + std::to_string(index(here))),
      protocols_(config_.site(here, nodes), std::move(protocols)),
      memory_(config_.memory, agenda_, here),
      buffers_(config_.resolved_buffers(), agenda_, here),
      network_interface_(config_.network_interface, agenda_, here, network, messages, buffers_),
      processor_queue_(config_.processor_interface.queue, agenda_, buffers_),
      processor_interface_(config_.processor_interface, agenda_, config_.addresses, here, nodes,
                           processor_queue_),
      cached_(!config_.caches.present ? nullptr
                                      : std::make_unique<cached_processor>(
                                            config_, nodes, agenda_, here, processor_queue_,
                                            buffers_, processor_interface_, protocols_)),
      table_(config_.jump_table, protocols_.rules(), config_.addresses, here),
      in_(config_.in, agenda_, table_, buffers_, network_interface_),
      out_(config_.out, network_interface_, processor_interface_),
      deferred_(memory_, config_.memory.bytes, config_.software_queue_anchor(), here),
      timed_(config_.timed, agenda_),
      executor_(here, config_.addresses, handlers_of(protocols_)),
      protocol_processor_(
          config_.protocol_processor, agenda_, here, config_.addresses, protocols_, executor_,
          {in_, out_, network_interface_, buffers_, memory_, deferred_, timed_,
           cached_ == nullptr ? nullptr : &cached_->lines,
           cached_ == nullptr || !config_.caches.counts ? nullptr : &cached_->counted}),
      blocks_({&protocol_processor_, &in_, &deferred_, &timed_, &buffers_, &out_,
               &network_interface_, &processor_queue_, &processor_interface_, &memory_}) {
  protocols_.initialize(memory_);
  check_accesses(nodes);
  if (cached_ != nullptr) {
    out_.set_lines(cached_->lines);
    blocks_.add(cached_->lines);
    blocks_.add(cached_->caches);
    blocks_.add(cached_->uncached);
    blocks_.add(cached_->drops);
    blocks_.add(cached_->accesses);
    blocks_.add(cached_->counted);
  }
  if (config_.processes > 1) {
    blocks_.add(shared_.emplace(config_.processes, processor_time(), unshared_accesses()));
  }
  in_.connect(inbox_input::processor, processor_queue_);
  in_.connect(inbox_input::request_lane, network_interface_.input(message_lane::request));
  in_.connect(inbox_input::reply_lane, network_interface_.input(message_lane::reply));
  in_.connect(inbox_input::third_lane, network_interface_.input(message_lane::third));
  in_.connect(inbox_input::fourth_lane, network_interface_.input(message_lane::fourth));
  in_.connect(inbox_input::software_queue, deferred_);
  in_.connect(inbox_input::idle_handler, timed_);
  network_interface_.tell(in_);
  processor_queue_.tell(in_);
  const std::vector<dispatch_rule>& rules = protocols_.rules();
  if (std::any_of(rules.begin(), rules.end(), [](const dispatch_rule& rule) {
        return rule.type == static_cast<std::uint8_t>(common_type::uncached_operation);
      })) {
    processor_interface_.perform_operations();
  }
}

void magic_node::check_accesses(std::uint32_t nodes) {
  const std::optional<checked_blocks> blocks = protocols_.checked();
  if (!blocks) return;
  if (cached_ != nullptr) {
    throw configuration_error({"processor_caches.present", "",
                               "a protocol checks the processor's accesses by tags, and caches "
                               "would hide them",
                               "false with such a protocol",
                               "leave the caches or the protocol out"});
  }
  checked_.emplace(config_, *blocks, agenda_, here_, nodes, memory_, processor_queue_,
                   processor_interface_);
  out_.set_lines(checked_->tags);
  blocks_.add(checked_->tags);
  blocks_.add(checked_->accesses);
}

magic_node::~magic_node() = default;

cycle_t magic_node::next_wakeup() const {
  const cycle_t own = agenda_.next_wakeup();
  if (cached_ == nullptr) return own;
  const cycle_t of_processor = cached_->time.next_wakeup();
  return of_processor == never ? own : std::min(own, of_processor / config_.caches.clock_ratio);
}

void magic_node::advance_to(cycle_t last) {
  if (cached_ == nullptr) {
    agenda_.advance_to(last);
    return;
  }
  const std::uint64_t ratio = config_.caches.clock_ratio;
  while (true) {
    const cycle_t next = std::min(next_wakeup(), last);
    agenda_.advance_to(next);
    cached_->time.advance_to(next * ratio + ratio - 1);
    if (next == last) return;
  }
}

void magic_node::show(current_activity* activity) {
  agenda_.show(activity);
  if (cached_ != nullptr) cached_->time.show(activity);
}

void magic_node::follow(const cycle_t& over, cycle_t& due) {
  agenda_.follow(over, 1, due);
  if (cached_ != nullptr) cached_->time.follow(over, config_.caches.clock_ratio, due);
}

std::string magic_node::save() const {
  return save_state(agenda_.save(), cached_ == nullptr ? "" : cached_->time.save(), blocks_.save());
}

void magic_node::restore(const std::string& state) {
  std::string wakeups;
  std::string of_processor;
  std::string units;
  restore_state(state, wakeups, of_processor, units);
  blocks_.restore(units);
  agenda_.restore(wakeups);
  require_state(of_processor.empty() == (cached_ == nullptr), "the node has other caches");
  if (cached_ != nullptr) cached_->time.restore(of_processor);
}

void magic_node::trace(const trace_scope& scope) {
  scope.catalog().set_names(node_events::handler, protocols_.handler_names());
  scope.catalog().set_names(node_events::type_name, protocols_.message_names());
  scope.catalog().subject = [numbers = protocols_.message_numbers(), layout = config_.addresses](
                                const trace_event& event) -> std::optional<std::uint64_t> {
    const message_number number = numbers[node_events::type.in(event.details)];
    if (number == nullptr) return std::nullopt;
    return number(layout.offset_of(event.address));
  };
  scope.catalog().set_names(node_events::input, names_of<inbox_input>(inbox_inputs));
  scope.catalog().set_names(node_events::lane, names_of<message_lane>(message_lanes));
  scope.catalog().kinds = {&node_events::processor_request,
                           &node_events::processor_answer,
                           &node_events::line_request,
                           &node_events::line_reply,
                           &node_events::selected,
                           &node_events::handled,
                           &node_events::sent,
                           &node_events::departed,
                           &node_events::arrived,
                           &node_events::buffer_taken,
                           &node_events::buffer_freed,
                           &node_events::memory_read,
                           &node_events::memory_written};
  scope.catalog().lifetime = node_events::processor_request.changes[0].stay;
  blocks_.trace(scope.below(name()));
}

}  // namespace tributary
