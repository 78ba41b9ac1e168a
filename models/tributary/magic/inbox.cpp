// SPDX-License-Identifier: Apache-2.0
#include <tributary/magic/inbox.h>
#include <tributary/magic/node_events.h>

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include <tributary/controller/promised_sends.h>
#include <tributary/sim/error.h>
#include <tributary/sim/parameters.h>
#include <tributary/sim/state_archive.h>
#include <tributary/trace/catalog.h>

namespace tributary {
namespace {

constexpr std::uint64_t wake_to_select = 0;
constexpr std::uint64_t wake_to_read = 1;

/// Without the software queue, which is in front or at the end of these, and the idle handler,
/// which is always in front (FLASH footnote 9; the rest is [P]).
constexpr std::array<inbox_input, 5> by_priority{inbox_input::reply_lane, inbox_input::third_lane,
                                                 inbox_input::fourth_lane,
                                                 inbox_input::request_lane, inbox_input::processor};

struct input_kind {
  const char* name;
  promised_sends promised;
};
constexpr std::array<input_kind, inbox_inputs> input_kinds{
    {{"processor", promised_to(message_origin::processor, message_lane::request)},
     {"request_lane", promised_to(message_origin::network, message_lane::request)},
     {"reply_lane", promised_to(message_origin::network, message_lane::reply)},
     {"third_lane", promised_to(message_origin::network, message_lane::third)},
     {"fourth_lane", promised_to(message_origin::network, message_lane::fourth)},
     {"software_queue", promised_to(message_origin::deferred, message_lane::request)},
     {"idle_handler", promised_to(message_origin::timed, message_lane::request)}}};

[[noreturn]] void fail_without_rule(const message& header, inbox_input input,
                                    const jump_table& table, cycle_t now) {
  const address_layout& layout = table.addresses();
  const node_id home = layout.node_of(header.address);
  throw simulation_error(fmt::format(
      "no rule of the jump table fits a message of type {} from {} (source node {}, {} address: "
      "node {}, space {}, offset {}; flavor {}, process {}) at node {} in cycle {}",
      header.type, name_of(input), index(header.source), home == table.here() ? "local" : "remote",
      index(home), layout.space_of(header.address), layout.offset_of(header.address), header.flavor,
      header.process, index(table.here()), now));
}

}  // namespace

const char* name_of(inbox_input input) {
  return input_kinds.at(static_cast<std::size_t>(input)).name;
}

void inbox_config::bind(parameter_set& parameters) {
  parameters.add("select_cycles", select_cycles, {1, 1000}, "cycles",
                 "to select a queue; not published, proposed: 1");
  parameters.add("jump_table_cycles", jump_table_cycles, {0, 1000}, "cycles",
                 "to look a handler up, then a line may be read ahead; not published, proposed: 2");
  parameters.add(
      "software_queue_turn", software_queue_turn, {2, 1000000}, "selections",
      "the software queue has priority for one selection in so many (with 1 a deferred "
      "handler that stays queued would keep out what it waits for); not published; with 4 "
      "the lines of Figure 5.17 that come home do not take the buffers of those to come");
  parameters.add("processor_turn", processor_turn, {1, 1000000}, "selections",
                 "a message of the processor that was skipped in processor_turn - 1 selections "
                 "goes ahead of the lanes; proposed: 16");
  parameters.add("request_turn", request_turn, {1, 1000000}, "selections",
                 "a message of the request lane that was skipped in request_turn - 1 selections "
                 "goes ahead of the other lanes; proposed: 16");
  parameters.add("speculative_reads", speculative_reads,
                 "whether a line is read before its handler runs, where a rule says so");
}

inbox::inbox(const inbox_config& config, agenda& time, const jump_table& table,
             data_buffers& buffers, const outgoing_space& outgoing)
    : config_((check_ranges(config), config)),
      agenda_(time),
      table_(table),
      buffers_(buffers),
      outgoing_(outgoing) {
  agenda_.enroll(*this);
  buffers_.add_listener(*this);
}

void inbox::connect(inbox_input input, inbox_source& from) {
  inputs_[static_cast<std::size_t>(input)].from = &from;
}

void inbox::connect(inbox_input input, direct_source& from) {
  input_state& state = inputs_[static_cast<std::size_t>(input)];
  state.from = &from;
  state.direct = &from;
  from.tell(*this);
}

void inbox::look(cycle_t now) {
  // While one is selected, `take` looks for the next.
  if (looking_ || selected_) return;
  looking_ = true;
  agenda_.wake(*this, now, wake_to_select);
}

void inbox::wake(cycle_t now, std::uint64_t tag) {
  if (tag == wake_to_read) {
    // The message may have been taken in this cycle; the next is selected behind this wake-up.
    if (read_pending_) start_read(now);
    return;
  }
  looking_ = false;
  if (!selected_) select(now);
}

// Most inputs are empty, so what finds them so is inlined into `select`.
inline bool inbox::try_input(inbox_input from, cycle_t now) {
  inbox_source* const source = inputs_[static_cast<std::size_t>(from)].from;
  const message* const front = source == nullptr ? nullptr : source->front(now);
  return front != nullptr && try_message(from, *front, now);
}

void inbox::select(cycle_t now) {
  count_held(now);
  for (input_state& each : inputs_) each.held_by = guard::none;
  if (try_input(inbox_input::idle_handler, now)) return;
  const bool queue_first = others_ + 1 >= config_.software_queue_turn;
  if (queue_first && try_input(inbox_input::software_queue, now)) return;
  // The lanes could keep the processor out for ever, and the other lanes the requests.
  const bool processor_is_due = processor_passed_over_ + 1 >= config_.processor_turn;
  if (processor_is_due && try_input(inbox_input::processor, now)) return;
  const bool requests_are_due = requests_passed_over_ + 1 >= config_.request_turn;
  if (requests_are_due && try_input(inbox_input::request_lane, now)) return;
  for (const inbox_input each : by_priority) {
    if (try_input(each, now)) return;
  }
  if (!queue_first) try_input(inbox_input::software_queue, now);
}

bool inbox::try_message(inbox_input from, const message& front, cycle_t now) {
  input_state& input = inputs_[static_cast<std::size_t>(from)];
  const promised_sends promised = input_kinds[static_cast<std::size_t>(from)].promised;
  if (!room_for(promised.requests, promised.replies)) {
    input.held_by = guard::space;
    return false;
  }
  dispatch next;
  next.from = from;
  next.requests = promised.requests;
  next.replies = promised.replies;
  speculation ahead = speculation::none;
  if (input.direct != nullptr) {
    next.run = input.direct->front_handler();
    next.ready = now + config_.select_cycles;
  } else {
    const std::optional<jump_table_entry> found =
        table_.find(front, buffers_.available(buffer_claim::handler));
    if (!found) {
      if (!table_.find(front, true)) fail_without_rule(front, from, table_, now);
      input.held_by = guard::buffer;
      return false;
    }
    next.run = found->run;
    next.ready = now + config_.select_cycles + config_.jump_table_cycles;
    ahead = found->ahead;
  }
  next.header = input.from->take(now);
  if (may_read(ahead, next.header)) read_ahead(next, now);

  ++input.selected;
  others_ =
      from == inbox_input::software_queue ? 0 : std::min(others_ + 1, config_.software_queue_turn);
  count_passed_over(from, now);
  selected_ = next;
  if (trace_.on()) {
    const bool ends_write =
        from == inbox_input::processor &&
        next.header.type == static_cast<std::uint8_t>(common_type::uncached_write);
    trace_.add(
        node_events::event_of(ends_write ? node_events::write_selected : node_events::selected, now,
                              next.ready, next.header, next.run, from));
  }
  if (listener_ != nullptr) listener_->selected(now);
  return true;
}

void inbox::count_passed_over(inbox_input taken, cycle_t now) {
  const auto counted = [&](inbox_input from, std::uint32_t before, std::uint32_t turn) {
    auto* const waiting = inputs_[static_cast<std::size_t>(from)].from;
    const bool waits = from != taken && waiting != nullptr && waiting->front(now) != nullptr;
    return waits ? std::min(before + 1, turn) : 0;
  };
  processor_passed_over_ =
      counted(inbox_input::processor, processor_passed_over_, config_.processor_turn);
  requests_passed_over_ =
      counted(inbox_input::request_lane, requests_passed_over_, config_.request_turn);
}

bool inbox::room_for(std::uint32_t requests, std::uint32_t replies) const {
  // A lane on which the handler is promised nothing cannot hold it back (rule D3).
  return (requests == 0 ||
          outgoing_.space(message_lane::request) >= requests + running_requests_) &&
         (replies == 0 || outgoing_.space(message_lane::reply) >= replies + running_replies_);
}

bool inbox::may_read(speculation ahead, const message& header) const {
  if (ahead != speculation::read_other_line) return ahead == speculation::read_line;
  if (!running_address_) return true;
  if (runs_deferred_) return false;
  const line_size line = buffers_.config().line;
  const address_layout& layout = table_.addresses();
  return layout.node_of(header.address) != layout.node_of(*running_address_) ||
         line.start(layout.offset_of(header.address)) !=
             line.start(layout.offset_of(*running_address_));
}

void inbox::read_ahead(dispatch& chosen, cycle_t now) {
  if (reader_ == nullptr || !config_.speculative_reads || chosen.header.data != no_payload ||
      chosen.header.length != 0 ||
      table_.addresses().node_of(chosen.header.address) != table_.here()) {
    return;
  }
  const std::optional<payload_handle> data = buffers_.allocate(buffer_claim::handler, now);
  if (!data) {
    ++reads_without_buffer_;
    return;
  }
  ++reads_ahead_;
  chosen.header.data = *data;
  read_pending_ = true;
  // The table has to be read before it is known that the line is wanted.
  agenda_.wake(*this, chosen.ready, wake_to_read);
}

void inbox::start_read(cycle_t now) {
  read_pending_ = false;
  const message& header = selected_->header;
  const std::uint64_t offset = table_.addresses().offset_of(header.address);
  reader_->start_read(header.data, offset - offset % word_bytes, now);
}

dispatch inbox::take(cycle_t now) {
  if (!selected_) throw error("inbox: nothing is selected; ask selected() before take()");
  if (now < selected_->ready) {
    throw error("inbox: a dispatch is ready in cycle " + std::to_string(selected_->ready) +
                " and was taken in cycle " + std::to_string(now));
  }
  // In this cycle the processor may have been woken first.
  if (read_pending_) start_read(now);
  const dispatch taken = *selected_;
  selected_.reset();
  running_address_ = taken.header.address;
  runs_deferred_ = taken.from == inbox_input::software_queue;
  running_requests_ = taken.requests;
  running_replies_ = taken.replies;
  look(now);
  return taken;
}

void inbox::set_running(std::uint32_t requests, std::uint32_t replies) {
  const bool less = requests < running_requests_ || replies < running_replies_;
  running_requests_ = requests;
  running_replies_ = replies;
  if (less) look(agenda_.now());
}

void inbox::end_running() {
  running_address_.reset();
  set_running(0, 0);
}

void inbox::count_held(cycle_t until) {
  for (input_state& each : inputs_) {
    if (each.held_by == guard::space) each.held_for_space.add(until - looked_);
    if (each.held_by == guard::buffer) each.held_for_buffer.add(until - looked_);
  }
  looked_ = until;
}

void inbox::trace(const trace_scope& scope) { trace_ = scope.below(name()).add(); }

void inbox::reset_statistics() {
  for (input_state& each : inputs_) {
    reset_all(each.selected, each.held_for_space, each.held_for_buffer);
  }
  looked_ = agenda_.now();
  reset_all(reads_ahead_, reads_without_buffer_);
}

void inbox::report(statistics_group& into, std::uint64_t) const {
  for (std::size_t i = 0; i < inbox_inputs; ++i) {
    const input_state& each = inputs_[i];
    const counter since(each.held_by == guard::none ? 0 : agenda_.now() - looked_);
    counter for_space = each.held_for_space;
    counter for_buffer = each.held_for_buffer;
    if (each.held_by == guard::space) for_space += since;
    if (each.held_by == guard::buffer) for_buffer += since;
    statistics_group& group = into.group(name_of(static_cast<inbox_input>(i)));
    group.add("selected", each.selected, "messages", "Messages of this input that were selected.");
    group.add("held_for_space", for_space, "cycles",
              "Cycles for which a message was passed over because the queues to the network had "
              "too little room.");
    group.add("held_for_buffer", for_buffer, "cycles",
              "Cycles for which a message was passed over because no data buffer was free.");
  }
  into.add("reads_ahead", reads_ahead_, "lines", "Lines read before their handler ran.");
  into.add("reads_without_buffer", reads_without_buffer_, "lines",
           "Lines that were not read ahead because no data buffer was free.");
}

std::string inbox::save() const { return save_state(*this); }

void inbox::restore(const std::string& state) {
  restore_state(state, *this);
  require_state(!read_pending_ || selected_, "a line is to be read for no message");
}

}  // namespace tributary
