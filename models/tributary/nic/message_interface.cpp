// SPDX-License-Identifier: Apache-2.0
#include <tributary/nic/message_interface.h>

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <tributary/sim/error.h>
#include <tributary/sim/state_archive.h>

#include <tributary/nic/message_interface_wakes.h>

namespace tributary {

namespace registers = interface_registers;
using message_interface_wakes::wake_access;
using message_interface_wakes::wake_dma;
using message_interface_wakes::wake_step;
using message_interface_wakes::wake_store;

namespace {

/// What the interface needs of its network.
void require(const message_interface_config& config, const network_port& network) {
  if (network.lanes() < interface_channels) {
    throw configuration_error({"network.lanes", "", fmt::format("{}", network.lanes()),
                               "at least 2: replies must not wait for requests", "raise it"});
  }
  if (network.payload_bytes() < config.most_packet()) {
    throw configuration_error(
        {"network.payload_bytes", "", fmt::format("{} hold no packet", network.payload_bytes()),
         fmt::format("at least interface.packet_bytes + 24 = {}", config.most_packet()),
         "raise it"});
  }
  if (config.broadcast && !network.broadcasts()) {
    throw configuration_error({"interface.broadcast", "", "the network has no hardware broadcast",
                               "false, as long as network.broadcast is false",
                               "set network.broadcast, or clear this"});
  }
}

/// Bytes of an access: a length of DMA is half a word.
std::uint64_t bytes_of(std::uint64_t offset) {
  return offset == registers::dma_send || offset == registers::dma_receive ? 4 : word_bytes;
}

}  // namespace

message_interface::message_interface(const message_interface_config& config, node_id here,
                                     std::uint32_t nodes, agenda& time, network_port& network,
                                     interface_pool& messages, engine_memory& memory,
                                     std::uint64_t memory_bytes)
    : config_((config.validate(), config)),
      here_(here),
      nodes_(nodes),
      agenda_(time),
      network_(network),
      messages_(messages),
      memory_(memory),
      memory_bytes_(memory_bytes),
      gate_(time, network, *this),
      engine_(config.engine()) {
  require(config_, network_);
  agenda_.enroll(*this);
}

void message_interface::fail(cycle_t now, const std::string& problem) const {
  throw simulation_error(
      fmt::format("interface of node {}, cycle {}: {}", index(here_), now, problem));
}

// --- registers -----------------------------------------------------------------------------------

void message_interface::check(std::size_t /*element*/, const access& request) const {
  const std::uint64_t offset = request.address % registers::bytes;
  if (offset % word_bytes != 0 || request.kind != access_kind::word) {
    throw simulation_error(fmt::format(
        "interface of node {}: registers are words that are loaded and stored, at multiples of 8",
        index(here_)));
  }
}

void message_interface::offer(std::size_t element, const access& request, cycle_t now) {
  check(element, request);
  accesses_.push({request, element});
  agenda_.wake(*this, now + config_.register_cycles, wake_access, wake_rank::processor);
}

void message_interface::finish_access(cycle_t now) {
  const open_access ended = accesses_.front();
  accesses_.pop();
  const word_t before = perform(ended.request, now);
  if (client_ == nullptr) return;
  client_->completed({pe_id{static_cast<std::uint32_t>(ended.element)}, ended.request.tag, before},
                     now);
}

word_t message_interface::perform(const access& request, cycle_t now) {
  const std::uint64_t offset = request.address % registers::bytes;
  if (trace_.on()) tell_access(request, now);
  if (request.function.kind == form::identity) return read_register(offset, now);
  write_register(offset, apply(request.function, 0), now);
  return 0;
}

void message_interface::tell_access(const access& request, cycle_t now) const {
  namespace events = communication_events;
  const std::uint64_t offset = request.address % registers::bytes;
  const register_part part = registers::part_of(offset);
  std::uint64_t bytes = bytes_of(offset);
  // The last word of a body may be half a one.
  if (part == register_part::send_body && draft_.begun) {
    const auto written = static_cast<std::uint32_t>(draft_.message.body.size() * word_bytes);
    bytes = std::min<std::uint64_t>(bytes, draft_.message.header.size - written);
  }
  std::uint64_t purpose = request.purpose;
  // Software knows what a message is for once it has read of it.
  if ((part == register_part::receive_header || part == register_part::receive_body) &&
      !received_.empty()) {
    const interface_header& read = messages_.at(received_.front()).header;
    purpose = static_cast<std::uint64_t>(read.purpose);
    if (part == register_part::receive_body) {
      bytes = std::min<std::uint64_t>(bytes, read.size - body_read_ * word_bytes);
    }
  }
  trace_event event;
  event.cycle = event.last = now;
  event.kind = &events::register_access;
  event.address = offset;
  event.details = events::part.put(static_cast<std::uint64_t>(part)) |
                  events::purpose.put(purpose) | events::bytes.put(bytes) |
                  events::writes.put(request.function.kind == form::identity ? 0 : 1);
  trace_.add(event);
}

word_t message_interface::status() const {
  namespace fields = registers::status_fields;
  const auto room = [this](interface_channel channel) { return free_places(channel, false); };
  word_t word = fields::request_room.put(0, room(interface_channel::request));
  word = fields::reply_room.put(word, room(interface_channel::reply));
  word = fields::receive_words.put(word, buffered_ / word_bytes);
  std::uint64_t faults = 0;
  for (std::size_t i = 0; i < faults_.size(); ++i) faults |= std::uint64_t{faults_[i] != 0} << i;
  word = fields::faults.put(word, faults);
  word = fields::full.put(word, full_told_ ? 1 : 0);
  word = fields::zeroed.put(word, engine_.state().zeroed != 0 ? 1 : 0);
  word = fields::dma_sends.put(word, sending_.active ? 1 : 0);
  return fields::dma_stores.put(word, storing_.active ? 1 : 0);
}

word_t message_interface::oldest_fault() const {
  namespace fields = registers::fault_fields;
  // The reply channel first: others wait for it.
  for (const auto source : {registers::fault_source::reply, registers::fault_source::request,
                            registers::fault_source::dma}) {
    const std::uint64_t page = faults_[static_cast<std::size_t>(source)];
    if (page == 0) continue;
    word_t word = fields::page.put(0, page - 1);
    word = fields::source.put(word, static_cast<std::uint64_t>(source));
    return fields::is_there.put(word, 1);
  }
  return 0;
}

bool message_interface::peek_register(std::uint64_t offset, word_t& value) const {
  if (offset >= registers::remote_counters) {
    value = engine_.state().remote.at((offset - registers::remote_counters) / word_bytes);
    return true;
  }
  if (offset >= registers::local_counters) {
    value = engine_.state().local.at((offset - registers::local_counters) / word_bytes);
    return true;
  }
  switch (offset) {
    case registers::status:
      value = status();
      return true;
    case registers::interrupt_enable:
      value = enabled_;
      return true;
    case registers::interrupt_cause:
      value = interrupt_causes_;
      return true;
    case registers::fault:
      value = oldest_fault();
      return true;
    case registers::zeroed:
      value = engine_.state().zeroed;
      return true;
    default:
      return false;
  }
}

word_t message_interface::read_register(std::uint64_t offset, cycle_t now) {
  word_t value = 0;
  if (peek_register(offset, value)) return value;
  switch (offset) {
    case registers::receive_header:
      return read_control_word(now);
    case registers::receive_data:
      return read_body_word(now);
    default:
      fail(now, fmt::format("no register is read at {:#x}", offset));
  }
}

void message_interface::write_register(std::uint64_t offset, word_t value, cycle_t now) {
  if (offset >= registers::local_counters) {
    const bool is_remote = offset >= registers::remote_counters;
    const std::uint64_t first = is_remote ? registers::remote_counters : registers::local_counters;
    counter_bank& bank = is_remote ? engine_.state().remote : engine_.state().local;
    bank.at((offset - first) / word_bytes) = static_cast<std::uint16_t>(value);
    if (local_trace_.shown()) tell_set(offset, now);
    return;
  }
  switch (offset) {
    case registers::send_header:
    case registers::send_address:
    case registers::send_counter:
    case registers::send_answer_to:
    case registers::send_strides:
    case registers::send_data:
      write_message(offset, value, now);
      return;
    case registers::kept_header:
    case registers::kept_counter:
    case registers::send_like:
      write_sticky(offset, value, now);
      return;
    case registers::dma_address:
      dma_address_ = value;
      return;
    case registers::dma_send:
      begin_dma(static_cast<std::uint32_t>(value), now);
      return;
    case registers::dma_receive:
      store_by_dma(static_cast<std::uint32_t>(value), now);
      return;
    case registers::interrupt_enable:
      enable(static_cast<std::uint8_t>(value), now);
      return;
    case registers::interrupt_cause:
      interrupt_causes_ = static_cast<std::uint8_t>(interrupt_causes_ & ~value);
      return;
    case registers::zeroed:
      engine_.acknowledge(static_cast<std::uint32_t>(value));
      look(now);
      return;
    case registers::counter_command: {
      receive_error error = receive_error::none;
      const counter_command command = registers::counter_from(value);
      const std::uint16_t before = engine_.state().remote.at(command.number);
      const bool zero = engine_.count(command, error);
      if (error != receive_error::none) {
        fail(now, fmt::format("the processor's counter command: {}", name_of(error)));
      }
      if (remote_trace_.shown()) tell_command(before, command, now);
      if (!zero) return;
      interrupt(interrupt_cause::synchronization, registers::interrupt_line::counter_zero,
                communication_purpose::computing, now);
      return;
    }
    default:
      write_translation(offset, value, now);
  }
}

void message_interface::write_translation(std::uint64_t offset, word_t value, cycle_t now) {
  namespace fields = registers::fill_fields;
  switch (offset) {
    case registers::translation_page:
      page_to_fill_ = value;
      return;
    case registers::translation_fill: {
      const std::uint64_t entry = fields::entry.in(value);
      const std::uint64_t place = fields::page.in(value);
      if (entry >= config_.translations || (place + 1) * config_.page_bytes > memory_bytes_) {
        fail(now,
             fmt::format("translation entry {} with page {} of memory; there are {} entries, "
                         "and {} bytes of memory in pages of {}",
                         entry, place, config_.translations, memory_bytes_, config_.page_bytes));
      }
      engine_.fill(static_cast<std::uint32_t>(entry),
                   {fields::valid.in(value) != 0, page_to_fill_, place});
      return;
    }
    case registers::translation_retry:
    case registers::translation_refuse:
      for (std::size_t i = 0; i < faults_.size(); ++i) {
        if ((value >> i & 1) == 0 || faults_[i] == 0) continue;
        faults_[i] = 0;
        if (i >= interface_channels) {
          offset == registers::translation_retry ? make_packet(now) : give_dma_up(now);
        } else if (offset == registers::translation_retry) {
          engine_.retry(static_cast<interface_channel>(i));
        } else {
          engine_.refuse(static_cast<interface_channel>(i));
        }
      }
      look(now);
      return;
    default:
      fail(now, fmt::format("no register is written at {:#x}", offset));
  }
}

// --- arrivals ------------------------------------------------------------------------------------

void message_interface::arrived(const network_transfer& message, cycle_t now) {
  if (trace_.shown()) tell(communication_events::arrived, messages_.at(message.cargo), now);
}

/// It stays in the network's buffers until the engine takes it.
bool message_interface::take(const network_transfer& /*message*/, cycle_t now) {
  look(now);
  return false;
}

const interface_message* message_interface::oldest(std::size_t channel, cycle_t now) const {
  const network_transfer* const first = gate_.oldest(static_cast<std::uint8_t>(channel), now);
  return first == nullptr ? nullptr : &messages_.at(first->cargo);
}

std::string message_interface::waits_to_answer(cycle_t now) const {
  const interface_message* const first =
      oldest(static_cast<std::size_t>(interface_channel::request), now);
  if (first == nullptr || free_places(interface_channel::reply, true) != 0) return "";
  return fmt::format(
      "its engine has {} and no place for the answer, because {} messages wait for "
      "the network",
      to_string(*first), gate_.unsent(lane_of(interface_channel::reply)));
}

bool message_interface::fits(const interface_message* message) const {
  return message != nullptr && buffered_ + message->buffer_bytes() <= config_.buffer_bytes();
}

void message_interface::fill_inputs(receive_inputs& in, cycle_t now) const {
  const receive_state& state = engine_.state();
  if (state.at != receive_state::phase::idle) {
    in.oldest[state.channel] = oldest(state.channel, now);
    return;
  }
  for (std::size_t i = 0; i < interface_channels; ++i) {
    in.oldest[i] = oldest(i, now);
    in.fits[i] = fits(in.oldest[i]);
  }
  in.reply_room = free_places(interface_channel::reply, true) != 0;
}

void message_interface::look(cycle_t now) {
  if (stepping_) return;
  if (engine_.state().at == receive_state::phase::idle) {
    receive_inputs in;
    fill_inputs(in, now);
    if (engine_.waits(in)) return;
  }
  stepping_ = true;
  agenda_.wake(*this, now + 1, wake_step);
}

void message_interface::step(cycle_t now) {
  stepping_ = false;
  receive_inputs in;
  fill_inputs(in, now);
  const receive_outputs::memory_request asked = engine_.asks(in);
  in.memory_ready =
      asked.valid && now >= memory_due_ && move_word(asked, *in.oldest[engine_.state().channel]);
  const bool counts = local_trace_.shown() && engine_.state().at == receive_state::phase::count;
  counters_seen before;
  if (counts) before = counters_of(*in.oldest[engine_.state().channel]);
  const receive_outputs out = engine_.step(in);
  if (engine_.state().at == receive_state::phase::decode) began_ = now;
  if (counts) tell_counted(before, *in.oldest[out.channel], out.error, now);
  if (out.acts()) act(out, now);
  if (engine_.state().at == receive_state::phase::move) {
    if (!asked.valid || in.memory_ready) memory_due_ = now + config_.memory_cycles;
    stepping_ = true;
    // A memory that takes time tells when the word is there.
    if (memory_due_ > now) agenda_.wake(*this, memory_due_, wake_step);
  } else {
    look(now);
  }
}

void message_interface::act(const receive_outputs& out, cycle_t now) {
  const std::size_t channel = out.channel;
  if (out.takes && engine_trace_.shown()) {
    engine_trace_.add(event_of(communication_events::served, *oldest(channel, now), began_, now));
  }
  if (out.misses) {
    fault(static_cast<registers::fault_source>(channel), out.missed_page,
          oldest(channel, now)->header.purpose, now);
    return;
  }
  if (out.answers) answer(oldest(channel, now)->header, now);
  if (out.error != receive_error::none) drop(out.error, channel, now);
  if (out.zero) {
    const interface_header& header = oldest(channel, now)->header;
    interrupt(interrupt_cause::synchronization, registers::interrupt_line::counter_zero,
              header.purpose, now);
  }
  if (out.stores) {
    store(channel, now);
  } else if (out.takes) {
    messages_.remove(take_oldest(channel, now));
  }
}

bool message_interface::move_word(const receive_outputs::memory_request& asked,
                                  const interface_message& message) {
  if (asked.writes) {
    return memory_.write(memory_user::receive, asked.offset, message.body[asked.word], asked.bytes);
  }
  word_t word = 0;
  if (!memory_.read(memory_user::receive, asked.offset, word)) return false;
  reading_.push_back(word);
  return true;
}

void message_interface::moved(memory_user user, cycle_t at) {
  const std::uint64_t tag = user == memory_user::receive ? wake_step
                            : user == memory_user::send  ? wake_dma
                                                         : wake_store;
  agenda_.wake(*this, at, tag);
}

/// An acknowledgement, or the data that were read: a write to where the reader wants them. The
/// header is in the pool, so it is not looked at once the answer is there too.
void message_interface::answer(const interface_header& header, cycle_t now) {
  interface_header& own = answer_.header;
  own = {};
  answer_.body.clear();
  const bool reads = header.type == communication_message::read;
  own.type = reads ? communication_message::write : communication_message::acknowledgement;
  own.channel = interface_channel::reply;
  own.destination = header.source;
  own.has_local = header.has_local;
  own.local = header.local;
  own.tag = header.tag;
  own.purpose = header.purpose;
  if (reads) {
    own.size = header.size;
    own.address = header.answer_to;
    own.strided = header.strided;
    own.count = header.count;
    own.stride = header.answer_stride;
    own.remote = header.remote;
    answer_.body.swap(reading_);
  }
  enqueue(answer_, true, now);
}

std::uint64_t message_interface::take_oldest(std::size_t channel, cycle_t now) {
  ++received_count_;
  return gate_.take_oldest(static_cast<std::uint8_t>(channel), now).cargo;
}

void message_interface::drop(receive_error error, std::size_t channel, cycle_t now) {
  if (config_.strict) {
    const interface_message& message = *oldest(channel, now);
    fail(now, fmt::format("{} (address {:#x}, counter {}) cannot be served: {}", to_string(message),
                          message.header.address, message.header.remote.number, name_of(error)));
  }
  // Of a reply it is a request's, which may wait for a translation.
  if (channel == static_cast<std::size_t>(interface_channel::request)) reading_.clear();
  ++dropped_;
}

void message_interface::fault(registers::fault_source source, std::uint64_t page,
                              communication_purpose purpose, cycle_t now) {
  faults_[static_cast<std::size_t>(source)] = page + 1;
  ++misses_;
  interrupt(interrupt_cause::translation, registers::interrupt_line::translation, purpose, now);
}

// --- the receive buffer --------------------------------------------------------------------------

void message_interface::store(std::size_t channel, cycle_t now) {
  const std::uint64_t cargo = take_oldest(channel, now);
  const interface_message& message = messages_.at(cargo);
  received_.push(cargo);
  buffered_ += message.buffer_bytes();
  most_buffered_ = std::max<std::uint64_t>(most_buffered_, buffered_);
  if (message.header.look_at_once) {
    interrupt(interrupt_cause::synchronization, registers::interrupt_line::synchronization,
              message.header.purpose, now);
  }
  if (full_told_ || buffered_ + config_.most_packet() <= config_.buffer_bytes()) return;
  full_told_ = true;
  interrupt(interrupt_cause::buffer_full, registers::interrupt_line::buffer_full,
            message.header.purpose, now);
}

void message_interface::check_free(cycle_t now) const {
  if (!storing_.active) return;
  fail(now, "the receive buffer is read while DMA stores its oldest body; poll the status first");
}

word_t message_interface::read_control_word(cycle_t now) {
  check_free(now);
  if (received_.empty()) fail(now, "a control word is read, but no message has been received");
  const interface_message& message = messages_.at(received_.front());
  const interface_header& header = message.header;
  if (control_read_ == message.control_words()) {
    fail(now, to_string(message) + " has no more control words");
  }
  const std::uint32_t which = control_read_++;
  word_t word = 0;
  if (which == 0) {
    word = registers::header_word(header, header.source);
  } else if (which == 1) {
    word = header.address;
  } else if (which == 2 && header.type == communication_message::read) {
    word = header.answer_to;
  } else {
    word = registers::stride_word(header);
  }
  if (control_read_ == message.control_words() && message.body.empty()) take_received(now);
  return word;
}

word_t message_interface::read_body_word(cycle_t now) {
  check_free(now);
  if (received_.empty()) fail(now, "a body is read, but no message has been received");
  const interface_message& message = messages_.at(received_.front());
  if (body_read_ >= message.body.size()) fail(now, to_string(message) + " has no more words");
  const word_t word = message.body[body_read_++];
  if (body_read_ == message.body.size()) take_received(now);
  return word;
}

void message_interface::take_received(cycle_t now) {
  const std::uint64_t cargo = received_.front();
  const interface_message& message = messages_.at(cargo);
  tell(communication_events::taken, message, now);
  buffered_ -= message.buffer_bytes();
  messages_.remove(cargo);
  received_.pop();
  control_read_ = 0;
  body_read_ = 0;
  if (buffered_ + config_.most_packet() <= config_.buffer_bytes()) full_told_ = false;
  look(now);
}

// --- what happens when ---------------------------------------------------------------------------

/// What is pending on a line that is enabled now interrupts now.
void message_interface::enable(std::uint8_t lines, cycle_t now) {
  const auto pending = static_cast<unsigned>(interrupt_causes_ & lines & ~enabled_);
  enabled_ = lines;
  for (unsigned i = 0; i < registers::interrupt_lines_used; ++i) {
    if ((pending >> i & 1) == 0) continue;
    const auto line = static_cast<registers::interrupt_line>(i);
    const interrupt_cause cause =
        line == registers::interrupt_line::translation   ? interrupt_cause::translation
        : line == registers::interrupt_line::buffer_full ? interrupt_cause::buffer_full
                                                         : interrupt_cause::synchronization;
    interrupt(cause, line, communication_purpose::computing, now);
  }
}

void message_interface::interrupt(interrupt_cause cause, registers::interrupt_line line,
                                  communication_purpose purpose, cycle_t now) {
  const auto bit = static_cast<std::uint8_t>(1U << static_cast<unsigned>(line));
  interrupt_causes_ = static_cast<std::uint8_t>(interrupt_causes_ | bit);
  if ((enabled_ & bit) == 0) return;
  if (trace_.on()) {
    trace_event event;
    event.cycle = event.last = now;
    event.kind = &communication_events::interrupt;
    event.details = communication_events::cause.put(static_cast<std::uint64_t>(cause)) |
                    communication_events::purpose.put(static_cast<std::uint64_t>(purpose));
    trace_.add(event);
  }
  if (interrupted_ != nullptr) interrupted_->interrupted(static_cast<std::uint32_t>(line), now + 1);
}

void message_interface::trace(const trace_scope& scope) {
  const trace_scope own = scope.below(name());
  trace_ = own.add();
  const trace_scope engine = own.below("engine");
  engine_trace_ = engine.add();
  if (config_.has_engines()) trace_counters(engine);
}

trace_event message_interface::event_of(const event_kind& kind, const interface_message& message,
                                        cycle_t first, cycle_t last) {
  namespace events = communication_events;
  trace_event event;
  event.cycle = first;
  event.last = last;
  event.kind = &kind;
  event.identity = message.header.identity;
  event.address = message.header.address;
  event.details =
      events::message.put(static_cast<std::uint64_t>(message.header.type)) |
      events::purpose.put(static_cast<std::uint64_t>(message.header.purpose)) |
      events::to.put(message.header.everyone ? events::none : index(message.header.destination)) |
      events::bytes.put(message.header.type == communication_message::read ? 0
                                                                           : message.header.size) |
      events::writes.put(events::none) | events::cold.put(events::none) |
      events::request.put(events::none);
  return event;
}

void message_interface::wake(cycle_t now, std::uint64_t tag) {
  switch (tag) {
    case wake_access:
      finish_access(now);
      return;
    case wake_step:
      step(now);
      return;
    case wake_dma:
      make_packet(now);
      return;
    default:
      finish_store(now);
  }
}

bool message_interface::idle() const {
  return accesses_.empty() && received_.empty() && !sending_.active && !storing_.active &&
         gate_.idle();
}

void message_interface::reset_statistics() {
  reset_all(received_count_, dropped_, misses_);
  most_buffered_ = buffered_;
  gate_.reset_statistics();
}

void message_interface::report(statistics_group& into, std::uint64_t /*cycles*/) const {
  into.add("sent", gate_.sent(), "messages", "Messages that left for the network.");
  into.add("received", received_count_, "messages",
           "Messages that were served or put into the receive buffer.");
  into.add("dropped", dropped_, "messages", "Messages that could not be served.");
  into.add("translation_misses", misses_, "misses", "Pages that had no translation.");
  into.add("wait", gate_.waited(), "cycles",
           "From a message's composition until the network took it.");
  into.add("most_buffered", most_buffered_, "bytes", "Most that the receive buffer held.");
}

std::string message_interface::save() const { return save_state(save_state(*this), gate_.save()); }

void message_interface::restore(const std::string& state) {
  std::string own;
  std::string gate;
  restore_state(state, own, gate);
  restore_state(own, *this);
  gate_.restore(gate);
  for (std::uint8_t lane = 0; lane < interface_channels; ++lane) {
    const fifo<std::uint8_t>& queue = of_engine_[lane];
    require_state(queue.size() == gate_.unsent(lane),
                  "an interface sends other messages than its gate");
    unsent_[lane] = {};
    for (std::size_t i = 0; i < queue.size(); ++i) ++unsent_[lane][queue[i] == 1 ? 1 : 0];
  }
  const bool reads = control_read_ != 0 || body_read_ != 0 || storing_.active;
  require_state(!reads || !received_.empty(), "a message is read that was not received");
  require_state(buffered_ <= config_.buffer_bytes(), "a receive buffer holds more than it can");
  require_state(!sending_.active || draft_.begun, "DMA sends no message");
  require_state(engine_.state().translations.size() == config_.translations &&
                    engine_.state().channel < interface_channels,
                "an interface has other translations or channels");
}

}  // namespace tributary
