// SPDX-License-Identifier: Apache-2.0
#include <tributary/network/omega/switch_column.h>

#include <algorithm>
#include <initializer_list>
#include <string>

#include <tributary/sim/count_down.h>
#include <tributary/sim/error.h>
#include <tributary/sim/parameters.h>
#include <tributary/sim/statistics.h>

namespace tributary {
namespace {

combining_queue_config queue_config(const combining_switch_config& config) {
  combining_queue_config queue;
  queue.slots = config.slots;
  queue.adaptive_limit = config.adaptive_limit;
  queue.adaptation = config.adaptation;
  queue.coupled = config.coupled;
  queue.order = config.order;
  queue.writers = config.writers();
  queue.combining_forms = config.combining_forms();
  queue.microarchitecture = config.microarchitecture;
  return queue;
}

/// Why a value of `key` does not go with others.
struct conflict {
  bool is_there;
  const char* problem;
  const char* advice;
};

void refuse(const char* key, const char* allowed, std::initializer_list<conflict> conflicts) {
  for (const conflict& each : conflicts) {
    if (each.is_there) throw configuration_error({key, "", each.problem, allowed, each.advice});
  }
}

}  // namespace

std::uint8_t form_selection::bits() const {
  unsigned bits = 0;
  for (unsigned i = 0; i < form_count; ++i) {
    const bool takes_part = enabled[i] && combines(static_cast<form>(i));
    bits |= (takes_part ? 1U : 0U) << i;
  }
  return static_cast<std::uint8_t>(bits);
}

void form_selection::bind(parameter_set& parameters) {
  for (unsigned i = 0; i < form_count; ++i) {
    const auto kind = static_cast<form>(i);
    if (!combines(kind)) continue;
    const std::string name(name_of(kind));
    parameters.add(name, enabled[i], "Whether requests of the form " + name + " combine.");
  }
}

std::uint32_t combining_switch_config::slots_to_combine() const {
  // A waiting entry (behind the head, if decoupled) and, by the ready rule, room for every writer.
  return (coupled ? 1 : 2) + writers();
}

void combining_counters::join(const combining_counters& other) {
  arrived += other.arrived;
  combined += other.combined;
  departed += other.departed;
  decombined += other.decombined;
  wait_buffer_peak = std::max(wait_buffer_peak, other.wait_buffer_peak);
  waiting_cycles += other.waiting_cycles;
  held_cycles += other.held_cycles;
}

void column_totals::take(column_totals& part) {
  counters.join(part.counters);
  waiting += part.waiting;
  held += part.held;
  part = {};
}

void report_counters(const combining_counters& counts, const combining_switch_config& config,
                     std::size_t switches, statistics_group& group) {
  const std::uint64_t ports = 2 * switches;
  const std::uint64_t queues = ports * (config.type == queue_type::a ? 1 : 2);
  const auto per = [](std::uint64_t part, std::uint64_t whole) {
    return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
  };
  group.add("arrived", counter(counts.arrived), "requests", "Requests that arrived at the stage.");
  group.add("combined", counter(counts.combined), "requests",
            "Arrivals that joined a waiting request.");
  group.add("combining_rate", per(counts.combined, counts.arrived), "1",
            "Combined requests as a fraction of arrivals; at most 0.5 (FG Figure 5).");
  group.add("departed", counter(counts.departed), "requests", "Requests that left the stage.");
  group.add("decombined", counter(counts.decombined), "responses",
            "Responses that a wait buffer yielded.");
  group.add("queue_occupancy", per(counts.waiting_cycles, counts.cycles * queues), "requests",
            "Mean number of entries in a combining queue, over all queues of the stage.");
  group.add("wait_buffer_occupancy", per(counts.held_cycles, counts.cycles * ports), "requests",
            "Mean number of entries in a wait buffer, over all wait buffers of the stage.");
  group.add("wait_buffer_peak", counts.wait_buffer_peak, "requests",
            "Largest number of entries in one wait buffer of the stage.");
}

switch_column::switch_column(const combining_switch_config& config, unsigned route_bit,
                             std::size_t count)
    : config_((config.validate(), config)),
      route_bit_(route_bit),
      count_(count),
      dual_input_(config.type == queue_type::a),
      two_queues_(dual_input_ ? 0 : 1),
      queues_(queue_config(config), 2 * count * (dual_input_ ? 1 : 2)),
      wait_buffers_(config.wait_buffer_entries, 2 * count),
      reverse_queues_(config.reverse_slots, 2 * count),
      status_(2 * count),
      request_timer_(2 * count),
      reply_timer_(2 * count),
      request_ready_(2 * count),
      reply_ready_(2 * count),
      reply_waiting_(2 * count),
      took_arrival_(dual_input_ ? 2 * count : 0),
      active_requests_(2 * count),
      active_replies_(2 * count) {
  refresh_all();
}

void switch_column::refresh_all() {
  for (std::size_t port = 0; port < 2 * count_; ++port) {
    for (unsigned number = 0; number <= two_queues_; ++number) {
      const std::size_t queue = queue_of(port, number);
      refresh_head(port, number, queue);
      refresh_request_ready(port, number, queue);
    }
    refresh_wait_buffer(port);
  }
  for (std::size_t line = 0; line < 2 * count_; ++line) refresh_reverse(line);
  active_requests_.set_all();
  active_replies_.set_all();
}

void switch_column::check_registered() const {
  std::vector<std::size_t> requests(queues_.count());
  for (const auto& [line, request] : registered_.requests) {
    require_within(line < 2 * count_);
    const auto [port, number] = place_of(line, request);
    ++requests[queue_of(port, number)];
  }
  for (std::size_t queue = 0; queue < requests.size(); ++queue) {
    require_within(queues_.announced(queue) == requests[queue]);
  }
  for (const auto& each : registered_.replies) require_within(each.place < 2 * count_);
}

void switch_column::depart(const std::uint8_t* next_request_ready,
                           const std::uint8_t* next_reply_ready, switch_departures& leaving) {
  fit(leaving);
  depart_requests({0, 2 * count_}, next_request_ready, leaving);
  depart_replies({0, 2 * count_}, next_reply_ready, leaving);
}

void switch_column::fit(switch_departures& leaving) {
  const std::size_t ports = status_.size();
  if (leaving.requests.size() == ports) return;
  leaving.requests.resize(ports);
  leaving.replies.resize(ports);
  active_requests_.set_all();
  active_replies_.set_all();
}

void switch_column::depart_requests(const port_range& ports, const std::uint8_t* next_ready,
                                    switch_departures& leaving) {
  active_requests_.for_each_and_keep(ports, [&](std::size_t first, std::size_t last) {
    if (dual_input_) std::fill_n(took_arrival_.data() + first, last - first, small_number());
    return depart_requests(first, last - first, next_ready + (first - ports.first),
                           bytes_of(leaving.requests) + first);
  });
}

void switch_column::depart_replies(const port_range& lines, const std::uint8_t* next_ready,
                                   switch_departures& leaving) {
  active_replies_.for_each_and_keep(lines, [&](std::size_t first, std::size_t last) {
    return depart_replies(first, last - first, next_ready + (first - lines.first),
                          bytes_of(leaving.replies) + first);
  });
}

// Comparisons of bytes, no branches and no shifts: compilers make vector instructions of it.
bool switch_column::depart_requests(std::size_t first, std::size_t count,
                                    const std::uint8_t* next_ready, std::uint8_t* leaving) const {
  const std::uint8_t* status = bytes_of(status_) + first;
  const std::uint8_t* timer = bytes_of(request_timer_) + first;
  std::uint8_t busy = 0;
  for (std::size_t port = 0; port < count; ++port) {
    const std::uint8_t now = status[port];
    const std::uint8_t room = next_ready[port] & 3;
    const auto twice = static_cast<std::uint8_t>(room + room);
    const auto fourfold = static_cast<std::uint8_t>(twice + twice);
    const auto both = static_cast<std::uint8_t>(room + fourfold + fourfold);  // for either head
    const std::uint8_t wanted = now & both;
    const bool can_0 = ((wanted & (head_0_to_0 | head_0_to_1)) != 0) & ((now & held_0) != held_0);
    const bool can_1 = ((wanted & (head_1_to_0 | head_1_to_1)) != 0) & ((now & held_1) != held_1);
    const bool second_first = (now & queue_1_first) != 0;
    const bool link_free = timer[port] == 0;
    const bool go_0 = can_0 & link_free & !(second_first & can_1);
    const bool go_1 = can_1 & link_free & !(!second_first & can_0);
    const std::uint8_t queue_0 = go_0 ? switch_departures::first_queue : std::uint8_t{0};
    const std::uint8_t queue_1 = go_1 ? switch_departures::second_queue : std::uint8_t{0};
    const std::uint8_t full =
        (now & buffer_full) != 0 ? switch_departures::wait_buffer_full : std::uint8_t{0};
    leaving[port] = static_cast<std::uint8_t>(queue_0 | queue_1 | full);
    busy = static_cast<std::uint8_t>(busy | (now & any_head) | timer[port]);
  }
  return busy != 0;
}

bool switch_column::depart_replies(std::size_t first, std::size_t count,
                                   const std::uint8_t* next_ready, std::uint8_t* leaving) const {
  const std::uint8_t* waiting = bytes_of(reply_waiting_) + first;
  const std::uint8_t* timer = bytes_of(reply_timer_) + first;
  std::uint8_t busy = 0;
  for (std::size_t line = 0; line < count; ++line) {
    const std::uint8_t link_free = timer[line] == 0 ? 1 : 0;
    leaving[line] = static_cast<std::uint8_t>(waiting[line] & next_ready[line] & link_free);
    busy = static_cast<std::uint8_t>(busy | waiting[line] | timer[line]);
  }
  return busy != 0;
}

void switch_column::advance_links() {
  sample();
  advance_timers(whole());
}

void switch_column::sample() {
  ++totals_.counters.cycles;
  totals_.counters.waiting_cycles += totals_.waiting;
  totals_.counters.held_cycles += totals_.held;
}

void switch_column::advance_timers(const column_part& part) {
  active_requests_.for_each(part.ports, [&](std::size_t first, std::size_t last) {
    count_down(request_timer_, first, last);
  });
  for (const port_range& lines : part.lines) {
    active_replies_.for_each(
        lines, [&](std::size_t first, std::size_t last) { count_down(reply_timer_, first, last); });
  }
}

void switch_column::commit(const switch_departures& leaving, const arrivals& arriving,
                           partner_pool& pool) {
  switch_departures now = leaving;
  advance_links();
  for (std::size_t port = 0; port < 2 * count_; ++port) {
    if ((now.requests[port] & switch_departures::any_queue) != 0) release_request(port, now, pool);
    if (now.replies[port] != 0) release_reply(port);
  }
  for (std::size_t line = 0; line < 2 * count_; ++line) {
    if (arriving.requests[line]) accept_request(line, *arriving.requests[line], now, pool);
  }
  for (std::size_t port = 0; port < 2 * count_; ++port) {
    if (arriving.replies[port]) accept_reply(port, *arriving.replies[port], pool);
  }
  settle(now, pool);
}

void switch_column::hold_arrivals(const partner_pool& pool) {
  for (const auto& [line, request] : registered_.requests) {
    const auto [port, number] = place_of(line, request);
    const std::size_t queue = queue_of(port, number);
    queues_.announce(queue);
    refresh_request_ready(port, number, queue);
  }
  const auto announce = [&](std::size_t line) {
    reverse_queues_.announce(line);
    refresh_reverse(line);
  };
  for (const auto& [port, response] : registered_.replies) {
    announce(line_of(port, response.pe));
    const partner_index second = wait_buffers_.find(port, response.id(), pool);
    if (second != no_partner) announce(line_of(port, pool[second].second.pe));
  }
}

const packet* switch_column::departing_request(std::size_t port,
                                               const switch_departures& leaving) const {
  const unsigned granted = leaving.requests[port] & switch_departures::any_queue;
  return granted == 0 ? nullptr : &queues_.head(queue_of(port, granted >> 1));
}

const reply* switch_column::departing_reply(std::size_t line,
                                            const switch_departures& leaving) const {
  return leaving.replies[line] == 0 ? nullptr : &reverse_queues_.head(line);
}

void switch_column::publish(std::size_t index, const std::array<std::uint8_t, 2>& request_ready,
                            const std::array<bool, 2>& reply_ready) {
  for (std::size_t i = 0; i < 2; ++i) {
    request_ready_[i * count_ + index] = request_ready[i];
    reply_ready_[2 * index + i] = static_cast<std::uint8_t>(reply_ready[i]);
  }
}

void switch_column::make_active(std::size_t index) {
  active_requests_.set(2 * index);
  active_replies_.set(index);
  active_replies_.set(count_ + index);
}

void switch_column::count(const switch_traffic& departed, const switch_traffic& arrived,
                          const switch_activity& activity, std::uint64_t wait_buffer_peak) {
  combining_counters& counters = totals_.counters;
  for (std::size_t i = 0; i < 2; ++i) {
    if (departed.requests[i]) ++counters.departed, --totals_.waiting;
    if (activity.held[i]) ++totals_.held;
    if (arrived.requests[i]) ++counters.arrived, ++totals_.waiting;
    if (activity.decombined[i]) ++counters.decombined, --totals_.held;
  }
  counters.combined += activity.combined.size();
  totals_.waiting -= activity.combined.size();
  counters.wait_buffer_peak = std::max(counters.wait_buffer_peak, wait_buffer_peak);
}

bool switch_column::idle() const {
  if (totals_.waiting != 0 || totals_.held != 0 || !registered_.empty()) return false;
  for (std::size_t line = 0; line < 2 * count_; ++line) {
    if (!reverse_queues_.empty(line)) return false;
  }
  return true;
}

void switch_column::move_partners(const port_range& ports, const partner_pool& from,
                                  partner_pool& to) {
  const auto move = [&](partner_index each) { return to.acquire(from[each]); };
  const unsigned queues = 1 + two_queues_;
  for (std::size_t port = ports.first; port < ports.last; ++port) {
    for (unsigned number = 0; number < queues; ++number) {
      queues_.for_each_partner(queue_of(port, number),
                               [&](partner_index& each) { each = move(each); });
    }
    wait_buffers_.copy_buffer(port, wait_buffers_, port, from, to, move);
  }
}

void switch_column::begin_copy(const switch_column& other) {
  route_bit_ = other.route_bit_;
  totals_ = other.totals_;
  active_requests_.set_all();
  active_replies_.set_all();
}

void switch_column::copy_switch(std::size_t to, const switch_column& other, std::size_t from,
                                const partner_pool& other_pool, partner_pool& pool) {
  const auto move = [&](partner_index each) { return pool.acquire(other_pool[each]); };
  for (std::size_t i = 0; i < 2; ++i) {
    const std::size_t port = 2 * to + i;
    const std::size_t other_port = 2 * from + i;
    status_[port] = other.status_[other_port];
    request_timer_[port] = other.request_timer_[other_port];
    reply_ready_[port] = other.reply_ready_[other_port];
    for (unsigned number = 0; number <= two_queues_; ++number) {
      const std::size_t queue = queue_of(port, number);
      queues_.copy_queue(queue, other.queues_, other.queue_of(other_port, number));
      queues_.for_each_partner(queue, [&](partner_index& each) { each = move(each); });
    }
    wait_buffers_.copy_buffer(port, other.wait_buffers_, other_port, other_pool, pool, move);
    const std::size_t line = i * count_ + to;
    const std::size_t other_line = i * count_ + from;
    reply_timer_[line] = other.reply_timer_[other_line];
    request_ready_[line] = other.request_ready_[other_line];
    reply_waiting_[line] = other.reply_waiting_[other_line];
    reverse_queues_.copy_queue(line, other.reverse_queues_, other_line);
  }
}

void switch_column::normalize() {
  queues_.normalize();
  reverse_queues_.normalize();
}

bool switch_column::equals(const partner_pool& pool, const switch_column& other,
                           const partner_pool& other_pool) const {
  // What is not compared here is derived from what is; status_ holds the priorities as well.
  return count_ == other.count_ && status_ == other.status_ &&
         request_timer_ == other.request_timer_ && reply_timer_ == other.reply_timer_ &&
         queues_.equals(pool, other.queues_, other_pool) &&
         wait_buffers_.equals(pool, other.wait_buffers_, other_pool) &&
         reverse_queues_ == other.reverse_queues_ && registered_ == other.registered_;
}

void combining_switch_config::bind(parameter_set& parameters) {
  using u32 = interval<std::uint32_t>;
  parameters.add_choice("queue_type", type, {{"A", queue_type::a}, {"B", queue_type::b}},
                        "One dual-input combining queue per output port (A), or two single-input "
                        "queues behind a multiplexer (B).");
  parameters.add("coupled", coupled,
                 "Whether the head of a combining queue may still combine (coupled) or not.");
  parameters.add("slots", slots, u32{1, 64}, "requests",
                 "Slots of each combining queue, each for one plain or combined request.");
  parameters.add("adaptive_limit", adaptive_limit, u32{0, 64}, "requests",
                 "A combining queue reports full while it holds this many combined requests; 0 "
                 "means not adaptive.");
  parameters.add_choice(
      "adaptation", adaptation,
      {{"crude", queue_adaptation::crude}, {"gradual", queue_adaptation::gradual}},
      "Whether adaptive_limit holds always (crude), or a queue comes to it from "
      "its slots as the combining rate that it measures rises (gradual).");
  parameters.add("wait_buffer_entries", wait_buffer_entries, u32{1, 65535}, "requests",
                 "Entries of the wait buffer of each memory-side port.");
  parameters.add_choice("order", order,
                        {{"oldest", match_order::oldest}, {"ordered", match_order::ordered}},
                        "Which waiting request an arrival joins: the oldest, or the oldest that "
                        "keeps requests of one input to one word in order.");
  parameters.add_choice("microarchitecture", microarchitecture,
                        {{"parallel", queue_microarchitecture::parallel},
                         {"systolic", queue_microarchitecture::systolic}},
                        "How a combining queue finds whom a request joins: it compares an arrival "
                        "with every entry at once (parallel), or entries that pass each other, in "
                        "the cycles after it (systolic).");
  parameters.add("link_cycles", link_cycles, u32{1, 128}, "cycles",
                 "A link carries one message every so many cycles.");
  parameters.add("arrival_registers", arrival_registers,
                 "Whether what arrives over a link stays a cycle in a register before it enters a "
                 "queue: a stage of pipeline, for a shorter cycle.");
  parameters.add("reverse_slots", reverse_slots, u32{reverse_queue::arrivals_per_cycle + 1, 4096},
                 "responses",
                 "Slots of each reverse queue: room for the four responses of one cycle and one "
                 "that waits.");
  parameters.add("combining", combining, "Whether requests combine at all.");
  parameters.add_group("combine", combine, "Combining per form of request.");
}

// The sentences are those of rtl/combining_switch.sv too; a test compares them.
void combining_switch_config::validate() const {
  check_ranges(*this);
  if (slots < writers()) {
    throw configuration_error({"network.slots", "",
                               std::to_string(slots) +
                                   " with queue_type A: it is ready only with room for both "
                                   "inputs, so it would never accept a request",
                               "2 to 64 requests", "use 2 slots or more, or queue_type B"});
  }
  const bool is_systolic = microarchitecture == queue_microarchitecture::systolic;
  const bool is_gradual = adaptation == queue_adaptation::gradual;
  refuse("network.microarchitecture", "parallel, or systolic with queue_type B and order oldest",
         {{is_systolic && type != queue_type::b,
           "systolic with queue_type A: a systolic queue has one input", "use queue_type B"},
          {is_systolic && order != match_order::oldest,
           "systolic with order ordered: a systolic queue keeps no seals",
           "use order oldest, and interface.policy one_per_word where order matters"}});
  refuse("network.arrival_registers", "false, or true with microarchitecture parallel",
         {{is_systolic && arrival_registers,
           "true with microarchitecture systolic: it compares nothing in the cycle of an arrival",
           "use microarchitecture parallel, or no arrival_registers"}});
  refuse("network.adaptation",
         "crude, or gradual with an adaptive_limit and microarchitecture parallel",
         {{is_gradual && adaptive_limit == 0,
           "gradual with adaptive_limit 0: there is no limit to come to",
           "set adaptive_limit, or use adaptation crude"},
          {is_gradual && is_systolic,
           "gradual with microarchitecture systolic: it measures no combining rate",
           "use microarchitecture parallel, or adaptation crude"}});
}

}  // namespace tributary
