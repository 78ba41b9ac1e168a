// SPDX-License-Identifier: Apache-2.0
#include <tributary/systemc/memory_interface_module.h>

#include <algorithm>
#include <cstring>
#include <sstream>
#include <string>

#include <tributary/sim/for_each_set.h>
#include <tributary/sim/on_exit.h>
#include <tributary/sim/parameters.h>
#include <tributary/systemc/fetch_op.h>
#include <tributary/systemc/messages.h>
#include <tributary/systemc/socket_ends.h>

namespace tributary {
namespace {

constexpr word_t all_bytes = ~word_t{0};

bool can_load(const word_function& function) { return function.kind == form::identity; }

/// The mask as the byte enables of a write, if it selects whole bytes only: in memory the bytes of
/// such a word are the array that TLM-2.0 asks for.
bool selects_bytes(word_t mask) {
  for (unsigned byte = 0; byte < word_bytes; ++byte) {
    const word_t bits = (mask >> (8 * byte)) & 0xff;
    if (bits != 0 && bits != 0xff) return false;
  }
  return true;
}

/// Whether `function` is a write of some bytes, which needs no read before.
bool writes_bytes(const word_function& function) {
  return function.kind == form::merge && selects_bytes(function.b);
}

/// Makes a write of a word one of the bytes in `mask`. Neighbours become a shorter write, since
/// some memories do not know byte enables, and few of those say so.
void select_bytes(tlm::tlm_generic_payload& payload, word_t& mask) {
  const auto* const selected = reinterpret_cast<unsigned char*>(&mask);
  const auto* const begin = std::find(selected, selected + word_bytes, 0xff);
  const auto* const end = std::find(begin, selected + word_bytes, 0);
  if (begin != end && std::find(end, selected + word_bytes, 0xff) == selected + word_bytes) {
    const auto length = static_cast<unsigned>(end - begin);
    payload.set_address(payload.get_address() + static_cast<std::uint64_t>(begin - selected));
    payload.set_data_ptr(payload.get_data_ptr() + (begin - selected));
    payload.set_data_length(length);
    payload.set_streaming_width(length);
  } else {
    payload.set_byte_enable_ptr(reinterpret_cast<unsigned char*>(&mask));
    payload.set_byte_enable_length(word_bytes);
  }
}

/// Whether a target that was asked for a fetch_op gave no answer that counts, as plain memories do.
/// What is performed is never done again, whatever the response.
bool left_undone(const tlm::tlm_generic_payload& payload) {
  if (payload.get_extension<fetch_op>()->performed()) return false;
  const tlm::tlm_response_status response = payload.get_response_status();
  return response == tlm::TLM_OK_RESPONSE || response == tlm::TLM_INCOMPLETE_RESPONSE ||
         response == tlm::TLM_COMMAND_ERROR_RESPONSE;
}

/// Whether a report is one of this library or of SystemC itself, and says nothing of a command.
/// SystemC numbers its own from 100; below are general ones, such as sc_assert, and those of users
/// have no number.
bool is_of_the_simulator(const sc_core::sc_report& report) {
  constexpr int first_of_systemc = 100;
  return std::string(report.get_msg_type()).rfind("/tributary/", 0) == 0 ||
         report.get_id() >= first_of_systemc;
}

}  // namespace

/// One initiator socket: what comes back from its target, and what the port may do next.
class memory_interface_module::port final : public tlm::tlm_bw_transport_if<> {
 public:
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override {
    return owner->backward(*this, payload, phase, delay);
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64 first, sc_dt::uint64 last) override {
    owner->invalidate(module, first, last);
  }

  memory_interface_module* owner = nullptr;
  std::size_t module = 0;
  tlm::tlm_fw_transport_if<>* target = nullptr;

  std::uint32_t head = 0;  // of the ring of entries
  std::uint32_t size = 0;
  cycle_t next_request = 0;  // cycle from which the next request may begin
  cycle_t next_reply = 0;

  // The request phase: whose it is until its END_REQ, and when that is effective.
  const tlm::tlm_generic_payload* requesting = nullptr;
  ticks request_ends = 0;

  std::uint32_t asked = 0;   // transactions at the target that may change a word, but the unit's
  std::uint32_t undone = 0;  // entries that wait for the unit
  std::uint32_t held = 0;
  std::uint32_t threads = 0;  // loosely timed accesses that wait for the unit
  std::uint64_t turns = 0;    // of threads that had the unit
  unit_user unit = unit_user::nobody;
  word_t byte_enables = 0;   // of the unit's write
  bool direct_hint = false;  // of the last response to a thread

  bool completed = false;  // a response was ended by TLM_COMPLETED
  bool warned = false;     // of an unanswered transaction
  bool refuses_asks = false;
  tolerated_breach left_incomplete;
};

void memory_interface_config::bind(parameter_set& parameters) {
  using u32 = tributary::interval<std::uint32_t>;
  parameters.add("interval", interval, u32{1, 60000}, "cycles",
                 "A port gives its target one request every so many cycles at most.");
  parameters.add("pipeline", pipeline, u32{1, 4096}, "requests",
                 "Requests that a port holds until the network takes their responses.");
  parameters.add_choice(
      "fetch_ops", fetch_ops,
      {{"ask", fetch_op_service::ask}, {"own_unit", fetch_op_service::own_unit}},
      "Whether targets are asked to perform operations or the port's own unit always does.");
  parameters.add_choice(
      "end_response", end_response,
      {{"completed", response_ending::completed}, {"phase", response_ending::phase}},
      "Whether a port ends a response by TLM_COMPLETED or by a call of END_RESP.");
  parameters.add("relative_addresses", relative_addresses,
                 "Whether each target sees its own words packed from address 0.");
  parameters.add("patience", patience, u32{0, 1000000000}, "cycles",
                 "Cycles without an answer after which a port warns, once; 0 is never.");
}

memory_interface_module::memory_interface_module(const sc_core::sc_module_name& name,
                                                 const memory_interface_config& config,
                                                 const address_map& map, std::uint32_t link_cycles)
    : clocked_module(name),
      initiator_sockets("initiator_sockets", map.modules()),
      config_(make_or_report(*this, messages::configuration,
                             [&] {
                               check_ranges(config);
                               return config;
                             })),
      map_(map),
      relative_(map_),
      link_cycles_(link_cycles),
      count_(map.modules()),
      ports_(std::make_unique<port[]>(count_)),
      entries_(count_ * config_.pipeline),
      active_(count_),
      ready_(count_, 1),
      offered_(count_),
      leaving_(count_),
      resumes_(count_) {
  for (std::size_t module = 0; module < count_; ++module) {
    ports_[module].owner = this;
    ports_[module].module = module;
    initiator_sockets[module].bind(ports_[module]);
  }
}

memory_interface_module::~memory_interface_module() = default;

void memory_interface_module::end_of_elaboration() {
  request_in.open(packet_link<packet>::end::receiver, count_);
  reply_out.open(packet_link<reply>::end::sender, count_);
  for (std::size_t module = 0; module < count_; ++module) {
    if (initiator_sockets[module].size() == 0) continue;
    ports_[module].target = initiator_sockets[module].operator->();
  }
}

void memory_interface_module::observe(request_event_sink* sink, std::int32_t stage) {
  sink_ = sink;
  stage_ = stage;
}

bool memory_interface_module::idle() const {
  for (std::size_t module = 0; module < count_; ++module) {
    if (ports_[module].size != 0) return false;
  }
  return true;
}

void memory_interface_module::report(statistics_group& group) const {
  group.add("requests", counters_.requests, "requests", "Requests taken from the network.");
  group.add("own_unit", counters_.own_unit, "requests",
            "Requests that the ports' own fetch-and-phi units performed, loosely timed ones "
            "included.");
  group.add("refused", counters_.refused, "requests",
            "Requests that a target answered with an error, loosely timed ones included.");
  group.add("loosely_timed", counters_.loosely_timed, "requests",
            "Accesses by b_transport, which go around the network.");
}

// The ring of a port.

memory_interface_module::entry& memory_interface_module::in_order(port& socket, std::size_t place) {
  std::size_t at = socket.head + place;
  if (at >= config_.pipeline) at -= config_.pipeline;
  return entries_[socket.module * config_.pipeline + at];
}

memory_interface_module::entry& memory_interface_module::oldest(port& socket) {
  return entries_[socket.module * config_.pipeline + socket.head];
}

template <class Wanted>
memory_interface_module::entry* memory_interface_module::first(port& socket, Wanted&& wanted) {
  for (std::size_t place = 0; place < socket.size; ++place) {
    entry& each = in_order(socket, place);
    if (wanted(each)) return &each;
  }
  return nullptr;
}

memory_interface_module::entry* memory_interface_module::find(
    port& socket, const tlm::tlm_generic_payload& payload) {
  return first(socket,
               [&](const entry& each) { return each.payload == &payload && each.due == not_yet; });
}

// The phases of a cycle. What came back before this edge counts, and nothing that comes at it.

void memory_interface_module::ready() {
  const ticks time = sc_core::sc_time_stamp().value();
  if (config_.patience != 0 && now() >= next_watch_) watch();
  for_each_set(active_, 1, [&](std::size_t module) { refresh(ports_[module], time); });
  request_in.publish(ready_.data());
}

void memory_interface_module::refresh(port& socket, ticks time) {
  const bool resumes = can_start(socket, time);
  const bool unit_idle = socket.unit == unit_user::nobody && socket.threads == 0;
  const bool orderly = unit_idle && socket.undone == 0 && socket.held == 0;
  const bool free = socket.request_ends < time && now() >= socket.next_request;
  const std::size_t module = socket.module;
  resumes_[module] = resumes ? 1 : 0;
  ready_[module] = free && orderly && socket.size < config_.pipeline ? 1 : 0;
  const entry& head = oldest(socket);
  offered_[module] = socket.size != 0 && head.now == step::done && head.due < time ? 1 : 0;
  if (socket.size == 0 && ready_[module] != 0) active_[module] = 0;
}

bool memory_interface_module::can_start(port& socket, ticks time) {
  if (socket.request_ends >= time) return false;
  if (socket.unit == unit_user::network) {
    return first(socket, [&](const entry& each) {
             return each.now == step::unit_read && each.due < time;
           }) != nullptr;
  }
  if (socket.unit != unit_user::nobody) return false;
  if (socket.held != 0 && can_change(socket)) return true;
  return socket.undone != 0 && socket.asked == 0 && first(socket, [&](const entry& each) {
                                                      return each.now == step::undone &&
                                                             each.due < time;
                                                    }) != nullptr;
}

void memory_interface_module::depart() {
  const std::uint8_t* const takes = reply_out.ready();
  for_each_set(offered_, 1, [&](std::size_t module) {
    offered_[module] = 0;
    port& from = ports_[module];
    if (takes[module] == 0 || now() < from.next_reply) return;
    const entry& head = oldest(from);
    reply_out.send(module, {head.value, head.request.sequence, head.request.pe, head.status});
    leaving_[module] = 1;
  });
}

void memory_interface_module::commit() {
  for_each_set(resumes_, 1, [&](std::size_t module) {
    resumes_[module] = 0;
    resume(ports_[module]);
  });
  request_in.receive(
      [&](std::size_t module, const packet& request) { accept(ports_[module], request); });
  for_each_set(leaving_, 1, [&](std::size_t module) {
    leaving_[module] = 0;
    release_reply(ports_[module]);
  });
}

void memory_interface_module::accept(port& socket, const packet& request) {
  if (sink_ != nullptr) {
    sink_->request(request_events::served, stage_, socket.module, request, request.id());
  }
  ++counters_.requests;
  active_[socket.module] = 1;
  socket.next_request = now() + config_.interval;
  entry& added = in_order(socket, socket.size);
  added = {request, nullptr, not_yet, now(), 0, step::held, 0};
  ++socket.size;
  begin(socket, added);
}

void memory_interface_module::release_reply(port& socket) {
  entry& leaving = oldest(socket);
  if (sink_ != nullptr) {
    const reply sent{leaving.value, leaving.request.sequence, leaving.request.pe, leaving.status};
    sink_->response(request_events::replied, stage_, socket.module, sent, sent.id());
  }
  drop(leaving);
  socket.next_reply = now() + link_cycles_;
  --socket.size;
  // An empty ring starts again at its first entry, which stays in the cache.
  socket.head = socket.size == 0 || socket.head + 1 == config_.pipeline ? 0 : socket.head + 1;
}

void memory_interface_module::drop(entry& item) {
  if (item.payload == nullptr) return;
  item.payload->release();
  item.payload = nullptr;
}

void memory_interface_module::reset() {
  for (std::size_t module = 0; module < count_; ++module) {
    port& each = ports_[module];
    for (std::size_t place = 0; place < each.size; ++place) {
      entry& lost = in_order(each, place);
      const bool at_target = lost.payload != nullptr && lost.due == not_yet;
      if (!at_target) {
        drop(lost);
        continue;
      }
      strays_.push_back({module, lost});
      strays_.back().left.begun = 0;  // cycles count from the reset
      if (lost.now != step::asking) ++each.asked;
    }
    if (each.unit == unit_user::network) each.unit = unit_user::nobody;
    each.head = each.size = each.undone = each.held = 0;
    each.next_request = each.next_reply = 0;
    active_[module] = 1;
  }
  next_watch_ = 0;
  std::fill(offered_.begin(), offered_.end(), std::uint8_t{0});
  request_in.publish_all(0);
  reset_statistics();
  unit_free_.notify(sc_core::SC_ZERO_TIME);
}

// Transactions that targets leave unanswered.

/// Looks again when the oldest of today's transactions would be too old, so that a look is rare.
void memory_interface_module::watch() {
  next_watch_ = now() + config_.patience;
  for_each_set(active_, 1, [&](std::size_t module) {
    port& socket = ports_[module];
    const entry* const item = longest_at_target(socket);
    if (item != nullptr) watch_entry(socket, *item, "BEGIN_REQ");
  });
  // Their ports need not be active.
  for (const stray& each : strays_) {
    watch_entry(ports_[each.module], each.left, "the reset that left the transaction there");
  }
}

const memory_interface_module::entry* memory_interface_module::longest_at_target(port& socket) {
  const entry* longest = nullptr;
  for (std::size_t place = 0; place < socket.size; ++place) {
    const entry& each = in_order(socket, place);
    const bool at_target = each.payload != nullptr && each.due == not_yet;
    if (at_target && (longest == nullptr || each.begun < longest->begun)) longest = &each;
  }
  return longest;
}

/// Warns of a transaction that is too old, or has the next look come when it would be.
void memory_interface_module::watch_entry(port& socket, const entry& item, const char* since) {
  if (socket.warned) return;
  const cycle_t expires = item.begun + config_.patience;
  if (expires <= now()) {
    warn_unanswered(socket, item, since);
  } else {
    next_watch_ = std::min(next_watch_, expires);
  }
}

void memory_interface_module::warn_unanswered(port& socket, const entry& item, const char* since) {
  socket.warned = true;
  std::ostringstream text;
  text << "No " << (socket.requesting == item.payload ? "END_REQ" : "BEGIN_RESP") << " for "
       << now() - item.begun << " cycles after " << since << ", address 0x" << std::hex
       << item.payload->get_address() << "." << likely_causes(socket.completed, item)
       << " If it needs longer, raise memory_interface.patience. This socket warns once.";
  SC_REPORT_WARNING(messages::unanswered,
                    seen_at_socket(initiator_sockets[socket.module].name(), text.str()).c_str());
}

std::string memory_interface_module::likely_causes(bool completed, const entry& item) {
  std::string causes;
  if (completed) {
    causes +=
        " The target may wait for END_RESP of an earlier response, which TLM_COMPLETED ended: set "
        "memory_interface.end_response = phase.";
  }
  if (item.now == step::asking) {
    causes += " The target may drop TLM_IGNORE_COMMAND: set memory_interface.fetch_ops = own_unit.";
  }
  if (causes.empty()) causes = " The target may be in reset, or its clock does not run.";
  return causes;
}

// From a request to transactions. The unit keeps apart what changes words: it begins when nothing
// else that could is at the target, and nothing else begins before it has finished.

bool memory_interface_module::can_change(const port& socket) const {
  return socket.unit == unit_user::nobody && (!never_asks(socket) || socket.asked == 0);
}

bool memory_interface_module::never_asks(const port& socket) const {
  return socket.refuses_asks || config_.fetch_ops == fetch_op_service::own_unit;
}

void memory_interface_module::begin(port& socket, entry& item) {
  const packet& request = item.request;
  if (socket.target == nullptr) {
    item.due = sc_core::sc_time_stamp().value();
    finish(socket, item, tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return;
  }
  const std::uint64_t address = target_address(request.address());
  if (can_load(request.function())) {
    send(socket, item, step::reading, payloads_.acquire_word(tlm::TLM_READ_COMMAND, address));
  } else if (!can_change(socket)) {
    item.now = step::held;
    ++socket.held;
  } else if (never_asks(socket)) {
    begin_unit(socket, item);
  } else {
    ++socket.asked;
    send(socket, item, step::asking, payloads_.acquire_fetch_op(address, request.function()));
  }
}

void memory_interface_module::begin_unit(port& socket, entry& item) {
  socket.unit = unit_user::network;
  ++counters_.own_unit;
  if (writes_bytes(item.request.function())) {
    write_result(socket, item);
    return;
  }
  const std::uint64_t address = target_address(item.request.address());
  send(socket, item, step::unit_reads, payloads_.acquire_word(tlm::TLM_READ_COMMAND, address));
}

void memory_interface_module::write_result(port& socket, entry& item) {
  const word_function function = item.request.function();
  const bool some_bytes = writes_bytes(function);
  const word_t word = some_bytes ? function.a : apply(function, item.value);
  tlm::tlm_generic_payload& payload =
      payloads_.acquire_word(tlm::TLM_WRITE_COMMAND, target_address(item.request.address()), word);
  socket.byte_enables = some_bytes ? function.b : all_bytes;
  select_bytes(payload, socket.byte_enables);
  send(socket, item, step::unit_writes, payload);
}

void memory_interface_module::resume(port& socket) {
  const auto at = [&](step next) {
    return first(socket, [&](const entry& each) { return each.now == next; });
  };
  if (socket.unit == unit_user::network) {
    write_result(socket, *at(step::unit_read));
    return;
  }
  // A thread may have taken the unit since the ready phase.
  if (socket.unit != unit_user::nobody) return;
  if (socket.undone != 0 && socket.asked == 0) {
    --socket.undone;
    begin_unit(socket, *at(step::undone));
  } else if (socket.held != 0 && can_change(socket)) {
    --socket.held;
    begin(socket, *at(step::held));
  }
}

void memory_interface_module::send(port& socket, entry& item, step next,
                                   tlm::tlm_generic_payload& payload) {
  drop(item);
  item.now = next;
  item.payload = &payload;
  item.due = not_yet;
  item.begun = now();
  socket.requesting = &payload;
  socket.request_ends = not_yet;

  tlm::tlm_phase phase_now = tlm::BEGIN_REQ;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  const tlm::tlm_sync_enum returned = call_target(socket, item, payload, phase_now, delay);
  if (only_accepted(returned, phase_now)) return;
  const ticks when = (sc_core::sc_time_stamp() + delay).value();
  if (returned == tlm::TLM_UPDATED && phase_now == tlm::END_REQ) {
    end_request(socket, payload, when);
    return;
  }
  const char* const name = initiator_sockets[socket.module].name();
  if (returned == tlm::TLM_UPDATED && !answers_request(name, phase_now)) return;
  end_transaction(socket, payload, when);
  if (returned == tlm::TLM_UPDATED) {
    phase_now = tlm::END_RESP;
    socket.target->nb_transport_fw(payload, phase_now, delay);
  }
}

tlm::tlm_sync_enum memory_interface_module::call_target(port& socket, const entry& item,
                                                        tlm::tlm_generic_payload& payload,
                                                        tlm::tlm_phase& phase_now,
                                                        sc_core::sc_time& delay) {
  try {
    return socket.target->nb_transport_fw(payload, phase_now, delay);
  } catch (const sc_core::sc_report& refusal) {
    if (item.now != step::asking) throw;
    take_refusal(socket, payload, refusal);
    return tlm::TLM_COMPLETED;
  }
}

/// Some targets report an error, or assert by sc_assert, where a command is no read and no write.
/// Called in the handler of that report, which is thrown again where it tells of something else: it
/// is of the simulator, or comes after the operation.
void memory_interface_module::take_refusal(port& socket, tlm::tlm_generic_payload& payload,
                                           const sc_core::sc_report& refusal) {
  if (is_of_the_simulator(refusal) || payload.get_extension<fetch_op>()->performed()) throw;
  const std::string type = refusal.get_msg_type();
  socket.refuses_asks = true;
  payload.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);
  const std::string text =
      "The target reported an error at TLM_IGNORE_COMMAND (" + type + ": " + refusal.get_msg() +
      "). From now on the port performs operations itself; set memory_interface.fetch_ops = "
      "own_unit to begin with that. This port warns once.";
  SC_REPORT_WARNING(messages::protocol,
                    seen_at_socket(initiator_sockets[socket.module].name(), text).c_str());
}

// What comes back.

tlm::tlm_sync_enum memory_interface_module::backward(port& socket,
                                                     tlm::tlm_generic_payload& payload,
                                                     tlm::tlm_phase& phase_now,
                                                     const sc_core::sc_time& delay) {
  const ticks when = (sc_core::sc_time_stamp() + delay).value();
  if (phase_now == tlm::END_REQ) {
    end_request(socket, payload, when);
    return tlm::TLM_ACCEPTED;
  }
  if (phase_now != tlm::BEGIN_RESP) return tlm::TLM_ACCEPTED;  // of an extended protocol: ignorable
  if (config_.end_response == response_ending::completed) {
    socket.completed = true;
    end_transaction(socket, payload, when);
    return tlm::TLM_COMPLETED;
  }
  if (find(socket, payload) != nullptr || find_stray(payload) != strays_.end()) {
    end_responses_.add(*socket.target, payload, when);
  }
  end_transaction(socket, payload, when);
  return tlm::TLM_ACCEPTED;
}

void memory_interface_module::end_request(port& socket, const tlm::tlm_generic_payload& payload,
                                          ticks when) {
  if (socket.requesting != &payload) {
    complain(socket, "END_REQ of a transaction that is in no request phase");
    return;
  }
  socket.requesting = nullptr;
  socket.request_ends = when;
}

void memory_interface_module::end_transaction(port& socket, tlm::tlm_generic_payload& payload,
                                              ticks when) {
  if (socket.requesting == &payload) end_request(socket, payload, when);
  entry* const item = find(socket, payload);
  if (item == nullptr) {
    if (!end_stray(socket, payload))
      complain(socket, "BEGIN_RESP of a transaction that is not under way");
    return;
  }
  item->due = when;
  take_answer(socket, *item);
}

void memory_interface_module::take_answer(port& socket, entry& item) {
  const tlm::tlm_generic_payload& payload = *item.payload;
  if (item.now == step::asking) {
    if (--socket.asked == 0) unit_free_.notify(sc_core::SC_ZERO_TIME);
    if (left_undone(payload)) {
      item.now = step::undone;
      ++socket.undone;
      return;
    }
  }
  const tlm::tlm_response_status response = response_from(socket, payload);
  switch (item.now) {
    case step::asking:
      item.value = payload.get_extension<fetch_op>()->result();
      break;
    case step::unit_reads:
      item.value = payload_pool::word_of(payload);
      if (response == tlm::TLM_OK_RESPONSE) {
        item.now = step::unit_read;
        return;
      }
      break;
    case step::reading:
      item.value = payload_pool::word_of(payload);
      break;
    default:  // the unit has written
      break;
  }
  finish(socket, item, response);
}

/// The response to what a target has not left undone. Many targets never set it, which is illegal
/// (IEEE 1666-2011, 14.17) and is taken for OK.
tlm::tlm_response_status memory_interface_module::response_from(
    port& socket, const tlm::tlm_generic_payload& payload) {
  const tlm::tlm_response_status response = payload.get_response_status();
  if (response != tlm::TLM_INCOMPLETE_RESPONSE) return response;
  socket.left_incomplete.warn(
      initiator_sockets[socket.module].name(),
      "The target left the response TLM_INCOMPLETE_RESPONSE, which is taken for OK. Let the target "
      "set the response status");
  return tlm::TLM_OK_RESPONSE;
}

void memory_interface_module::finish(port& socket, entry& item, tlm::tlm_response_status response) {
  if (item.now == step::unit_reads || item.now == step::unit_writes) {
    socket.unit = unit_user::nobody;
    unit_free_.notify(sc_core::SC_ZERO_TIME);
  }
  item.status = status_of(response);
  item.now = step::done;
  if (item.status != 0) ++counters_.refused;
}

std::vector<memory_interface_module::stray>::iterator memory_interface_module::find_stray(
    const tlm::tlm_generic_payload& payload) {
  return std::find_if(strays_.begin(), strays_.end(),
                      [&](const stray& each) { return each.left.payload == &payload; });
}

bool memory_interface_module::end_stray(port& socket, tlm::tlm_generic_payload& payload) {
  const auto found = find_stray(payload);
  if (found == strays_.end()) return false;
  strays_.erase(found);
  payload.release();
  if (--socket.asked == 0) unit_free_.notify(sc_core::SC_ZERO_TIME);
  return true;
}

void memory_interface_module::complain(const port& socket, const char* problem) const {
  report_protocol(initiator_sockets[socket.module].name(), problem);
}

// Around the network.

std::uint64_t memory_interface_module::target_address(std::uint64_t address) const {
  return config_.relative_addresses ? relative_.relative(address) : address;
}

tlm::tlm_response_status memory_interface_module::access(mm_id module, std::uint64_t address,
                                                         const word_function& function, word_t& old,
                                                         sc_core::sc_time& delay) {
  port& to = ports_[index(module)];
  const std::uint64_t at = target_address(address);
  ++counters_.loosely_timed;
  tlm::tlm_response_status response = tlm::TLM_ADDRESS_ERROR_RESPONSE;
  if (to.target == nullptr) {
    old = 0;
  } else if (can_load(function)) {
    response = transport_word(to, tlm::TLM_READ_COMMAND, at, old, all_bytes, delay);
  } else if (never_asks(to) || !ask_by_thread(to, at, function, old, delay, response)) {
    response = unit_by_thread(to, at, function, old, delay);
  }
  if (response != tlm::TLM_OK_RESPONSE) ++counters_.refused;
  return response;
}

void memory_interface_module::transport(mm_id module, tlm::tlm_generic_payload& payload,
                                        sc_core::sc_time& delay) {
  port& to = ports_[index(module)];
  ++counters_.loosely_timed;
  if (to.target == nullptr) {
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
  } else {
    const std::uint64_t address = payload.get_address();
    const on_exit restore([&] { payload.set_address(address); });
    payload.set_address(target_address(address));
    if (payload.is_write()) {
      change_by_thread(to, payload, delay);
    } else {
      call_by_thread(to, payload, delay);
    }
    payload.set_response_status(response_from(to, payload));
  }
  if (!payload.is_response_ok()) ++counters_.refused;
}

bool memory_interface_module::direct_hint(mm_id module) const {
  return ports_[index(module)].direct_hint;
}

void memory_interface_module::call_by_thread(port& socket, tlm::tlm_generic_payload& payload,
                                             sc_core::sc_time& delay) {
  socket.target->b_transport(payload, delay);
  socket.direct_hint = payload.is_dmi_allowed();
}

/// The same for what changes words, which must not come between a read and a write of the unit. It
/// lets a thread that waits for the unit go first, so that calls that overlap cannot keep it
/// waiting, but one turn only, so that those who want the unit cannot keep this call waiting
/// either.
void memory_interface_module::change_by_thread(port& socket, tlm::tlm_generic_payload& payload,
                                               sc_core::sc_time& delay) {
  const std::uint64_t turns = socket.turns;
  const auto gives_way = [&] { return socket.threads != 0 && socket.turns == turns; };
  while (socket.unit != unit_user::nobody || gives_way()) wait(unit_free_);
  ++socket.asked;
  const on_exit answered([&] {
    if (--socket.asked == 0 && socket.threads != 0) unit_free_.notify(sc_core::SC_ZERO_TIME);
  });
  call_by_thread(socket, payload, delay);
}

bool memory_interface_module::ask_by_thread(port& socket, std::uint64_t address,
                                            const word_function& function, word_t& old,
                                            sc_core::sc_time& delay,
                                            tlm::tlm_response_status& response) {
  tlm::tlm_generic_payload& payload = payloads_.acquire_fetch_op(address, function);
  const on_exit release([&] { payload.release(); });
  try {
    change_by_thread(socket, payload, delay);
  } catch (const sc_core::sc_report& refusal) {
    take_refusal(socket, payload, refusal);
  }
  if (left_undone(payload)) return false;
  response = response_from(socket, payload);
  old = payload.get_extension<fetch_op>()->result();
  return true;
}

tlm::tlm_response_status memory_interface_module::unit_by_thread(port& socket,
                                                                 std::uint64_t address,
                                                                 const word_function& function,
                                                                 word_t& old,
                                                                 sc_core::sc_time& delay) {
  // While a thread waits or works, the network's requests are refused.
  active_[socket.module] = 1;
  {
    ++socket.threads;
    const on_exit waited([&] {
      --socket.threads;
      // A thread that is killed here leaves those who gave way to it without a turn to wait for.
      if (socket.unit == unit_user::nobody) unit_free_.notify(sc_core::SC_ZERO_TIME);
    });
    while (socket.unit != unit_user::nobody || socket.asked != 0) wait(unit_free_);
    socket.unit = unit_user::thread;
  }
  const on_exit done([&] {
    socket.unit = unit_user::nobody;
    ++socket.turns;
    unit_free_.notify(sc_core::SC_ZERO_TIME);
  });
  ++counters_.own_unit;
  const bool some_bytes = writes_bytes(function);
  tlm::tlm_response_status response = tlm::TLM_OK_RESPONSE;
  if (!some_bytes) {
    response = transport_word(socket, tlm::TLM_READ_COMMAND, address, old, all_bytes, delay);
  }
  if (response == tlm::TLM_OK_RESPONSE) {
    word_t word = some_bytes ? function.a : apply(function, old);
    response = transport_word(socket, tlm::TLM_WRITE_COMMAND, address, word,
                              some_bytes ? function.b : all_bytes, delay);
  }
  return response;
}

tlm::tlm_response_status memory_interface_module::transport_word(port& socket,
                                                                 tlm::tlm_command command,
                                                                 std::uint64_t address,
                                                                 word_t& word, word_t byte_enables,
                                                                 sc_core::sc_time& delay) {
  tlm::tlm_generic_payload& payload = payloads_.acquire_word(command, address, word);
  const on_exit release([&] { payload.release(); });
  select_bytes(payload, byte_enables);
  call_by_thread(socket, payload, delay);
  if (command == tlm::TLM_READ_COMMAND) word = payload_pool::word_of(payload);
  return response_from(socket, payload);
}

std::size_t memory_interface_module::debug_read(mm_id module, std::uint64_t address,
                                                unsigned char* data, std::size_t length) {
  // What waits here changes words, not bytes.
  const std::uint64_t first = address / word_bytes * word_bytes;
  const std::size_t skipped = address - first;
  word_t word = 0;
  const std::size_t known = debug(module, tlm::TLM_READ_COMMAND, first,
                                  reinterpret_cast<unsigned char*>(&word), word_bytes);
  word = settled(ports_[index(module)], first, word);
  const std::size_t done = std::min(length, known - std::min(known, skipped));
  std::memcpy(data, reinterpret_cast<const unsigned char*>(&word) + skipped, done);
  return done;
}

/// `word`, which the target shows at `address`, with all that the port has yet to write there.
word_t memory_interface_module::settled(port& socket, std::uint64_t address, word_t word) {
  for (std::size_t place = 0; place < socket.size; ++place) {
    const entry& each = in_order(socket, place);
    const bool performed =
        each.now == step::asking && each.payload->get_extension<fetch_op>()->performed();
    if (performed || each.now == step::done || each.request.address() != address) continue;
    // What the unit writes depends on what it read, wherever the target is with the write.
    const word_function function = each.request.function();
    const bool read = each.now == step::unit_read || each.now == step::unit_writes;
    word = apply(function, read && !writes_bytes(function) ? each.value : word);
  }
  return word;
}

std::size_t memory_interface_module::debug_write(mm_id module, std::uint64_t address,
                                                 const unsigned char* data, std::size_t length) {
  // The payload takes bytes that may be written, and a write leaves them alone.
  return debug(module, tlm::TLM_WRITE_COMMAND, address, const_cast<unsigned char*>(data), length);
}

std::size_t memory_interface_module::debug(mm_id module, tlm::tlm_command command,
                                           std::uint64_t address, unsigned char* data,
                                           std::size_t length) {
  port& to = ports_[index(module)];
  if (to.target == nullptr) return 0;
  tlm::tlm_generic_payload& payload =
      payloads_.acquire(command, target_address(address), data, static_cast<unsigned>(length));
  const unsigned done = to.target->transport_dbg(payload);
  payload.release();
  return done;
}

bool memory_interface_module::get_direct_mem_ptr(mm_id module, tlm::tlm_generic_payload& payload,
                                                 tlm::tlm_dmi& dmi) {
  port& to = ports_[index(module)];
  if (to.target == nullptr) return false;
  const std::uint64_t address = payload.get_address();
  payload.set_address(target_address(address));
  const bool granted = to.target->get_direct_mem_ptr(payload, dmi);
  const std::uint64_t asked = payload.get_address();
  payload.set_address(address);
  if (!config_.relative_addresses) return granted;

  const std::uint64_t first = dmi.get_start_address();
  const std::uint64_t last = dmi.get_end_address();
  unsigned char* const pointer = dmi.get_dmi_ptr();
  relative_.for_each_region(
      module, first, last,
      [&](const address_region& region, std::uint64_t from, std::uint64_t end) {
        if (!region.contains(address)) return;
        dmi.set_start_address(from);
        dmi.set_end_address(end);
        // The same byte as before, seen from the new start.
        if (pointer != nullptr) dmi.set_dmi_ptr(pointer + (asked - first) - (address - from));
      });
  return granted;
}

void memory_interface_module::invalidate(std::size_t module, std::uint64_t first,
                                         std::uint64_t last) {
  if (!invalidated_) return;
  if (!config_.relative_addresses) {
    invalidated_(first, last);
    return;
  }
  relative_.for_each_region(
      mm_id{static_cast<std::uint32_t>(module)}, first, last,
      [&](const address_region&, std::uint64_t from, std::uint64_t to) { invalidated_(from, to); });
}

}  // namespace tributary
