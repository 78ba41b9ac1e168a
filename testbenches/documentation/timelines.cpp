// SPDX-License-Identifier: Apache-2.0
#include "timelines.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <tributary/bus/bus_events.h>
#include <tributary/bus/bus_transaction.h>
#include <tributary/magic/data_buffers.h>
#include <tributary/memory/memory_controller.h>
#include <tributary/network/switching/routed_network.h>
#include <tributary/trace/event.h>
#include <tributary/trace/identity.h>

#include <support/accesses.h>
#include <support/bus_bench.h>
#include <support/unit_trace.h>
#include <support/usual_line.h>
#include <ultracomputer/ultracomputer.h>

namespace tributary::documentation {
namespace {

/// A table in a text block, its columns as wide as they need.
class text_table {
 public:
  explicit text_table(std::vector<std::string> titles) : rows_{std::move(titles)} {}

  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }

  std::string text() const {
    std::vector<std::size_t> widths(rows_.front().size());
    for (const auto& row : rows_) {
      for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
    }
    std::string result = "```text\n";
    for (const auto& row : rows_) {
      std::string line;
      for (std::size_t i = 0; i < row.size(); ++i) {
        line += row[i] + std::string(widths[i] - row[i].size() + 2, ' ');
      }
      result += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
    }
    return result + "```\n";
  }

 private:
  std::vector<std::vector<std::string>> rows_;
};

std::string name_of_sequence(std::uint32_t sequence) {
  return std::string(1, static_cast<char>('a' + sequence));
}

packet request_named(char name, std::uint64_t word, word_t addend = 1) {
  packet request;
  request.location = word;
  request.set_function(function_of(operation::fetch_add, addend));
  request.sequence = static_cast<std::uint32_t>(name - 'a');
  return request;
}

// --- combining queue ----------------------------------------------------------------------------

/// A queue with the partners of its own, driven cycle by cycle.
class driven_queue {
 public:
  explicit driven_queue(const combining_queue_config& config) : queue_(config) {}

  /// Releases the head if `leaves` and there is one, then takes the arrival if there is one.
  /// Returns what left, "" if nothing.
  std::string step(bool leaves, const packet* arrival) {
    std::string left;
    combining_queue::arrival_context now;
    if (leaves && !queue_.empty(0)) {
      left = entry_text(0);
      queue_.release(0);
      now.head = combining_queue::head_place::left;
    }
    if (arrival != nullptr) queue_.accept(0, *arrival, now, pool_);
    if (queue_.systolic()) {
      const bool head_left = now.head == combining_queue::head_place::left;
      queue_.settle(0, head_left, false, pool_, [](const packet&, const packet&) {});
    }
    return left;
  }

  std::string content() const { return entries(0, queue_.size(0)); }

  /// Of a systolic queue: the OUT column from the exit on, and the IN column as entry@row.
  std::string out_column() const { return entries(0, queue_.columns().out(0)); }
  std::string in_column() const {
    const systolic_columns& where = queue_.columns();
    std::string text;
    for (std::size_t i = 0; i < where.climbing(0); ++i) {
      text += (i == 0 ? "" : " ") + entry_text(where.out(0) + i) + "@" +
              std::to_string(where.row(0, i));
    }
    return text.empty() ? "-" : text;
  }

 private:
  std::string entries(std::size_t first, std::size_t end) const {
    std::string text;
    for (std::size_t i = first; i < end; ++i) text += (i == first ? "" : " ") + entry_text(i);
    return text.empty() ? "-" : text;
  }
  std::string entry_text(std::size_t i) const {
    const partner_index with = queue_.partner_of(0, i);
    const std::string first = name_of_sequence(queue_.entry(0, i).sequence);
    return with == no_partner ? first : first + "+" + name_of_sequence(pool_[with].second.sequence);
  }

  combining_queue queue_;
  partner_pool pool_;
};

struct arrival {
  cycle_t cycle;
  packet request;
};

const packet* arriving_in(const std::vector<arrival>& all, cycle_t cycle) {
  for (const arrival& each : all) {
    if (each.cycle == cycle) return &each.request;
  }
  return nullptr;
}

std::string or_dash(const std::string& text) { return text.empty() ? "-" : text; }

}  // namespace

std::string combining_queue_timeline() {
  const std::vector<arrival> arrivals{{1, request_named('a', 1)},
                                      {3, request_named('b', 1)},
                                      {5, request_named('c', 1)},
                                      {7, request_named('d', 2)},
                                      {9, request_named('e', 1)}};
  combining_queue_config decoupled;
  combining_queue_config coupled;
  coupled.coupled = true;
  driven_queue first(decoupled);
  driven_queue second(coupled);
  text_table table({"cycle", "arrives", "word", "| decoupled: after the cycle", "leaves",
                    "| coupled: after the cycle", "leaves"});
  for (cycle_t cycle = 1; cycle <= 18; ++cycle) {
    const packet* request = arriving_in(arrivals, cycle);
    const bool leaves = cycle >= 6 && cycle % 4 == 2;
    const std::string first_left = first.step(leaves, request);
    const std::string second_left = second.step(leaves, request);
    if (request == nullptr && first_left.empty() && second_left.empty()) continue;
    const bool word_x = request != nullptr && request->location == 1;
    table.add({std::to_string(cycle),
               request == nullptr ? "-" : name_of_sequence(request->sequence),
               request == nullptr ? "" : (word_x ? "X" : "Y"), "| " + first.content(),
               or_dash(first_left), "| " + second.content(), or_dash(second_left)});
  }
  return table.text();
}

std::string systolic_queue_timeline() {
  const std::vector<arrival> arrivals{{1, request_named('a', 1)},  {3, request_named('b', 1)},
                                      {5, request_named('c', 1)},  {8, request_named('d', 2)},
                                      {10, request_named('e', 1)}, {12, request_named('f', 2)}};
  combining_queue_config config;
  config.microarchitecture = queue_microarchitecture::systolic;
  driven_queue queue(config);
  text_table table({"cycle", "arrives", "word", "leaves", "| after the cycle: OUT", "IN"});
  for (cycle_t cycle = 1; cycle <= 18; ++cycle) {
    const packet* request = arriving_in(arrivals, cycle);
    const std::string before = queue.out_column() + queue.in_column();
    const std::string left = queue.step(cycle >= 6 && cycle % 4 == 2, request);
    if (before == queue.out_column() + queue.in_column()) continue;
    table.add({std::to_string(cycle),
               request == nullptr ? "-" : name_of_sequence(request->sequence),
               request == nullptr ? "" : (request->location == 1 ? "X" : "Y"), or_dash(left),
               "| " + queue.out_column(), queue.in_column()});
  }
  return table.text();
}

// --- combining switch ----------------------------------------------------------------------------

std::string combining_switch_timeline() {
  combining_switch_config config;
  config.type = queue_type::a;
  config.coupled = true;
  switch_column machine(config);
  partner_pool pool;
  switch_departures leaving;
  text_table table({"cycle", "arrives", "leaves", "queue, output 0", "wait buffer",
                    "reverse queues, input 0 and 1"});
  for (cycle_t cycle = 1; cycle <= 9; ++cycle) {
    // The memory side takes requests from cycle 4 on, the processor side always.
    const std::array<std::uint8_t, 2> next_requests{static_cast<std::uint8_t>(cycle >= 4 ? 3 : 0),
                                                    3};
    const std::array<std::uint8_t, 2> next_replies{1, 1};
    machine.depart(next_requests.data(), next_replies.data(), leaving);
    std::string left;
    if (const packet* request = machine.departing_request(0, leaving)) {
      left = "add " + std::to_string(request->a);
    }
    for (std::size_t line = 0; line < 2; ++line) {
      if (const reply* response = machine.departing_reply(line, leaving)) {
        left += (left.empty() ? "" : ", ") + name_of_sequence(response->sequence) + "=" +
                std::to_string(response->value);
      }
    }
    switch_column::arrivals arriving;
    arriving.requests.resize(2);
    arriving.replies.resize(2);
    std::string arrived;
    if (cycle == 1 || cycle == 2) {
      packet request = request_named(cycle == 1 ? 'a' : 'b', 0, cycle == 1 ? 1 : 2);
      request.pe = static_cast<std::uint16_t>(cycle - 1);
      arriving.requests[cycle - 1] = request;
      arrived = name_of_sequence(request.sequence) + ": add " + std::to_string(request.a) +
                " at input " + std::to_string(cycle - 1);
    }
    if (cycle == 7) {
      arriving.replies[0] = reply{10, 0, 0};
      arrived = "a=10";
    }
    machine.commit(leaving, arriving, pool);

    std::string queue;
    for (std::size_t i = 0; i < machine.queues().size(0); ++i) {
      const partner_index with = machine.queues().partner_of(0, i);
      queue += name_of_sequence(machine.queues().entry(0, i).sequence);
      if (with != no_partner) queue += "+" + name_of_sequence(pool[with].second.sequence);
    }
    std::string held;
    for (const partner& each : machine.wait_buffers().contents(0, pool)) {
      held += name_of_sequence(each.first.sequence) + "->" +
              name_of_sequence(each.second.sequence) + ", add " + std::to_string(each.kept.a);
    }
    std::string replies;
    for (std::size_t line = 0; line < 2; ++line) {
      const reverse_queue& back = machine.reverse_queues();
      std::string one;
      for (std::size_t i = 0; i < back.size(line); ++i) {
        one += name_of_sequence(back.entry(line, i).sequence) + "=" +
               std::to_string(back.entry(line, i).value);
      }
      replies += (line == 0 ? "" : "  ") + or_dash(one);
    }
    table.add({std::to_string(cycle), or_dash(arrived), or_dash(left), or_dash(queue),
               or_dash(held), replies});
  }
  return table.text();
}

// --- machines ------------------------------------------------------------------------------------

namespace {

class event_collector final : public observer<trace_event> {
 public:
  void on_event(const trace_event& event) override { events.push_back(event); }
  std::vector<trace_event> events;
};

std::string place_text(const trace_event& event, unsigned stages, std::size_t elements) {
  const omega_tracks::place where = omega_tracks(stages, elements).place_of(event.track);
  const std::string at = std::to_string(where.switch_index);
  if (where.stage == processor_side) return "element " + at;
  if (where.stage == static_cast<std::int32_t>(stages)) return "module " + at;
  return "stage " + std::to_string(where.stage) + ", switch " + at +
         (where.is_input ? ", input " : ", output ") + std::to_string(where.port);
}

}  // namespace

std::string lone_request_timeline() {
  constexpr std::uint16_t pe = 5;
  ultracomputer_config config;
  config.network.processing_elements = 8;
  // Elements that each send to a module of their own, so that nobody meets anybody.
  config.workload.traffic.pattern = traffic_pattern::shift;
  config.processor.start_window = 1;
  ultracomputer machine(config, 1);
  event_collector seen;
  machine.observers().attach(seen);
  machine.step(9);
  machine.observers().detach(seen);
  text_table table({"cycle", "event", "where"});
  for (const trace_event& event : seen.events) {
    if (event.identity.origin() != pe || event.identity.sequence() != 0) continue;
    table.add({std::to_string(event.cycle), event.kind->name, place_text(event, 3, 8)});
  }
  return table.text();
}

std::string memory_timeline() {
  memory module(memory_config{}, 2, 1);
  const std::uint8_t network_takes = 1;
  text_table table({"cycle", "ready to the network", "takes", "serves", "answers"});
  std::uint32_t next = 0;
  for (cycle_t cycle = 1; cycle <= 15; ++cycle) {
    const bool ready = module.request_ready()[0] != 0;
    std::string takes;
    std::string serves;
    std::string answers;
    module.depart(&network_takes);
    module.advance();
    if (ready) {
      const packet request = request_named(static_cast<char>('a' + next++), 0);
      takes = serves = name_of_sequence(request.sequence);
      module.serve(0, request, cycle);
    }
    if (cycle == 2) {
      module.accept_local(0, request_named('l', 0));
      takes += (takes.empty() ? "" : ", ") + std::string("l (local)");
    }
    module.serve_local(cycle, [&](std::size_t, const packet& request, word_t) {
      serves = name_of_sequence(request.sequence);
    });
    module.release_replies(cycle, [&](std::size_t, const reply& response) {
      answers = name_of_sequence(response.sequence);
    });
    module.release_local_replies(cycle, [&](std::size_t, const reply& response) {
      answers += name_of_sequence(response.sequence) + " (local)";
    });
    module.settle();
    table.add({std::to_string(cycle), ready ? "yes" : "no", or_dash(takes), or_dash(serves),
               or_dash(answers)});
  }
  return table.text();
}

std::string memory_controller_timeline() {
  agenda clockwork;
  memory_controller memory({}, clockwork);
  text_table table({"asked in", "access", "first word", "last word"});
  line_data words{};
  word_t word = 0;
  const auto add = [&](const std::string& what, const memory_transfer& transfer) {
    table.add({std::to_string(clockwork.now()), what, std::to_string(transfer.first),
               std::to_string(transfer.last)});
  };
  const auto read_line = [&](char name) {
    add(std::string("read line ") + name,
        memory.read_line(static_cast<std::uint64_t>(name - 'a') * line_bytes, clockwork.now(),
                         words));
  };
  read_line('a');
  read_line('b');
  line_stamps valid{};
  for (std::size_t i = 0; i < line_words; ++i) valid[i] = 70 + 2 * i;
  add("write line c, a word every 2 cycles from 70 to 100",
      memory.write_line(2 * line_bytes, 0, words, valid));
  clockwork.advance_to(20);
  read_line('d');
  read_line('c');
  read_line('e');
  add("read a word of f", memory.read_word(5 * line_bytes, clockwork.now(), word));
  return table.text();
}

namespace {

/// What a processor of a bus asks for, and in which cycle.
struct bus_access {
  cycle_t when;
  std::size_t processor;
  const char* text;
  access request;
};

/// "14 to 15", of the one event of a kind that an identity has; "-" without one.
std::string phase_of(const std::vector<trace_event>& events, trace_identity identity,
                     const event_kind& kind) {
  for (const trace_event& each : events) {
    if (each.identity != identity || each.kind != &kind) continue;
    return std::to_string(each.cycle) + " to " + std::to_string(each.last);
  }
  return "-";
}

/// Who drove the words of a transaction.
std::string source_of(const std::vector<trace_event>& events, trace_identity identity,
                      std::size_t masters) {
  for (const trace_event& each : events) {
    if (each.identity != identity || each.kind != &bus_events::data_phase) continue;
    const std::uint64_t source = bus_events::source.in(each.details);
    return source == masters ? "memory" : source > masters ? "device" : "cache";
  }
  return "-";
}

/// A device of one word.
class one_word final : public bus_device {
 public:
  device_answer read(std::uint64_t, cycle_t now) override {
    return device_answer::word(1, now + 4);
  }
  bool write(std::uint64_t, word_t, cycle_t) override { return true; }
};

}  // namespace

std::string snooping_bus_timeline() {
  constexpr std::uint64_t a = 0x1000;
  constexpr std::uint64_t b = 0x2000;
  constexpr std::uint64_t device_at = std::uint64_t{1} << 32;
  using testing::load_of;
  using testing::store_of;
  const std::vector<bus_access> accesses{{10, 0, "0 reads line a", load_of(a)},
                                         {10, 1, "1 reads line b", load_of(b)},
                                         {100, 1, "1 reads line a", load_of(a)},
                                         {200, 0, "0 stores to line a", store_of(a, 1)},
                                         {300, 1, "1 reads line a", load_of(a)},
                                         {400, 2, "2 stores to line a", store_of(a, 2)},
                                         {500, 0, "0 reads a device", load_of(device_at)}};
  testing::bus_bench bench(3);
  testing::unit_trace trace(bench.bus);
  one_word device;
  bench.bus.attach({device_at, word_bytes}, device);
  for (const bus_access& each : accesses) {
    if (each.request.address == device_at) {
      bench.offer_word(each.processor, each.when, each.request);
    } else {
      bench.offer(each.processor, each.when, each.request);
    }
  }
  bench.run();
  text_table table(
      {"asked in", "access", "transaction", "address phase", "data phase", "words of", "done in"});
  std::array<std::size_t, 3> done{};
  const std::vector<trace_event>& events = trace.events();
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    const bus_access& each = accesses[i];
    const auto identity = trace_identity::reference(static_cast<std::uint32_t>(each.processor), i);
    std::string kind;
    for (const trace_event& event : events) {
      if (event.identity != identity) continue;
      kind = name_of(static_cast<bus_transaction>(bus_events::transaction.in(event.details)));
    }
    table.add({std::to_string(each.when), each.text, kind,
               phase_of(events, identity, bus_events::address_phase),
               phase_of(events, identity, bus_events::data_phase),
               source_of(events, identity, bench.bus.masters()),
               std::to_string(bench.completions(each.processor)[done[each.processor]++].cycle)});
  }
  return table.text();
}

std::string data_buffers_timeline() {
  agenda clockwork;
  memory_controller memory({}, clockwork);
  data_buffers buffers({}, clockwork, node_id{0});
  const payload_handle data = buffers.allocate(buffer_claim::handler, 0).value();
  line_data words{};
  const memory_transfer transfer = memory.read_line(0, 0, words);
  buffers.fill(data, words, transfer);
  const cycle_t start = buffers.earliest_start(data, line_words, 5, 2, 0);
  text_table table({"doubleword", "valid from", "on the link in"});
  for (const std::size_t i : {0U, 1U, 2U, 3U, 4U, 14U, 15U}) {
    table.add({std::to_string(i), std::to_string(buffers.valid(data, i)),
               std::to_string(start + i * 5 / 2)});
  }
  return table.text();
}

namespace {

/// A row for each link that a message begins to cross, and for each arrival.
class crossing_table final : public observer<link_event>, public network_endpoint {
 public:
  void on_event(const link_event& event) override {
    const std::string from = std::to_string(index(event.from));
    const std::string to = std::to_string(index(event.to));
    const std::string link = event.kind == link_kind::injection  ? "node " + from + " to router"
                             : event.kind == link_kind::ejection ? "router to node " + to
                                                                 : from + " to " + to;
    add(event.cycle, event.transfer, link, event.last);
  }
  void room(std::uint8_t, cycle_t) override {}
  void arrive(const network_transfer& what, cycle_t head, cycle_t tail) override {
    add(head, what, "first word at node " + std::to_string(index(what.destination)), tail);
  }

  std::string text() const {
    text_table table({"cycle", "message", "link", "busy before"});
    for (const auto& [cycle, cells] : rows_) table.add(cells);
    return table.text();
  }

 private:
  void add(cycle_t cycle, const network_transfer& what, const std::string& where, cycle_t last) {
    rows_.emplace(cycle,
                  std::vector<std::string>{std::to_string(cycle),
                                           name_of_sequence(static_cast<std::uint32_t>(what.cargo)),
                                           where, std::to_string(last)});
  }

  std::multimap<cycle_t, std::vector<std::string>> rows_;
};

}  // namespace

std::string routed_network_timeline() {
  message_network_config config;
  config.topology = topology_kind::hypercube;
  routed_network network(config, 8);
  crossing_table table;
  network.observers().attach(table);
  for (std::uint32_t n = 0; n < network.nodes(); ++n) network.attach(node_id{n}, table);
  network.send({node_id{0}, node_id{7}, 1, 128, 0}, 1);
  network.send({node_id{1}, node_id{7}, 0, 0, 1}, 4);
  network.advance_to(200);
  return table.text();
}

}  // namespace tributary::documentation
