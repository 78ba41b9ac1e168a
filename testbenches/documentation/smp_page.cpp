// SPDX-License-Identifier: Apache-2.0
#include "smp_page.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include <smp/smp_config.h>
#include <smp/smp_simulation.h>
#include <tributary/bus/bus_events.h>
#include <tributary/processor/program.h>
#include <tributary/protocols/stache/stache_memory.h>
#include <tributary/sim/error.h>
#include <tributary/sim/observer.h>
#include <tributary/sim/parameters.h>
#include <tributary/smp/smp_events.h>

#include "reference_tables.h"

namespace tributary::documentation {
namespace {

// --- schedules -----------------------------------------------------------------------------------

constexpr std::size_t schedule_events = static_cast<std::size_t>(schedule_event::resumed) + 1;

bool is_row(const schedule_transition& each, const schedule& at, schedule_event event) {
  const role_guard role = at.acting() ? role_guard::held : role_guard::free;
  return each.from == at.duty(0) && each.on == event &&
         (each.role == role_guard::any || each.role == role);
}

/// Which rows a node's only processor can take, by their number.
std::set<std::size_t> rows_of_one_processor() {
  const std::vector<schedule_transition> all = transitions_of(schedule_kind::single);
  std::set<std::size_t> taken;
  std::set<std::pair<processor_duty, bool>> seen;
  std::deque<schedule> open{schedule(schedule_kind::single, {}, 1)};
  while (!open.empty()) {
    const schedule at = open.front();
    open.pop_front();
    if (!seen.insert({at.duty(0), at.acting().has_value()}).second) continue;
    for (std::size_t number = 0; number < schedule_events; ++number) {
      const auto event = static_cast<schedule_event>(number);
      if (!at.knows(event, 0)) continue;
      for (std::size_t i = 0; i < all.size(); ++i) {
        if (is_row(all[i], at, event)) taken.insert(i);
      }
      schedule next = at;
      next.on(event, 0);
      // As a node does behind `resumed`.
      if (event == schedule_event::resumed) next.release_role();
      open.push_back(next);
    }
  }
  return taken;
}

std::vector<schedule_transition> rows_of(schedule_kind kind) {
  std::vector<schedule_transition> all = transitions_of(kind);
  if (kind != schedule_kind::single) return all;
  std::vector<schedule_transition> rows;
  for (const std::size_t each : rows_of_one_processor()) rows.push_back(all[each]);
  return rows;
}

const char* name_of_role(role_guard role) {
  return role == role_guard::any ? "" : role == role_guard::free ? "free" : "held";
}

std::string label_of(const schedule_transition& each) {
  std::string text = name_of(each.on);
  if (each.role != role_guard::any) text += std::string(", role ") + name_of_role(each.role);
  if (each.action != schedule_action::none) text += std::string(" / ") + name_of(each.action);
  return text;
}

// --- machines that are watched -------------------------------------------------------------------

/// A machine that runs to its end, and its events by their first cycle.
class watched_machine {
 public:
  watched_machine(const smp_config& config, std::unique_ptr<program> own)
      : machine_(own ? smp_simulation(config, 1, std::move(own)) : smp_simulation(config, 1)) {
    struct collector final : observer<trace_event> {
      void on_event(const trace_event& event) override { events.push_back(event); }
      std::vector<trace_event> events;
    } seen;
    machine_.machine().catalog();
    machine_.machine().observers().attach(seen);
    machine_.run_until(1'000'000);
    machine_.machine().observers().detach(seen);
    if (!machine_.finished()) throw error("a machine of the pages does not end");
    events_ = std::move(seen.events);
    std::stable_sort(events_.begin(), events_.end(),
                     [](const trace_event& x, const trace_event& y) { return x.cycle < y.cycle; });
  }

  const std::vector<trace_event>& events() const { return events_; }
  std::size_t nodes() const { return machine_.machine().size(); }
  smp_node& node(std::size_t i) { return machine_.machine().node(i); }

  struct place {
    std::uint32_t node = 0;
    std::uint32_t processor = 0;
  };
  place place_of(const trace_event& event) {
    for (std::uint32_t i = 0; i < nodes(); ++i) {
      for (std::uint32_t j = 0; j < node(i).config().processors; ++j) {
        if (node(i).track(j) == event.track) return {i, j};
      }
    }
    throw error("an event of no processor");
  }
  std::string name_of(const trace_event& event) {
    return machine_.machine().catalog().name_of(event.track);
  }
  std::string handler_of(const trace_event& event) {
    const std::uint64_t number = smp_events::handler.in(event.details);
    return node(0).protocols().name_of(handler_id{static_cast<std::uint16_t>(number)});
  }
  std::string message_of(const trace_event& event) {
    const std::uint64_t number = smp_events::type.in(event.details);
    return node(0).protocols().message_names().at(static_cast<std::size_t>(number));
  }

 private:
  smp_simulation machine_;
  std::vector<trace_event> events_;
};

const event_kind& duty_kind_of(processor_duty duty) {
  return smp_events::duties.at(static_cast<std::size_t>(duty));
}

/// Cycles that the node which is asked computes.
constexpr std::uint64_t computes = 5000;

constexpr std::uint32_t home = 0;
constexpr std::uint32_t writer = 3;
constexpr std::uint64_t writes_at = 10000;

smp_config shared_config() {
  smp_config config;
  config.protocol = request_protocol::stache;
  config.workload.choice.kind = workload_kind::program;
  config.machine.nodes = writer + 1;
  return config;
}

/// Nodes 1 and 2 read a word of node 0, then node 3 writes it.
std::unique_ptr<program> read_and_written(const smp_config& config) {
  const std::uint64_t word = config.machine.node.addresses.address_of(node_id{home}, 0, 0);
  return make_program([word](program_context& context) {
    if (context.rank() == home) return;
    if (context.rank() == writer) {
      context.delay(writes_at);
      context.store(word, 1);
    } else {
      context.load(word);
    }
  });
}

}  // namespace

// --- schedules -----------------------------------------------------------------------------------

std::string schedule_diagram(schedule_kind kind) {
  std::string text = "```mermaid\nstateDiagram-v2\n";
  const schedule start(kind, {}, kind == schedule_kind::single ? 1 : 2);
  for (std::uint32_t i = 0; i < start.processors(); ++i) {
    if (i != 0 && start.duty(i) == start.duty(0)) continue;
    text += fmt::format("  [*] --> {}\n", name_of(start.duty(i)));
  }
  for (const schedule_transition& each : rows_of(kind)) {
    text += fmt::format("  {} --> {}: {}\n", name_of(each.from), name_of(each.to), label_of(each));
  }
  return text + "```\n";
}

std::string schedule_table(schedule_kind kind) {
  std::string text = "| From | Event | Role | Action | To |\n|---|---|---|---|---|\n";
  const auto cell = [](const std::string& name) {
    return name.empty() || name == "none" ? std::string(" |") : " `" + name + "` |";
  };
  for (const schedule_transition& each : rows_of(kind)) {
    const std::string role = name_of_role(each.role);
    text += "|" + cell(name_of(each.from)) + cell(name_of(each.on)) +
            (role.empty() ? " |" : " " + role + " |") + cell(name_of(each.action)) +
            cell(name_of(each.to)) + "\n";
  }
  return text;
}

std::string lone_request_stretches(schedule_kind kind) {
  smp_config config;
  config.machine.node.schedule = kind;
  config.machine.node.processors = kind == schedule_kind::fixed ? 2 : 1;
  const std::uint64_t asked = config.machine.node.addresses.address_of(node_id{1}, 1, 0);
  watched_machine machine(config, make_program([asked](program_context& context) {
                            if (context.rank() == 0) {
                              context.load(asked);
                            } else {
                              context.delay(computes);
                            }
                          }));
  std::string text = "```text\ncycles      track               event\n";
  for (const trace_event& each : machine.events()) {
    const watched_machine::place at = machine.place_of(each);
    if (each.kind == &duty_kind_of(processor_duty::computing) || each.cycle >= computes) continue;
    const bool handled = each.kind == &smp_events::handled;
    text += fmt::format("{:<11} {:<19} {}\n", fmt::format("{}..{}", each.cycle, each.last),
                        fmt::format("node.{}.processor.{}", at.node, at.processor),
                        handled ? "handled " + machine.handler_of(each) : each.kind->name);
  }
  return text + "```\n";
}

std::string request_on_bus() {
  smp_config config;
  config.machine.node.level = node_level::bus;
  const std::uint64_t asked = config.machine.node.addresses.address_of(node_id{1}, 1, 0);
  cycle_t since = 0;
  watched_machine machine(config, make_program([&](program_context& context) {
                            for (int i = 0; i < (context.rank() == 0 ? 4 : 0); ++i) {
                              context.delay(computes);
                              since = context.now();
                              context.load(asked);
                            }
                          }));
  std::string text = "```text\ncycles    track               event\n";
  for (const trace_event& each : machine.events()) {
    const std::string track = machine.name_of(each);
    if (each.last < since || track.find("memory") != std::string::npos) continue;
    const bool on_bus = track.find("bus") != std::string::npos;
    std::string what = each.kind->name;
    if (each.kind == &smp_events::handled) what += " " + machine.handler_of(each);
    if (on_bus) {
      what = fmt::format(
          "{}, {}", what,
          name_of(static_cast<bus_transaction>(bus_events::transaction.in(each.details))));
      const std::uint64_t master = bus_events::master.in(each.details);
      what += master == 2 ? " of the interface" : fmt::format(" of processor {}", master);
    }
    text += fmt::format(
        "{:<9} {:<19} {}\n",
        fmt::format("{}..{}", each.cycle - std::min(each.cycle, since), each.last - since), track,
        what);
  }
  return text + "```\n";
}

// --- parameters and statistics -------------------------------------------------------------------

std::string smp_parameter_table(const std::vector<std::string>& prefixes) {
  smp_config config;
  return parameter_table(parameter_set::of(config), prefixes);
}

std::string smp_statistics_table(const std::vector<std::string>& prefixes, node_level level) {
  smp_config config;
  config.machine.node.level = level;
  config.machine.node.schedule = schedule_kind::single;
  config.machine.node.processors = 1;
  const statistics_tree all = smp_simulation(config, 1).statistics();
  std::string text;
  for (const std::string& each : prefixes) {
    const std::string table = statistics_table(all, each);
    const std::size_t rows = table.find('\n', table.find('\n') + 1) + 1;
    text += text.empty() ? table : table.substr(rows);
  }
  return text;
}

// --- Stache --------------------------------------------------------------------------------------

std::string stache_message_table() {
  const smp_simulation machine(shared_config(), 1);
  const protocol_set& protocols = machine.machine().node(0).protocols();
  const std::vector<std::string> messages = protocols.message_names();
  std::string text = "| Message | From | Handler |\n|---|---|---|\n";
  for (const dispatch_rule& rule : protocols.rules()) {
    const bool own = rule.origin == message_origin::processor;
    text += fmt::format("| `{}` | {} | `{}` |\n", messages.at(rule.type),
                        own ? "a processor" : "a node", protocols.name_of(rule.run));
  }
  return text;
}

std::string stache_word_table() {
  using namespace stache;
  std::string text = "| Word | Bits | Field | Meaning |\n|---|---|---|---|\n";
  const auto add = [&text](const char* word, const bit_field& field, const char* name,
                           const char* meaning) {
    const unsigned last = field.shift + field.width - 1;
    const std::string bits =
        field.width == 1 ? fmt::format("{}", last) : fmt::format("{} to {}", field.shift, last);
    text += fmt::format("| {} | {} | `{}` | {} |\n", word, bits, name, meaning);
  };
  add("directory", directory_word::sharers, "sharers", "Other nodes that may read, a bit each.");
  add("", directory_word::owner, "owner", "The other node that may write, plus 1; 0: none.");
  add("", directory_word::acks, "acks", "Acknowledgements that have not come yet.");
  add("", directory_word::asker, "asker",
      "The node for which the home waits, plus 1; 0: the home waits for nothing.");
  add("", directory_word::writes, "writes", "Whether that node wants to write.");
  add("turns", turns_word::to_read, "to_read", "Nodes that wait for their turn to read.");
  add("", turns_word::to_write, "to_write", "The same to write.");
  add("faults", faults_word::waiting, "waiting",
      "Processors of this node whose access waits for the block, a bit each.");
  add("", faults_word::asked, "asked", "The home was asked, and has not answered.");
  add("", faults_word::early, "early", "A message about the block that came before the block.");
  return text;
}

std::string stache_write_sequence() {
  const smp_config config = shared_config();
  watched_machine machine(config, read_and_written(config));
  std::string text = "```mermaid\nsequenceDiagram\n";
  text += fmt::format("  participant N{0} as node {0}, home\n", home);
  for (std::uint32_t i = 1; i < machine.nodes(); ++i) {
    text += fmt::format("  participant N{0} as node {0}, {1}\n", i,
                        i == writer ? "writes" : "has read");
  }
  cycle_t first = 0;
  for (const trace_event& each : machine.events()) {
    const std::uint32_t at = machine.place_of(each).node;
    if (each.cycle <= writes_at) continue;
    if (each.kind == &smp_events::handled) {
      const std::uint64_t from = smp_events::source.in(each.details);
      text += from == at ? fmt::format("  Note over N{}: {}", at, machine.message_of(each))
                         : fmt::format("  N{}->>N{}: {}", from, at, machine.message_of(each));
      text += fmt::format(", cycles {} to {}\n", each.cycle - first, each.last - first);
    } else if (at == writer && each.kind == &duty_kind_of(processor_duty::waiting)) {
      first = each.cycle - 1;
      text += fmt::format("  Note over N{}: a store faults, cycle {}\n", at, each.cycle - first);
    } else if (at == writer && each.kind == &duty_kind_of(processor_duty::resuming)) {
      text += fmt::format("  Note over N{}: the program goes on behind cycle {}\n", at,
                          each.last + 1 - first);
    }
  }
  return text + "```\n";
}

}  // namespace tributary::documentation
