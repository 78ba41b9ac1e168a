// SPDX-License-Identifier: Apache-2.0
#include <tributary/magic/protocol_processor.h>

#include <algorithm>
#include <exception>

#include <fmt/format.h>

#include <tributary/controller/perform_operation.h>
#include <tributary/magic/node_events.h>
#include <tributary/sim/error.h>
#include <tributary/sim/parameters.h>
#include <tributary/sim/state_archive.h>
#include <tributary/trace/catalog.h>

namespace tributary {
namespace {

constexpr std::uint64_t wake_begin = 0;
constexpr std::uint64_t wake_run = 1;

/// More operations in one cycle than any handler has use for.
constexpr std::uint64_t most_operations = 1000000;

/// Names the handler already.
class broken_rule final : public simulation_error {
 public:
  using simulation_error::simulation_error;
};

}  // namespace

void protocol_processor_config::bind(parameter_set& parameters) {
  parameters.add("switch_cycles", switch_cycles, {0, 1000}, "cycles",
                 "To load a handler that is ready, behind the end of the one before (FLASH 2.3.2: "
                 "2, pipelined).");
  parameters.add("speed", speed, {1, 16}, "",
                 "How many times as fast handlers execute; memory and network stay as they are "
                 "(FLASH 5.5.1: 1, and 2 for the faster protocol processor).");
  parameters.add("outgoing_reserve", outgoing_reserve, {2, 1024}, "messages",
                 "Places of each outgoing queue that handlers get by a promise only (FLASH 2.3.6; "
                 "2 give the refusals of Figure 5.17).");
}

protocol_processor::protocol_processor(const protocol_processor_config& config, agenda& time,
                                       node_id here, const address_layout& addresses,
                                       const protocol_set& protocols, executor& runs,
                                       const protocol_processor_units& units)
    : config_((check_ranges(config), config)),
      agenda_(time),
      here_(here),
      addresses_(addresses),
      protocols_(protocols),
      executor_(runs),
      units_(units),
      occupancies_(protocols.handler_names().size()) {
  agenda_.enroll(*this);
  units_.in.set_listener(*this);
  units_.in.set_reader(*this);
  executor_.ask_first(*this);
}

// --- from one handler to the next ----------------------------------------------------------------

/// The last instructions of a handler load the next one, if it is ready by then (FLASH 2.3.2:
/// pipelined).
void protocol_processor::selected(cycle_t now) {
  if (state_ != activity::idle) return;
  state_ = activity::switching;
  agenda_.wake(*this, std::max(now, units_.in.selected()->ready + config_.switch_cycles),
               wake_begin);
}

void protocol_processor::wake(cycle_t now, std::uint64_t tag) {
  if (tag == wake_begin) begin(now);
  run(now);
}

void protocol_processor::begin(cycle_t now) {
  running_ = units_.in.take(now);
  state_ = activity::running;
  begun_ = now;
  origin_ = now;
  settled_ = now;
  owes_answer_ = wants_answer(running_.header);
  owes_reload_ = running_.from == inbox_input::software_queue;
  held_.clear();
  if (running_.header.data != no_payload) held_.push_back(running_.header.data);
  ++dispatches_;
  asked_ = executor_.start(running_.run, running_.header, now);
}

void protocol_processor::run(cycle_t now) {
  while (true) {
    const cycle_t due = due_of(asked_);
    if (due > now) {
      agenda_.wake(*this, due, wake_run);
      return;
    }
    if (asked_.operation == handler_operation::finish) {
      end(now);
      return;
    }
    count_operation(now);
    const std::optional<handler_answer> found = attempt(asked_, now);
    if (!found) return;
    asked_ = executor_.resume(*found);
  }
}

/// Handlers spend most of their operations on records in memory.
bool protocol_processor::perform_at_once(const handler_request& request,
                                         handler_answer& found) noexcept {
  const cycle_t now = agenda_.now();
  if (due_of(request) > now || (counted_in_ == now && operations_ == most_operations)) return false;
  if (!is_prompt(request.operation)) return false;
  try {
    found = *perform_operation(*this, request, now);
    count_operation(now);
  } catch (const std::exception&) {
    return false;  // it is tried again where an error may leave
  }
  return true;
}

void protocol_processor::count_operation(cycle_t now) {
  if (now != counted_in_) operations_ = 0;
  counted_in_ = now;
  if (++operations_ > most_operations) {
    breach("time", fmt::format("has done {} operations in this cycle; a loop that waits must spend "
                               "cycles",
                               most_operations));
  }
}

void protocol_processor::wait_until(cycle_t at) {
  const cycle_t now = agenda_.now();
  origin_ += at - now;
  waited_.add(at - now);
  agenda_.wake(*this, at, wake_run);
}

void protocol_processor::end(cycle_t now) {
  if (owes_answer_) {
    breach("uncached read", "ends without answering the processor; call answer or keep_read");
  }
  if (owes_reload_) {
    breach("software queue",
           "ends without reloading the registers of the software queue; call again or done");
  }
  if (units_.caches != nullptr && units_.caches->unread_states() != 0) {
    breach("state replies", "ends without having read a state that it asked for");
  }
  for (const payload_handle data : held_) {
    if (data != running_.header.data) {
      breach("data buffers", fmt::format("keeps data buffer {} at its end; send, release or retain "
                                         "what was allocated",
                                         static_cast<unsigned>(data)));
    }
    units_.buffers.release(data, now);
  }
  held_.clear();
  busy_.add(now - begun_);
  occupancies_[static_cast<std::size_t>(running_.run)].add(now - begun_);
  if (trace_.on()) {
    trace_.add(node_events::event_of(node_events::handled, begun_, now - 1, running_.header,
                                     running_.run, running_.from));
  }
  state_ = activity::idle;
  units_.in.end_running();
  if (units_.in.selected() != nullptr) {
    selected(now);
  } else {
    units_.in.look(now);
  }
}

// --- operations ----------------------------------------------------------------------------------

std::optional<handler_answer> protocol_processor::attempt(const handler_request& request,
                                                          cycle_t now) {
  try {
    return perform_operation(*this, request, now);
  } catch (const broken_rule&) {
    throw;
  } catch (const error& problem) {
    breach("operation", fmt::format("did what a unit refuses: {}", problem.what()));
  }
}

std::uint32_t protocol_processor::promised(message_lane over) const {
  return over == message_lane::request ? running_.requests
         : over == message_lane::reply ? running_.replies
                                       : 0;
}

std::uint64_t protocol_processor::room(message_lane over) const {
  // What comes over the reply lane must be sunk without sending anything (D3).
  if (running_.from == inbox_input::reply_lane) return 0;
  const std::uint32_t free = units_.outgoing.space(over);
  const std::uint32_t beyond =
      free > config_.outgoing_reserve ? free - config_.outgoing_reserve : 0;
  return std::max(beyond, promised(over));
}

std::uint64_t protocol_processor::space(const handler_request& request, cycle_t /*now*/) const {
  const auto over = static_cast<message_lane>(request.number);
  // A request whose payload has the last buffer that requests can have does not go on in it: if all
  // buffers waited for the network, those who wait in it would find none (D10).
  if (over != message_lane::reply && running_.header.origin == message_origin::network &&
      holds(running_.header.data) && !units_.buffers.available(buffer_claim::other_arrival)) {
    return 0;
  }
  return room(over);
}

void protocol_processor::send(const handler_request& request, cycle_t now) {
  message header = request.header;
  header.source = here_;
  if (is_line_reply(header.type)) {
    reply(header, now);
    return;
  }
  if (running_.from == inbox_input::reply_lane) {
    breach("rule D3",
           "sends a message, though it serves one of the reply lane; put it off by "
           "later");
  }
  if (room(header.over) == 0) {
    breach("rule D1", fmt::format("sends over the {} lane without room in its queue; ask space "
                                  "before a send that is not promised (rules D4, D6)",
                                  name_of(header.over)));
  }
  if (header.length > units_.buffers.config().line.bytes()) {
    breach("payload", fmt::format("sends {} bytes with a message (allowed: 0 to {})", header.length,
                                  units_.buffers.config().line.bytes()));
  }
  if (header.length != 0) {
    require_payload(header.data, "send");
    give_up(header.data);
    if (header.data == running_.header.data) running_.header.data = no_payload;
  }
  if (header.over == message_lane::request && running_.requests > 0) --running_.requests;
  if (header.over == message_lane::reply && running_.replies > 0) --running_.replies;
  header.identity = trace_identity::message(index(here_), messages_++);
  units_.out.send(header, now);
  if (units_.counted != nullptr) units_.counted->sent(running_.run, header);
  units_.in.set_running(running_.requests, running_.replies);
  if (trace_.on()) {
    trace_event event =
        node_events::event_of(node_events::sent, now, now, header, running_.run, running_.from);
    event.parent = running_.header.identity;
    trace_.add(event);
  }
}

void protocol_processor::reply(const message& header, cycle_t now) {
  if (!units_.out.has_lines() || header.destination != here_) {
    breach("caches", "replies to caches that are not this node's");
  }
  if (header.length != 0) {
    require_payload(header.data, "send");
    give_up(header.data);
    if (header.data == running_.header.data) running_.header.data = no_payload;
    units_.buffers.hand_over(header.data);
  }
  units_.out.reply(header, now);
}

void protocol_processor::answer(const handler_request& request, cycle_t now) {
  const auto tag = static_cast<std::uint8_t>(request.number);
  if (owes_answer_ && tag == running_.header.tag) owes_answer_ = false;
  units_.out.answer(tag, request.value, now);
}

void protocol_processor::interrupt(const handler_request& request, cycle_t now) {
  units_.out.interrupt(static_cast<std::uint32_t>(request.number), now);
}

word_t protocol_processor::keep_read(const handler_request& /*request*/, cycle_t /*now*/) {
  if (!owes_answer_) {
    breach("uncached read", "keeps a read of the processor that it does not owe an answer");
  }
  owes_answer_ = false;
  return running_.header.tag;
}

// --- payloads ------------------------------------------------------------------------------------

bool protocol_processor::holds(payload_handle data) const {
  return std::find(held_.begin(), held_.end(), data) != held_.end();
}

void protocol_processor::require_payload(payload_handle data, const char* operation) const {
  if (data == no_payload || static_cast<std::size_t>(data) >= units_.buffers.config().buffers ||
      units_.buffers.holders(data) == 0) {
    breach("data buffers",
           fmt::format("does {} with a data buffer that it does not have", operation));
  }
}

std::uint64_t protocol_processor::offset_of(std::uint64_t address) const {
  const node_id home = addresses_.node_of(address);
  // A mere offset looks like an address of node 0.
  if (home != here_ && home != node_id{0}) {
    breach("memory", fmt::format("reaches for address {:#x}, which is not this node's; send a "
                                 "message to its home, node {}",
                                 address, index(home)));
  }
  return addresses_.offset_of(address);
}

bool protocol_processor::give_up(payload_handle data) {
  const auto found = std::find(held_.begin(), held_.end(), data);
  if (found == held_.end()) return false;
  held_.erase(found);
  return true;
}

payload_handle protocol_processor::allocate(const handler_request& /*request*/, cycle_t now) {
  const std::optional<payload_handle> got = units_.buffers.allocate(buffer_claim::handler, now);
  if (!got) return no_payload;
  held_.push_back(*got);
  return *got;
}

void protocol_processor::retain(const handler_request& request, cycle_t /*now*/) {
  require_payload(request.data, "retain");
  units_.buffers.retain(request.data);
}

void protocol_processor::release(const handler_request& request, cycle_t now) {
  const payload_handle data = request.data;
  require_payload(data, "release");
  give_up(data);
  if (data == running_.header.data && !holds(data)) running_.header.data = no_payload;
  units_.buffers.release(data, now);
}

std::optional<handler_answer> protocol_processor::word(const handler_request& request,
                                                       cycle_t now) {
  require_payload(request.data, "word");
  if (!units_.buffers.filled(request.data, request.number)) {
    breach("data buffers", fmt::format("awaits word {} of data buffer {}, which nothing will fill",
                                       request.number, static_cast<unsigned>(request.data)));
  }
  const cycle_t valid = units_.buffers.valid(request.data, request.number);
  if (valid > now) {
    wait_until(valid);
    return std::nullopt;
  }
  return handler_answer{now, units_.buffers.word(request.data, request.number), request.data};
}

void protocol_processor::set_word(const handler_request& request, cycle_t now) {
  require_payload(request.data, "set_word");
  units_.buffers.set_word(request.data, request.number, request.value, now);
}

// --- memory --------------------------------------------------------------------------------------

void protocol_processor::tell_memory(const event_kind& kind, std::uint64_t offset,
                                     const memory_transfer& moved, trace_identity identity) const {
  if (!units_.memory.traced().on()) return;
  const bool runs = state_ == activity::running;
  trace_event event;
  event.cycle = moved.first;
  event.last = moved.last;
  event.kind = &kind;
  event.identity = identity;
  event.address = offset;
  event.details = node_events::handler.put(runs ? static_cast<std::uint64_t>(running_.run)
                                                : node_events::handler.absent());
  units_.memory.traced().add(event);
}

/// Ahead of its handler, for the message that is selected.
void protocol_processor::start_read(payload_handle data, std::uint64_t offset, cycle_t now) {
  const dispatch* const next = units_.in.selected();
  read_line(data, offset, now, next == nullptr ? trace_identity() : next->header.identity);
}

void protocol_processor::read_line(payload_handle data, std::uint64_t offset, cycle_t now,
                                   trace_identity identity) {
  line_data words{};
  const memory_transfer moved = units_.memory.read_line(offset, now, words);
  const line_size line = units_.buffers.config().line;
  units_.buffers.fill(data, words, moved, line.word(offset));
  tell_memory(node_events::memory_read, line.start(offset), moved, identity);
}

void protocol_processor::fill(const handler_request& request, cycle_t now) {
  require_payload(request.data, "fill");
  read_line(request.data, offset_of(request.address), now, running_.header.identity);
}

void protocol_processor::fill_realigned(const handler_request& request, cycle_t now) {
  require_payload(request.data, "fill_realigned");
  require_payload(request.second, "fill_realigned");
  const std::uint64_t offset = offset_of(request.address);
  const line_size line = units_.buffers.config().line;
  if (line.offset(offset) != 0) {
    breach("memory",
           fmt::format("shifts the line at offset {:#x}, where none begins; a shift takes "
                       "lines from their start on, multiples of {}",
                       offset, line.bytes()));
  }
  line_data words{};
  const memory_transfer moved = units_.memory.read_line(offset, now, words);
  units_.buffers.fill_realigned(request.data, request.second, request.number, words, moved);
  tell_memory(node_events::memory_read, offset, moved, running_.header.identity);
}

void protocol_processor::spill(const handler_request& request, cycle_t now) {
  require_payload(request.data, "spill");
  const line_stamps& valid = units_.buffers.stamps(request.data);
  for (std::size_t i = 0; i < units_.buffers.config().line.words(); ++i) {
    if (valid[i] == never) {
      breach("data buffers", fmt::format("spills data buffer {}, whose word {} nothing will fill",
                                         static_cast<unsigned>(request.data), i));
    }
  }
  const std::uint64_t offset = offset_of(request.address);
  const memory_transfer moved =
      units_.memory.write_line(offset, now, units_.buffers.words(request.data), valid);
  keep_until_written(request.data, units_.buffers.config().line.start(offset), moved);
}

void protocol_processor::spill_word(const handler_request& request, cycle_t now) {
  require_payload(request.data, "spill_word");
  const auto word = static_cast<std::size_t>(request.number);
  if (!units_.buffers.filled(request.data, word)) {
    breach("data buffers", fmt::format("spills word {} of data buffer {}, which nothing will fill",
                                       word, static_cast<unsigned>(request.data)));
  }
  const std::uint64_t offset = offset_of(request.address);
  const memory_transfer moved =
      units_.memory.write_word(offset, now, units_.buffers.word(request.data, word),
                               units_.buffers.valid(request.data, word));
  keep_until_written(request.data, offset, moved);
}

void protocol_processor::keep_until_written(payload_handle data, std::uint64_t offset,
                                            const memory_transfer& moved) {
  units_.buffers.retain(data);
  units_.buffers.release(data, moved.last);
  settled_ = std::max(settled_, moved.last);
  tell_memory(node_events::memory_written, offset, moved, running_.header.identity);
}

word_t protocol_processor::load(const handler_request& request, cycle_t /*now*/) const {
  return units_.memory.read(offset_of(request.address));
}

void protocol_processor::store(const handler_request& request, cycle_t /*now*/) {
  units_.memory.write(offset_of(request.address), request.value);
}

std::optional<handler_answer> protocol_processor::settle(const handler_request& /*request*/,
                                                         cycle_t now) {
  if (settled_ <= now) return handler_answer{now, 0, no_payload};
  wait_until(settled_);
  return std::nullopt;
}

// --- time ----------------------------------------------------------------------------------------

message protocol_processor::identified(message put_off) const {
  if (put_off.identity.none()) put_off.identity = running_.header.identity;
  return put_off;
}

void protocol_processor::later(const handler_request& request, cycle_t now) {
  units_.deferred.schedule(offset_of(request.address), request.run, identified(request.header),
                           now);
}

void protocol_processor::again(const handler_request& request, cycle_t now) {
  pay_reload();
  units_.deferred.reschedule(identified(request.header), now);
}

void protocol_processor::done(const handler_request& /*request*/, cycle_t now) {
  pay_reload();
  units_.deferred.unschedule(now);
}

void protocol_processor::pay_reload() {
  if (!owes_reload_) {
    breach("software queue", running_.from == inbox_input::software_queue
                                 ? "calls again or done twice"
                                 : "calls again or done, though the software queue did not run it");
  }
  owes_reload_ = false;
}

void protocol_processor::after(const handler_request& request, cycle_t now) {
  units_.timed.after(now + std::min(request.number, never - now), request.run,
                     identified(request.header));
}

// --- caches --------------------------------------------------------------------------------------

intervention_outlet& protocol_processor::caches(const char* operation) const {
  if (units_.caches == nullptr) {
    breach("caches", fmt::format("does {}, and the node's processor has no caches", operation));
  }
  return *units_.caches;
}

void protocol_processor::intervene(const handler_request& request, cycle_t now) {
  intervention_outlet& asked = caches("intervene");
  const bool wants_state = request.value != 0;
  if (request.data != no_payload) {
    require_payload(request.data, "intervene");
    if (!wants_state) breach("state replies", "wants a line of the caches and not its state");
  }
  if (wants_state && asked.unread_states() == most_state_replies) {
    breach("state replies",
           fmt::format("wants a state while {} are unread; read state_reply", most_state_replies));
  }
  asked.intervene(static_cast<intervention>(request.number), request.address, request.data,
                  wants_state, now);
}

std::optional<handler_answer> protocol_processor::state_reply(const handler_request& /*request*/,
                                                              cycle_t now) {
  intervention_outlet& asked = caches("state_reply");
  if (asked.unread_states() == 0) {
    breach("state replies", "reads a state that it has not asked for, or has read");
  }
  if (asked.state_known() > now) {
    wait_until(asked.state_known());
    return std::nullopt;
  }
  return handler_answer{now, static_cast<word_t>(asked.read_state()), no_payload};
}

void protocol_processor::count(const handler_request& request, cycle_t /*now*/) {
  if (units_.counted == nullptr) return;
  units_.counted->count(request.run, request.number, request.value);
}

// --- messages and reports ------------------------------------------------------------------------

void protocol_processor::trace(const trace_scope& scope) { trace_ = scope.below(name()).add(); }

void protocol_processor::breach(const char* rule, const std::string& fault) const {
  const message& with = running_.header;
  throw broken_rule(fmt::format(
      "{}: handler '{}' of node {} in cycle {} {} (its message: type {} from {} of node "
      "{}, address {:#x})",
      rule, protocols_.name_of(running_.run), index(here_), agenda_.now(), fault, with.type,
      tributary::name_of(running_.from), index(with.source), with.address));
}

void protocol_processor::reset_statistics() {
  reset_all(dispatches_, busy_, waited_);
  for (average& each : occupancies_) each.reset();
}

void protocol_processor::report(statistics_group& into, std::uint64_t cycles) const {
  into.add("dispatches", dispatches_, "handlers", "Handlers that were begun.");
  into.add("busy", busy_, "cycles", "Cycles in which a handler ran or waited.");
  into.add("waited", waited_, "cycles", "Of these, cycles in which it waited for data.");
  into.add("occupancy",
           cycles == 0 ? 0.0 : static_cast<double>(busy_.value()) / static_cast<double>(cycles), "",
           "Fraction of the cycles in which a handler ran or waited.");
  protocols_.report_occupancies(into, occupancies_);
}

std::string protocol_processor::save() const {
  return save_state(save_state(*this), executor_.save());
}

void protocol_processor::restore(const std::string& state) {
  std::string own;
  std::string handler;
  restore_state(state, own, handler);
  const std::size_t handlers = occupancies_.size();
  restore_state(own, *this);
  const std::optional<handler_request> request = executor_.restore(handler);
  const bool awaits_answer =
      state_ == activity::running && asked_.operation != handler_operation::finish;
  require_state(occupancies_.size() == handlers && request.has_value() == awaits_answer,
                "another handler runs");
  require_state(
      !request || (request->operation == asked_.operation && request->spent == asked_.spent &&
                   request->address == asked_.address && request->value == asked_.value &&
                   request->number == asked_.number && request->data == asked_.data),
      "a handler does not ask what it asked before");
}

}  // namespace tributary
