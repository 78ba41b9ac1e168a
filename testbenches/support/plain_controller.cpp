// SPDX-License-Identifier: Apache-2.0
#include "plain_controller.h"

#include <algorithm>
#include <array>

#include <tributary/controller/promised_sends.h>
#include <tributary/sim/error.h>

namespace tributary::testing {
namespace {

// Payloads have large numbers, so that a protocol that takes them for small places is found out.
constexpr std::uint16_t first_payload = 4096;
constexpr cycle_t switch_cycles = 2;

std::size_t lane_index(message_lane lane) { return static_cast<std::size_t>(lane); }

const char* name_of(message_origin origin) {
  constexpr std::array<const char*, 4> names = {"processor", "network", "deferred", "timed"};
  return names[static_cast<std::size_t>(origin)];
}

}  // namespace

plain_machine::plain_machine(const plain_machine_config& config,
                             const std::function<protocol_list(node_id)>& protocols_of)
    : config_(config), random_(config.seed, 0U, 0U) {
  config_.addresses.validate(config.nodes);
  for (std::uint32_t i = 0; i < config.nodes; ++i) {
    nodes_.push_back(std::make_unique<plain_node>(*this, node_id{i}, protocols_of(node_id{i})));
  }
}

plain_machine::~plain_machine() = default;

word_memory& plain_machine::memory(node_id node) { return *nodes_.at(index(node)); }

protocol_set& plain_machine::protocols(node_id node) { return nodes_.at(index(node))->protocols(); }

std::uint8_t plain_machine::begin_read(node_id node, std::uint64_t address, std::uint8_t flavor,
                                       std::uint8_t process) {
  message what;
  what.address = address;
  what.flavor = flavor;
  what.process = process;
  return nodes_.at(index(node))->begin_read(what);
}

std::optional<word_t> plain_machine::take_answer(node_id node, std::uint8_t tag) {
  return nodes_.at(index(node))->take_answer(tag);
}

void plain_machine::begin_write(node_id node, std::uint64_t address, word_t value,
                                std::uint8_t flavor, std::uint8_t process) {
  message what;
  what.address = address;
  what.flavor = flavor;
  what.process = process;
  nodes_.at(index(node))->begin_write(what, value);
}

word_t plain_machine::read(node_id node, std::uint64_t address, cycle_t limit, std::uint8_t flavor,
                           std::uint8_t process) {
  const std::uint8_t tag = begin_read(node, address, flavor, process);
  const cycle_t end = now() + limit;
  for (;;) {
    if (const std::optional<word_t> value = take_answer(node, tag)) return *value;
    const cycle_t next = agenda_.next_wakeup();
    if (next > end) {
      throw simulation_error("node " + std::to_string(index(node)) + ": the read of address " +
                             std::to_string(address) + " is not answered in cycle " +
                             std::to_string(std::min(end, now())));
    }
    agenda_.advance_to(next);
  }
}

void plain_machine::run_until(cycle_t last) { agenda_.advance_to(last); }

bool plain_machine::run(cycle_t limit) {
  const cycle_t end = now() + limit;
  while (agenda_.next_wakeup() <= end) agenda_.advance_to(agenda_.next_wakeup());
  return idle();
}

bool plain_machine::idle() const {
  return under_way_ == 0 &&
         std::all_of(nodes_.begin(), nodes_.end(), [](const auto& node) { return node->idle(); });
}

std::uint64_t plain_machine::count(const std::string& full_name) const {
  return static_cast<std::uint64_t>(
      std::count_if(handled_.begin(), handled_.end(), [&](const handled_message& each) {
        return nodes_[index(each.node)]->protocols().name_of(each.run) == full_name;
      }));
}

plain_node::plain_node(plain_machine& machine, node_id node, plain_machine::protocol_list protocols)
    : machine_(machine),
      node_(node),
      protocols_({node, machine.config_.nodes, machine.config_.storage,
                  machine.config_.memory_bytes, machine.config_.facilities, machine.config_.line},
                 std::move(protocols)),
      executor_(node, machine.config_.addresses, handlers_of(protocols_)),
      memory_(machine.config_.memory_bytes / 8),
      payloads_(machine.config_.payloads) {
  protocols_.initialize(*this);
}

word_t plain_node::read(std::uint64_t address) const { return memory_.at(address / 8); }

void plain_node::write(std::uint64_t address, word_t value) { memory_.at(address / 8) = value; }

std::uint8_t plain_node::begin_read(message what) {
  const auto free = std::find_if(reads_.begin(), reads_.end(), [](const outstanding_read& each) {
    return each.state == read_state::unused;
  });
  if (free == reads_.end()) throw error("a processor has more reads outstanding than tags");
  free->state = read_state::asked;
  what.type = static_cast<std::uint8_t>(common_type::uncached_read);
  what.origin = message_origin::processor;
  what.source = what.destination = node_;
  what.tag = static_cast<std::uint8_t>(free - reads_.begin());
  processor_.push_back({what, {}, machine_.now(), node_});
  machine_.agenda_.wake(*this, machine_.now(), look_around);
  return what.tag;
}

std::optional<word_t> plain_node::take_answer(std::uint8_t tag) {
  outstanding_read& read = reads_.at(tag);
  if (read.state != read_state::answered) return std::nullopt;
  read.state = read_state::unused;
  return read.value;
}

void plain_node::begin_write(message what, word_t value) {
  what.type = static_cast<std::uint8_t>(common_type::uncached_write);
  what.origin = message_origin::processor;
  what.length = word_bytes;
  what.source = what.destination = node_;
  processor_.push_back({what, {value}, machine_.now(), node_});
  machine_.agenda_.wake(*this, machine_.now(), look_around);
}

bool plain_node::idle() const {
  return !running_ && processor_.empty() && deferred_.empty() && timed_.empty() &&
         std::all_of(lanes_.begin(), lanes_.end(), [](const auto& each) { return each.empty(); }) &&
         std::all_of(payloads_.begin(), payloads_.end(),
                     [](const payload& each) { return each.holders == 0; }) &&
         std::none_of(reads_.begin(), reads_.end(), [](const outstanding_read& each) {
           return each.state == read_state::asked || each.state == read_state::kept;
         });
}

void plain_node::wake(cycle_t now, std::uint64_t what) {
  switch (static_cast<wake_up>(what)) {
    case arrival:
      receive(now);
      break;
    case look_around:
      break;
    case go_on:
      go(now);
      break;
  }
  look(now);
}

void plain_node::receive(cycle_t now) {
  while (!coming_.empty() && coming_.front().at <= now) {
    parcel& next = coming_.front();
    const std::size_t lane = lane_index(next.header.over);
    plain_node& sender = *machine_.nodes_[index(next.from)];
    --sender.out_[lane];
    --machine_.under_way_;
    machine_.agenda_.wake(sender, now, look_around);
    lanes_[lane].push_back(next);
    coming_.pop_front();
  }
}

// Timed handlers come first and deferred ones last, but for every second turn (FLASH 2.3.1).
void plain_node::look(cycle_t now) {
  if (running_ || now < free_at_) return;
  if (begin_timed(now)) return;
  if (deferred_next_ && begin_deferred(now)) {
    deferred_next_ = false;
    return;
  }
  for (const message_lane lane :
       {message_lane::reply, message_lane::third, message_lane::fourth, message_lane::request}) {
    if (begin_from(lanes_[lane_index(lane)], now)) {
      deferred_next_ = true;
      return;
    }
  }
  if (begin_from(processor_, now)) {
    deferred_next_ = true;
  } else {
    begin_deferred(now);
  }
}

bool plain_node::begin_timed(cycle_t now) {
  const auto due =
      std::find_if(timed_.begin(), timed_.end(), [&](const timed& each) { return each.at <= now; });
  if (due == timed_.end()) return false;
  const timed next = *due;
  timed_.erase(due);
  begin(next.run, next.what, now);
  return true;
}

bool plain_node::begin_deferred(cycle_t now) {
  if (deferred_.empty() || free_slots(message_lane::request) < 1 ||
      free_slots(message_lane::reply) < 1) {
    return false;
  }
  const deferred next = deferred_.front();
  deferred_.pop_front();
  running_ = std::make_unique<running_handler>();
  running_->deferred = true;
  running_->record = next.record;
  begin(next.run, next.what, now);
  return true;
}

bool plain_node::begin_from(std::deque<parcel>& queue, cycle_t now) {
  if (queue.empty()) return false;
  parcel& next = queue.front();
  const promised_sends sends = promised_to(next.header.origin, next.header.over);
  if (free_slots(message_lane::request) < sends.requests ||
      free_slots(message_lane::reply) < sends.replies) {
    return false;
  }
  const bool carries = next.header.length != 0;
  const bool arriving_reply =
      next.header.origin == message_origin::network && next.header.over == message_lane::reply;
  const std::uint32_t kept = arriving_reply ? 0 : 1;
  if (carries && free_payloads() < 1 + kept) return false;
  const dispatch_rule* const rule = rule_for(next.header);
  if (!rule) return false;
  const bool reads_ahead = rule->ahead == speculation::read_line && !carries;
  if (reads_ahead && free_payloads() < 1 + kept) return false;
  if (carries || reads_ahead) {
    next.header.data = take_payload();
    payload& staged = at(next.header.data);
    if (reads_ahead) {
      const std::uint64_t from =
          line().start(machine_.config_.addresses.offset_of(next.header.address)) / word_bytes;
      for (std::size_t i = 0; i < line().words(); ++i) next.words[i] = memory_.at(from + i);
    }
    staged.words = next.words;
    std::fill_n(staged.filled.begin(), reads_ahead ? line().words() : words_of(next.header.length),
                true);
  }
  const message header = next.header;
  const handler_id run = rule->run;
  queue.pop_front();
  begin(run, header, now);
  return true;
}

/// Null if it has to wait for a payload that its rule needs.
const dispatch_rule* plain_node::rule_for(const message& what) const {
  const address_layout& addresses = machine_.config_.addresses;
  const bool local = addresses.node_of(what.address) == node_;
  const std::uint32_t own = what.length == 0 ? 0 : 1;
  bool waits = false;
  for (const dispatch_rule& rule : protocols_.rules()) {
    if (rule.type != what.type || rule.origin != what.origin) continue;
    if (rule.where != locality::any && local != (rule.where == locality::local)) continue;
    if (rule.space && *rule.space != addresses.space_of(what.address)) continue;
    if (rule.flavor && *rule.flavor != what.flavor) continue;
    if (rule.process && *rule.process != what.process) continue;
    if (rule.needs_buffer && free_payloads() < 2 + own) {
      waits = true;
      continue;
    }
    return &rule;
  }
  if (!waits) {
    fail("no rule for a message of type " + std::to_string(what.type) + " from the " +
         name_of(what.origin) + " for address " + std::to_string(what.address));
  }
  return nullptr;
}

std::uint32_t plain_node::free_slots(message_lane lane) const {
  return machine_.config_.lane_depth - out_[lane_index(lane)];
}

std::uint32_t plain_node::free_payloads() const {
  return static_cast<std::uint32_t>(std::count_if(
      payloads_.begin(), payloads_.end(), [](const payload& each) { return each.holders == 0; }));
}

void plain_node::begin(handler_id run, message what, cycle_t now) {
  if (!running_) running_ = std::make_unique<running_handler>();
  running_->run = run;
  running_->what = what;
  running_->at = now;
  running_->place = machine_.handled_.size();
  const promised_sends sends = promised_to(what.origin, what.over);
  running_->may_send[lane_index(message_lane::request)] = sends.requests;
  running_->may_send[lane_index(message_lane::reply)] = sends.replies;
  if (what.data != no_payload) running_->holds[what.data] = 1;
  machine_.handled_.push_back({now, now, node_, run, what});
  plan(executor_.start(run, what, now));
  go(now);
}

void plain_node::plan(const handler_request& next) {
  running_->at += next.spent - running_->spent;
  running_->spent = next.spent;
  running_->next = next;
  if (running_->at > machine_.now()) machine_.agenda_.wake(*this, running_->at, go_on);
}

void plain_node::go(cycle_t now) {
  while (running_ && running_->at == now) {
    if (running_->next.operation == handler_operation::finish) {
      finish(now);
    } else {
      plan(executor_.resume(*perform_operation(*this, running_->next, now)));
    }
  }
}

std::uint64_t plain_node::space(const handler_request& asked, cycle_t /*now*/) {
  const std::uint32_t free = free_slots(static_cast<message_lane>(asked.number));
  running_->may_send[asked.number] = free;
  return free;
}

word_t plain_node::keep_read(const handler_request& /*asked*/, cycle_t /*now*/) {
  if (running_->what.origin != message_origin::processor ||
      reads_[running_->what.tag].state != read_state::asked) {
    fail("keeps an uncached read that it did not arrive with");
  }
  reads_[running_->what.tag].state = read_state::kept;
  return running_->what.tag;
}

payload_handle plain_node::allocate(const handler_request& /*asked*/, cycle_t /*now*/) {
  if (free_payloads() <= 1) return no_payload;
  const payload_handle found = take_payload();
  ++running_->holds[found];
  return found;
}

void plain_node::retain(const handler_request& asked, cycle_t /*now*/) {
  ++at(asked.data).holders;
  ++running_->holds[asked.data];
  ++running_->retained[asked.data];
}

void plain_node::release(const handler_request& asked, cycle_t /*now*/) {
  drop(asked.data);
  --running_->holds[asked.data];
}

word_t plain_node::word(const handler_request& asked, cycle_t /*now*/) {
  return filled_word(asked.data, asked.number, false);
}

void plain_node::set_word(const handler_request& asked, cycle_t /*now*/) {
  filled_word(asked.data, asked.number, true) = asked.value;
}

void plain_node::fill(const handler_request& asked, cycle_t /*now*/) {
  const std::uint64_t from = line_at(asked.address);
  for (std::size_t i = 0; i < line().words(); ++i) {
    filled_word(asked.data, i, true) = memory_[from + i];
  }
}

void plain_node::fill_realigned(const handler_request& asked, cycle_t /*now*/) {
  const std::uint64_t from = line_at(asked.address);
  for (std::size_t i = 0; i < line().words(); ++i) {
    const std::uint64_t to = asked.number + i;
    if (to < line().words()) {
      filled_word(asked.data, to, true) = memory_[from + i];
    } else if (asked.second != asked.data) {
      filled_word(asked.second, to - line().words(), true) = memory_[from + i];
    }
  }
}

void plain_node::spill(const handler_request& asked, cycle_t /*now*/) {
  const std::uint64_t to = line_at(asked.address);
  for (std::size_t i = 0; i < line().words(); ++i) {
    memory_[to + i] = filled_word(asked.data, i, false);
  }
}

void plain_node::spill_word(const handler_request& asked, cycle_t /*now*/) {
  memory_[offset_of(asked.address, 8) / 8] = filled_word(asked.data, asked.number, false);
}

word_t plain_node::load(const handler_request& asked, cycle_t /*now*/) {
  return memory_[offset_of(asked.address, 8) / 8];
}

void plain_node::store(const handler_request& asked, cycle_t /*now*/) {
  memory_[offset_of(asked.address, 8) / 8] = asked.value;
}

void plain_node::later(const handler_request& asked, cycle_t /*now*/) {
  defer(offset_of(asked.address, 8), asked.run, asked.header);
}

void plain_node::again(const handler_request& asked, cycle_t now) {
  done(asked, now);
  defer(running_->record, running_->run, asked.header);
}

void plain_node::done(const handler_request& /*asked*/, cycle_t /*now*/) {
  if (!running_->deferred || running_->reloaded) {
    fail("calls again or done, which a deferred handler does once and no other may");
  }
  running_->reloaded = true;
}

void plain_node::after(const handler_request& asked, cycle_t now) {
  timed entry{now + asked.number, asked.run, asked.header};
  entry.what.origin = message_origin::timed;
  timed_.push_back(entry);
  machine_.agenda_.wake(*this, entry.at, look_around);
}

void plain_node::finish(cycle_t now) {
  const message& with = running_->what;
  if (with.origin == message_origin::processor &&
      with.type == static_cast<std::uint8_t>(common_type::uncached_read) &&
      reads_[with.tag].state == read_state::asked) {
    fail("leaves the uncached read of address " + std::to_string(with.address) + " unanswered");
  }
  if (running_->deferred && !running_->reloaded) {
    fail("is deferred and ends without again or done");
  }
  for (const auto& [which, holds] : running_->holds) {
    const auto kept = running_->retained.find(which);
    const int retained = kept == running_->retained.end() ? 0 : kept->second;
    if (holds <= retained) continue;
    if (which != with.data && retained == 0) fail("keeps a payload that it did not retain");
    drop(which);
  }
  machine_.handled_[running_->place].ended = now;
  free_at_ = now + switch_cycles;
  running_.reset();
  machine_.agenda_.wake(*this, free_at_, look_around);
}

void plain_node::send(const handler_request& asked, cycle_t now) {
  const message& what = asked.header;
  const std::size_t lane = lane_index(what.over);
  if (free_slots(what.over) == 0) {
    fail("sends a message of type " + std::to_string(what.type) + " without space on lane " +
         std::to_string(lane) + " (rule D1)");
  }
  if (running_->may_send[lane] == 0) {
    fail("sends a message of type " + std::to_string(what.type) + " on lane " +
         std::to_string(lane) + " beyond what it is promised, without asking (rule D6)");
  }
  --running_->may_send[lane];
  if (index(what.destination) >= machine_.config_.nodes) {
    fail("sends a message of type " + std::to_string(what.type) + " to node " +
         std::to_string(index(what.destination)) + ", which is not there");
  }
  if (what.length > line().bytes()) {
    fail("sends " + std::to_string(what.length) + " bytes of payload, more than a message has");
  }
  parcel next;
  if (what.length != 0) {
    for (std::size_t i = 0; i < words_of(what.length); ++i) {
      next.words[i] = filled_word(what.data, i, false);
    }
    drop(what.data);
    --running_->holds[what.data];
  }
  // The rest of the header stays within the node.
  next.header = what;
  next.header.origin = message_origin::network;
  next.header.flavor = next.header.process = next.header.tag = 0;
  next.header.data = no_payload;
  next.from = node_;
  next.at = now + machine_.config_.latency;
  if (machine_.config_.jitter > 0) {
    next.at += machine_.random_.next_u32() % (machine_.config_.jitter + 1);
  }
  cycle_t& last = last_arrival_[{what.destination, what.over}];
  next.at = last = std::max(next.at, last + 1);
  plain_node& to = *machine_.nodes_[index(what.destination)];
  const auto place = std::upper_bound(to.coming_.begin(), to.coming_.end(), next,
                                      [](const parcel& a, const parcel& b) { return a.at < b.at; });
  to.coming_.insert(place, next);
  ++out_[lane];
  ++machine_.under_way_;
  machine_.agenda_.wake(to, next.at, arrival, wake_rank::arrival);
}

void plain_node::answer(const handler_request& asked, cycle_t /*now*/) {
  const std::uint64_t tag = asked.number;
  if (tag >= reads_.size() ||
      (reads_[tag].state != read_state::kept &&
       (reads_[tag].state != read_state::asked ||
        running_->what.origin != message_origin::processor || running_->what.tag != tag))) {
    fail("answers a read with tag " + std::to_string(tag) + ", which nobody awaits");
  }
  reads_[tag] = {read_state::answered, asked.value};
}

/// The queue is a list here; the record gets what it would hold in a queue of linked records.
void plain_node::defer(std::uint64_t record, handler_id run, message what) {
  for (const deferred& each : deferred_) {
    if (each.record == record) fail("defers with a record that is in the queue");
  }
  what.origin = message_origin::deferred;
  const header_words header = header_words_of(what);
  memory_.at(record / 8 + 2) = header.first;
  memory_.at(record / 8 + 3) = header.second;
  memory_.at(record / 8 + 4) = static_cast<word_t>(run);
  deferred_.push_back({record, run, message_of(header)});
}

payload_handle plain_node::take_payload() {
  const auto free = std::find_if(payloads_.begin(), payloads_.end(),
                                 [](const payload& each) { return each.holders == 0; });
  *free = payload{};
  free->holders = 1;
  return payload_handle{static_cast<std::uint16_t>(first_payload + (free - payloads_.begin()))};
}

plain_node::payload& plain_node::at(payload_handle which) {
  const auto number = static_cast<std::size_t>(which);
  if (number < first_payload || number - first_payload >= payloads_.size() ||
      payloads_[number - first_payload].holders == 0) {
    fail("uses payload " + std::to_string(number) + ", which nobody holds");
  }
  return payloads_[number - first_payload];
}

void plain_node::drop(payload_handle which) { --at(which).holders; }

word_t& plain_node::filled_word(payload_handle which, std::uint64_t number, bool for_writing) {
  payload& of = at(which);
  if (number >= line().words()) {
    fail("uses word " + std::to_string(number) + " of a payload's " +
         std::to_string(line().words()));
  }
  if (for_writing) {
    of.filled[number] = true;
  } else if (!of.filled[number]) {
    fail("awaits word " + std::to_string(number) + " of a payload, which nothing will fill");
  }
  return of.words[number];
}

line_size plain_node::line() const { return machine_.config_.line; }

std::uint64_t plain_node::line_at(std::uint64_t address) const {
  return offset_of(address, line().bytes()) / 8;
}

std::uint64_t plain_node::offset_of(std::uint64_t address, std::uint64_t alignment) const {
  const address_layout& addresses = machine_.config_.addresses;
  const node_id node = addresses.node_of(address);
  const std::uint64_t offset = addresses.offset_of(address);
  // An offset alone looks like an address of node 0.
  if ((node != node_ && node != node_id{0}) || offset % alignment != 0 ||
      offset + alignment > machine_.config_.memory_bytes) {
    fail("uses address " + std::to_string(address) + " (node " + std::to_string(index(node)) +
         ", offset " + std::to_string(offset) + "), which is no " +
         (alignment == line().bytes() ? "line" : "word") + " of this node's memory");
  }
  return offset;
}

void plain_node::fail(const std::string& problem) const {
  const std::string where =
      "node " + std::to_string(index(node_)) + ", cycle " + std::to_string(machine_.now()) + ": ";
  if (!running_) throw simulation_error(where + problem);
  throw simulation_error("handler '" + protocols_.name_of(running_->run) + "', " + where + problem +
                         " (message of type " + std::to_string(running_->what.type) +
                         " from node " + std::to_string(index(running_->what.source)) + ")");
}

}  // namespace tributary::testing
