// SPDX-License-Identifier: Apache-2.0
#include <tributary/protocols/ideal_caches/coherent_node.h>

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <tributary/memory/node_memory.h>
#include <tributary/network/message_network.h>
#include <tributary/sim/error.h>
#include <tributary/sim/parameters.h>
#include <tributary/sim/state_archive.h>
#include <tributary/trace/catalog.h>
#include <tributary/trace/communication_events.h>

namespace tributary {
namespace {

// Wake-ups.
constexpr std::uint64_t wake_access = 0;
constexpr std::uint64_t wake_flush = 1;

/// Updates of a node that are on their way; stores wait for room.
constexpr std::size_t most_updates = 16;
constexpr word_t whole_word = ~word_t{0};

word_t bits_of(const word_function& function) {
  return function.kind == form::merge ? function.b : whole_word;
}

std::uint32_t bytes_in(const line_data& bits) {
  std::uint32_t bytes = 0;
  for (const word_t each : bits) {
    if (each != 0) bytes += bytes_moved({form::merge, 0, each});
  }
  return bytes;
}

/// As events have it.
std::uint64_t part_of(const coherence_message& message) {
  if (message.ahead) return static_cast<std::uint64_t>(request_part::ahead);
  return message.part ? static_cast<std::uint64_t>(*message.part) : communication_events::none;
}

ideal_cache_config checked(const ideal_cache_config& config, const address_layout& addresses) {
  config.validate(addresses);
  return config;
}

}  // namespace

void ideal_cache_config::bind(parameter_set& parameters) {
  using u32 = tributary::interval<std::uint32_t>;
  using u64 = tributary::interval<std::uint64_t>;
  constexpr std::uint64_t most_memory = std::uint64_t{1} << 32;
  parameters.add("line_bytes", line_bytes, u32{least_line_bytes, most_line_bytes}, "bytes",
                 "Of a line, a power of two (Klaiber 5.5.1: 32).");
  parameters.add("memory_bytes", memory_bytes, u64{8, most_memory}, "bytes",
                 "Of the memory that each node has a share of the addresses of.");
  parameters.add("hit", hit, u32{1, 1000000}, "cycles",
                 "From an access that finds its line to its completion (assumed).");
  parameters.add("lines", lines, u32{0, 1U << 30}, "lines",
                 "Of other nodes' memory that a cache may hold, the least recently used leaving "
                 "first; 0 for any number (Klaiber 5.3).");
  parameters.add("asynchronous_writes", asynchronous_writes,
                 "Whether stores are complete once a buffer has them (Klaiber Figure 5.15, aw).");
  parameters.add("sequential_prefetch", sequential_prefetch,
                 "Whether the line behind one that is read is fetched before it is needed (Klaiber "
                 "Figure 5.15, pre).");
  parameters.add("buffer", buffer, u32{1, 65536}, "stores", "Places of that buffer (assumed).");
  parameters.add(
      "update_from", update_from, u64{0, most_memory}, "bytes",
      "Offset in a node's memory from which on stores update copies elsewhere (5.1, wu).");
  parameters.add("update_to", update_to, u64{0, most_memory}, "bytes",
                 "The offset behind those; the same as update_from for none.");
  parameters.add(
      "merge_cycles", merge_cycles, u32{1, 1000000}, "cycles",
      "Until the words of an update go out though the processor asks for nothing that pushes "
      "them (assumed).");
}

void ideal_cache_config::validate(const address_layout& addresses) const {
  check_ranges(*this);
  const auto refuse = [](const std::string& key, std::uint64_t value, const std::string& allowed) {
    throw configuration_error(
        {key, "", fmt::format("{} bytes", value), allowed, "choose a value that fits"});
  };
  if (!line_size::allows(line_bytes)) refuse("line_bytes", line_bytes, "a power of two");
  if (memory_bytes % line_bytes != 0 || memory_bytes > addresses.bytes_a_node()) {
    refuse("memory_bytes", memory_bytes,
           fmt::format("whole lines, up to {} bytes", addresses.bytes_a_node()));
  }
  if (update_from % line_bytes != 0 || update_from > update_to) {
    refuse("update_from", update_from, fmt::format("whole lines, up to {} bytes", update_to));
  }
  if (update_to % line_bytes != 0 || update_to > memory_bytes) {
    refuse("update_to", update_to, fmt::format("whole lines, up to {} bytes", memory_bytes));
  }
}

std::string coherence_message_pool::save() const {
  return save_state(static_cast<const cargo_pool<coherence_message>&>(*this));
}
void coherence_message_pool::restore(const std::string& state) {
  restore_state(state, static_cast<cargo_pool<coherence_message>&>(*this));
}

coherent_node::coherent_node(const ideal_cache_config& config, const address_layout& addresses,
                             const attachment_place& place, coherence_message_pool& messages,
                             std::uint32_t lanes)
    : config_(checked(config, addresses)),
      addresses_(addresses),
      line_(config.line_bytes),
      agenda_(place.time),
      here_(place.here),
      nodes_(place.nodes),
      messages_(messages),
      gate_(place.time, place.network, *this) {
  addresses_.validate(nodes_);
  if (nodes_ > most_nodes) {
    throw configuration_error({"nodes", "", fmt::format("{} nodes", nodes_),
                               fmt::format("up to {}", most_nodes), "build fewer nodes"});
  }
  if (place.network.lanes() < lanes) {
    throw configuration_error({"network.lanes", "", fmt::format("{} lanes", place.network.lanes()),
                               fmt::format("{} or more", lanes), "raise it"});
  }
  if (place.network.payload_bytes() < config_.line_bytes) {
    throw configuration_error(
        {"network.payload_bytes", "", fmt::format("{} bytes", place.network.payload_bytes()),
         fmt::format("a line of {} or more", config_.line_bytes), "raise it"});
  }
  require_order(place.network.reorder_window(), "coherent caches");
  messages_.add(*this);
  agenda_.enroll(*this);
}

// ---- lines

line_holding coherent_node::holding(std::uint64_t address) const {
  const auto found = lines_.find(line_of(address));
  if (found != lines_.end()) return found->second.holds;
  return is_own(address) ? line_holding::exclusive : line_holding::none;
}

std::vector<std::uint64_t> coherent_node::known_lines() const {
  std::vector<std::uint64_t> all;
  all.reserve(lines_.size());
  for (const auto& [line, entry] : lines_) all.push_back(line);
  return all;
}

coherent_node::line_entry& coherent_node::entry(std::uint64_t line) {
  const auto [at, is_new] = lines_.try_emplace(line);
  if (is_new && is_own(line)) at->second = {line_holding::exclusive, true, false, false, {}};
  return at->second;
}

coherent_node::line_entry* coherent_node::known(std::uint64_t line) {
  if (is_own(line)) return &entry(line);
  const auto found = lines_.find(line);
  return found == lines_.end() ? nullptr : &found->second;
}

coherent_node::transaction* coherent_node::find(std::uint64_t line) {
  const auto found = transactions_.find(line);
  return found == transactions_.end() ? nullptr : &found->second;
}

word_t coherent_node::peek(std::uint64_t offset) const {
  const std::uint64_t address = addresses_.address_of(here_, 0, offset);
  for (const coherent_node* each : messages_.nodes()) {
    const line_holding holds = each->holding(address);
    if (holds == line_holding::owned || holds == line_holding::exclusive) {
      return each->words_.read(address);
    }
  }
  return words_.read(address);  // on its way
}

void coherent_node::poke(std::uint64_t offset, word_t value) {
  const std::uint64_t address = addresses_.address_of(here_, 0, offset);
  for (coherent_node* each : messages_.nodes()) {
    if (each->holding(address) != line_holding::none) each->words_.write(address, value);
  }
}

// ---- the processor

void coherent_node::check(std::size_t /*element*/, const access& request) const {
  const node_id node = addresses_.node_of(request.address);
  const std::uint64_t offset = request.address - addresses_.address_of(node, 0, 0);
  const auto refuse = [&](const std::string& problem) {
    throw simulation_error(
        fmt::format("node {}: an access at {:#x} {}", index(here_), request.address, problem));
  };
  if (index(node) >= nodes_) {
    refuse(fmt::format("is to node {}, and there are nodes 0 to {}", index(node), nodes_ - 1));
  }
  if (offset % word_bytes != 0 || offset >= config_.memory_bytes) {
    refuse(fmt::format("is to no word of node {}: they are at multiples of 8 below {:#x} there",
                       index(node), config_.memory_bytes));
  }
  if (request.kind != access_kind::word) {
    refuse(fmt::format("is a {}; these caches perform functions of words instead",
                       name_of(request.kind)));
  }
}

bool coherent_node::can_take(std::size_t /*element*/) const { return !busy_; }

void coherent_node::offer(std::size_t element, const access& request, cycle_t now) {
  check(element, request);
  if (busy_) fail("an access comes while another is under way; ask can_take first");
  busy_ = true;
  current_ = {request, element};
  since_ = now;
  agenda_.wake(*this, now + config_.hit, wake_access);
}

std::size_t coherent_node::waiting(std::size_t /*element*/) const { return 0; }
std::size_t coherent_node::outstanding(std::size_t /*element*/) const { return busy_ ? 1 : 0; }

std::uint64_t coherent_node::incomplete_stores(std::size_t /*element*/) const {
  return buffer_.size() + incomplete_updates();
}

bool coherent_node::watch(std::uint64_t address, word_t value) {
  if (client_ == nullptr || busy_ || !transactions_.empty() || incomplete_stores(0) != 0) {
    return false;
  }
  if (holding(address) == line_holding::none || words_.read(address) != value) return false;
  watched_line_ = line_of(address);
  return true;
}

void coherent_node::end_watch(const access& /*load*/, std::uint64_t times, cycle_t /*last*/) {
  watched_line_ = never;
  hits_.add(times);
  if (times != 0) latency_.add(config_.hit, times);
}

void coherent_node::wake(cycle_t now, std::uint64_t tag) {
  if (tag == wake_access) {
    run(now);
  } else if (gathered_.active && now >= gathered_.flush_at && !busy_) {
    // An access that is under way adds to them or sends them out: how long it takes must not count.
    flush(now);
  }
}

bool coherent_node::updates(std::uint64_t address) const {
  const std::uint64_t offset = addresses_.offset_of(address);
  return offset >= config_.update_from && offset < config_.update_to;
}

bool coherent_node::is_pending(std::uint64_t line) const {
  if (gathered_.active && gathered_.line == line) return true;
  for (std::size_t i = 0; i < flying_.size(); ++i) {
    if (flying_[i].line == line) return true;
  }
  return false;
}

bool coherent_node::must_follow(std::uint64_t line) const {
  if (incomplete_updates() == 0) return false;
  return !orders_updates() || holding(line) == line_holding::exclusive;
}

void coherent_node::run(cycle_t now) {
  const access& asked = current_.request;
  const bool plain = is_plain_store(asked);
  const bool update = plain && updates(asked.address);
  const bool adds = update && line_of(asked.address) == gathered_.line;
  // Of stores in the buffer some may be to the same line.
  if (gathered_.active && buffer_.empty() && !adds) flush(now);
  if (plain && config_.asynchronous_writes) {
    waits_ = buffer_.size() >= config_.buffer;
    if (waits_) return;
    buffer_.push(current_);
    finish(false, 0, now);
    drain(now);
    return;
  }
  if (!plain && changes_word(asked.function) && !buffer_.empty()) {
    waits_ = true;
    return;
  }
  waits_ = !(update ? execute_update(current_, false, now) : execute(current_, false, now));
}

/// In order, one at a time.
void coherent_node::drain(cycle_t now) {
  while (!buffer_.empty() && !draining_) {
    const asked_access first = buffer_.front();
    const bool update = updates(first.request.address);
    if (gathered_.active && !update) flush(now);
    const bool begun = update ? execute_update(first, true, now) : execute(first, true, now);
    if (!begun) return;
  }
}

bool coherent_node::execute(const asked_access& asked, bool of_buffer, cycle_t now) {
  const access& request = asked.request;
  const std::uint64_t line = line_of(request.address);
  const bool writes = changes_word(request.function);
  if (!writes && is_covered(request.address)) {
    ++hits_;
    finish(of_buffer, as_stored(request.address, 0), now);
    return true;
  }
  if (find(line) != nullptr) return false;
  if (writes && (is_pending(line) || must_follow(line))) {
    if (gathered_.active) flush(now);
    return false;
  }
  const line_entry* const found = known(line);
  const line_holding holds = found == nullptr ? line_holding::none : found->holds;
  const bool hits = writes ? holds == line_holding::exclusive : holds != line_holding::none;
  if (!hits) {
    begin(asked, of_buffer, holds, now);
    if (!writes) look_ahead(line, true, request.purpose, now);
    return true;
  }
  ++hits_;
  note_use(line);
  if (!writes) look_ahead(line, false, request.purpose, now);
  finish(of_buffer, perform_word(request), now);
  return true;
}

coherent_node::transaction& coherent_node::begin(std::uint64_t line, std::uint8_t purpose) {
  transaction& made = transactions_[line];
  made.line = line;
  made.purpose = purpose;
  made.cold = !entry(line).had;
  return made;
}

void coherent_node::begin(const asked_access& asked, bool of_buffer, line_holding holds,
                          cycle_t now) {
  const access& request = asked.request;
  transaction& made = begin(line_of(request.address), request.purpose);
  made.writes = changes_word(request.function);
  made.keeps_copy = holds != line_holding::none;
  made.of_buffer = of_buffer;
  if (of_buffer) draining_ = true;
  ++(made.keeps_copy ? upgrades_ : misses_);
  if (made.cold) ++cold_misses_;
  this->request(made, now);
}

void coherent_node::look_ahead(std::uint64_t line, bool missed, std::uint8_t purpose, cycle_t now) {
  if (!config_.sequential_prefetch) return;
  const bool first_use = use_ahead(line);
  const bool follows = line == last_read_ + line_.bytes();
  last_read_ = line;
  const std::uint64_t next = line + line_.bytes();
  const bool ends = addresses_.offset_of(line) + line_.bytes() >= config_.memory_bytes;
  if (!(missed || first_use || follows) || ends) return;
  if (holding(next) != line_holding::none || find(next) != nullptr) return;
  transaction& made = begin(next, purpose);
  made.ahead = true;
  ++fetched_ahead_;
  request(made, now);
}

bool coherent_node::use_ahead(std::uint64_t line) {
  line_entry* const found = known(line);
  if (found == nullptr || !std::exchange(found->ahead, false)) return false;
  ++used_ahead_;
  return true;
}

bool coherent_node::execute_update(const asked_access& asked, bool of_buffer, cycle_t now) {
  const access& request = asked.request;
  const std::uint64_t line = line_of(request.address);
  const bool adds = gathered_.active && gathered_.line == line;
  if (flying_.size() >= most_updates) return false;
  if (!adds && must_follow(line)) {
    if (gathered_.active) flush(now);
    return false;
  }
  if (!is_pending(line) && holding(line) == line_holding::exclusive) {
    ++hits_;
    finish(of_buffer, perform_word(request), now);
    return true;
  }
  if (gathered_.active && !adds) flush(now);
  if (!gathered_.active) {
    gathered_ = {};
    gathered_.active = true;
    gathered_.line = line;
    gathered_.purpose = request.purpose;
  }
  const std::size_t word = line_.word(request.address);
  const word_t bits = bits_of(request.function);
  gathered_.words[word] = (gathered_.words[word] & ~bits) | (request.function.a & bits);
  gathered_.bits[word] |= bits;
  gathered_.flush_at = now + config_.merge_cycles;
  const auto* const first = gathered_.bits.begin();
  if (std::all_of(first, first + line_.words(), [](word_t each) { return each == whole_word; })) {
    flush(now);
  } else {
    agenda_.wake(*this, gathered_.flush_at, wake_flush);
  }
  finish(of_buffer, 0, now);
  return true;
}

void coherent_node::flush(cycle_t now) {
  if (!orders_updates() && !flying_.empty()) {
    gathered_.flush_at = now;  // behind the one that is under way
    return;
  }
  coherence_message update;
  update.type = communication_message::update;
  update.purpose = gathered_.purpose;
  update.writes = true;
  update.part = request_part::asks;
  update.requester = here_;
  update.line = gathered_.line;
  update.words = gathered_.words;
  update.bits = gathered_.bits;
  update.bytes = bytes_in(gathered_.bits);
  flying_.push(gathered_);
  gathered_ = {};
  send_update(update, now);
}

word_t coherent_node::as_stored(std::uint64_t address, word_t value) const {
  const std::uint64_t line = line_of(address);
  const std::size_t word = line_.word(address);
  const auto store = [&](const gathered_line& each) {
    if (each.line != line) return;
    value = (value & ~each.bits[word]) | (each.words[word] & each.bits[word]);
  };
  for (std::size_t i = 0; i < flying_.size(); ++i) store(flying_[i]);
  if (gathered_.active) store(gathered_);
  for (std::size_t i = 0; i < buffer_.size(); ++i) {
    const access& each = buffer_[i].request;
    if (each.address == address) value = tributary::apply(each.function, value);
  }
  return value;
}

bool coherent_node::is_covered(std::uint64_t address) const {
  return as_stored(address, 0) == as_stored(address, whole_word);
}

word_t coherent_node::perform_word(const access& request) {
  const word_t before = words_.read(request.address);
  if (!changes_word(request.function)) return as_stored(request.address, before);
  words_.write(request.address, tributary::apply(request.function, before));
  return before;
}

void coherent_node::finish(bool of_buffer, word_t value, cycle_t now) {
  if (of_buffer) {
    buffer_.pop();
    draining_ = false;
    tell_if_settled(now);
    return;
  }
  busy_ = false;
  waits_ = false;
  latency_.add(now - since_);
  tell_access(current_.request, value, now);
  if (client_ == nullptr) return;
  const access request = current_.request;
  const auto element = static_cast<std::size_t>(current_.element);
  const pe_id pe{static_cast<std::uint32_t>(element)};
  client_->completed({pe, request.tag, request.posted ? 0 : value}, now);
  if (!busy_) client_->room(element, now);
}

void coherent_node::tell_if_settled(cycle_t now) {
  if (client_ == nullptr || incomplete_stores(0) != 0) return;
  client_->settled(static_cast<std::size_t>(current_.element), now);
}

/// Something that others may wait for has ended.
void coherent_node::go_on(cycle_t now) {
  drain(now);
  if (busy_ && waits_) run(now);
  drain(now);
}

// ---- what protocols are given

void coherent_node::perform(transaction& about, cycle_t now) {
  if (about.has_line) {
    for (std::size_t i = 0; i < line_.words(); ++i) {
      words_.write(about.line + i * word_bytes, about.words[i]);
    }
  }
  line_entry& of_line = entry(about.line);
  of_line.had = true;
  of_line.holds = about.writes ? line_holding::exclusive : line_holding::shared;
  of_line.sharers = about.sharers;
  if (about.takes_over) {
    const bool alone = about.sharers.size() == 0;
    of_line.holds = alone ? line_holding::exclusive : line_holding::owned;
  }
  if (about.of_access()) use_ahead(about.line);
  of_line.ahead = about.ahead;
  note_use(about.line);
  if (about.of_access()) {
    about.before = perform_word(about.of_buffer ? buffer_.front().request : current_.request);
  }
  about.performed = true;
  for (const coherence_message& each : std::exchange(about.later, {})) obey(each, now);
  make_room(about.line, now);
}

void coherent_node::end(std::uint64_t line, cycle_t now) {
  const transaction over = std::move(transactions_.at(line));
  transactions_.erase(line);
  take_over(now);
  if (!over.of_access()) {
    if (busy_ && waits_ && over.ahead && line_of(current_.request.address) == line) {
      ++awaited_ahead_;
    }
    go_on(now);
    return;
  }
  finish(over.of_buffer, over.before, now);
  go_on(now);
}

void coherent_node::lose(std::uint64_t line) {
  line_entry& lost = entry(line);
  lost.holds = line_holding::none;
  lost.sharers.clear();
  lost.leaving = false;
  if (std::exchange(lost.ahead, false)) ++lost_ahead_;
  recent_.remove(line);
}

// ---- places

void coherent_node::note_use(std::uint64_t line) {
  if (config_.lines == 0 || is_own(line) || entry(line).leaving) return;
  recent_.use(line);
}

void coherent_node::make_room(std::uint64_t came, cycle_t now) {
  if (config_.lines == 0) return;
  while (recent_.size() > config_.lines) {
    const auto victim = recent_.oldest([&](std::uint64_t line) {
      return line != came && find(line) == nullptr && !is_pending(line);
    });
    if (!victim) return;
    replace(*victim, now);
  }
}

/// A copy leaves without a word; others who think that it is here are answered.
void coherent_node::replace(std::uint64_t line, cycle_t now) {
  line_entry& leaves = entry(line);
  if (leaves.holds == line_holding::shared) {
    ++dropped_;
    leaves.ahead = false;  // nobody took it
    lose(line);
    return;
  }
  ++replaced_;
  leaves.leaving = true;
  recent_.remove(line);
  coherence_message message;
  message.type = communication_message::replace;
  message.part = request_part::replacing;
  message.requester = here_;
  message.line = line;
  send(message, addresses_.node_of(line), answer_lane, now);
}

void coherent_node::take_back(const coherence_message& message, cycle_t now) {
  returns_.push_back(message);
  take_over(now);
}

void coherent_node::take_over(cycle_t now) {
  for (const coherence_message& each : std::exchange(returns_, {})) {
    if (find(each.line) != nullptr) {
      returns_.push_back(each);
      continue;
    }
    const line_holding holds = holding(each.line);
    // The own store may have taken it, or another node's.
    if (holds == line_holding::owned || holds == line_holding::exclusive) continue;
    if (!may_own(each.requester, each.line)) continue;
    transaction& made = begin(each.line, each.purpose);
    made.takes_over = true;
    request(made, now);
  }
}

void coherent_node::update_is_seen(cycle_t now) {
  if (flying_.empty()) fail("an update comes back that was not sent");
  flying_.pop();
  if (gathered_.active && !orders_updates() && gathered_.flush_at <= now) flush(now);
  tell_if_settled(now);
  go_on(now);
}

void coherent_node::apply_update(const coherence_message& update) {
  for (std::size_t i = 0; i < line_.words(); ++i) {
    if (update.bits[i] == 0) continue;
    const std::uint64_t address = update.line + i * word_bytes;
    words_.write(address,
                 (words_.read(address) & ~update.bits[i]) | (update.words[i] & update.bits[i]));
  }
}

coherence_message coherent_node::message_of(communication_message type,
                                            const transaction& asked) const {
  coherence_message made;
  made.type = type;
  made.purpose = asked.purpose;
  made.cold = asked.cold;
  made.writes = asked.writes;
  made.keeps_copy = asked.keeps_copy;
  made.ahead = asked.ahead;
  made.takes_over = asked.takes_over;
  made.part = asked.takes_over ? request_part::replacing : request_part::asks;
  made.requester = here_;
  made.line = asked.line;
  return made;
}

void coherent_node::supply(const coherence_message& asked, cycle_t now) {
  ++supplied_;
  coherence_message line = asked;
  line.type = communication_message::line;
  line.part.reset();
  if (asked.takes_over) line.part = request_part::replacing;
  line.bytes = line_.bytes();
  for (std::size_t i = 0; i < line_.words(); ++i) {
    line.words[i] = words_.read(asked.line + i * word_bytes);
  }
  send(line, asked.requester, answer_lane, now);
}

// ---- messages

void coherent_node::send(coherence_message message, node_id to, std::uint8_t lane, cycle_t now) {
  network_transfer transfer;
  transfer.source = here_;
  transfer.destination = to;
  transfer.lane = lane;
  transfer.bytes = message.bytes;
  message.identity = trace_identity::message(index(here_), messages_sent_++);
  transfer.cargo = messages_.put(message);
  gate_.send(transfer, now);
}

void coherent_node::broadcast(coherence_message message, cycle_t now) {
  network_transfer transfer;
  transfer.source = here_;
  transfer.everyone = true;
  transfer.lane = request_lane;
  transfer.bytes = message.bytes;
  message.identity = trace_identity::message(index(here_), messages_sent_++);
  transfer.cargo = messages_.put(message);
  messages_.share(transfer.cargo, nodes_);
  gate_.send(transfer, now);
}

void coherent_node::departed(const network_transfer& message, cycle_t now) {
  tell(communication_events::sent, message, now);
}

void coherent_node::arrived(const network_transfer& message, cycle_t now) {
  tell(communication_events::arrived, message, now);
}

bool coherent_node::take(const network_transfer& message, cycle_t now) {
  const coherence_message came = messages_.at(message.cargo);
  messages_.remove(message.cargo);
  if (came.line == watched_line_) {
    client_->disturbed(static_cast<std::size_t>(current_.element), now);
  }
  receive(came, message.lane, now);
  return true;
}

void coherent_node::tell(const event_kind& kind, const network_transfer& transfer, cycle_t now) {
  if (!trace_.on()) return;
  namespace events = communication_events;
  const coherence_message& message = messages_.at(transfer.cargo);
  trace_event event;
  event.cycle = now;
  event.last = now;
  event.kind = &kind;
  event.identity = message.identity;
  event.address = message.line;
  const std::uint64_t to = transfer.everyone && kind.name == events::sent.name
                               ? events::none
                               : index(transfer.destination);
  event.details = events::message.put(static_cast<std::uint64_t>(message.type)) |
                  events::purpose.put(message.purpose) | events::to.put(to) |
                  events::bytes.put(message.bytes) | events::writes.put(message.writes ? 1 : 0) |
                  events::cold.put(message.cold ? 1 : 0) | events::request.put(part_of(message));
  trace_.add(event);
}

void coherent_node::tell_access(const access& request, word_t value, cycle_t now) {
  namespace events = communication_events;
  const last_load before = last_load_;
  last_load_ = {!changes_word(request.function), request.address, value};
  const bool repeats = before.loads && last_load_.loads && before.address == request.address &&
                       before.value == value;
  if (!trace_.on() || repeats) return;
  trace_event event;
  event.cycle = now;
  event.last = now;
  event.kind = &events::memory_access;
  event.address = request.address;
  event.details = events::purpose.put(request.purpose) |
                  events::bytes.put(bytes_moved(request.function)) |
                  events::writes.put(changes_word(request.function) ? 1 : 0);
  trace_.add(event);
}

void coherent_node::fail(const std::string& problem) const {
  throw simulation_error(
      fmt::format("{} of node {}, cycle {}: {}", name(), index(here_), agenda_.now(), problem));
}

// ---- block

bool coherent_node::idle() const {
  return !busy_ && transactions_.empty() && returns_.empty() && incomplete_stores(0) == 0 &&
         gate_.idle();
}

void coherent_node::reset_statistics() {
  reset_all(hits_, misses_, cold_misses_, upgrades_, supplied_, latency_);
  reset_all(dropped_, replaced_, fetched_ahead_, used_ahead_, awaited_ahead_, lost_ahead_);
  gate_.reset_statistics();
}

void coherent_node::report(statistics_group& into, std::uint64_t cycles) const {
  statistics_group& own = into.group(name());
  own.add("hits", hits_, "accesses", "Accesses that found the line as they need it.");
  own.add("misses", misses_, "accesses", "Accesses that found no line.");
  own.add("cold_misses", cold_misses_, "accesses", "Those of a line that was never there.");
  own.add("upgrades", upgrades_, "accesses", "Stores that found a copy, and invalidated others.");
  own.add("dropped", dropped_, "lines",
          "Copies that left for other lines, used or fetched ahead in vain.");
  own.add("replaced", replaced_, "lines", "Lines that were owned and left for others.");
  own.add("fetched_ahead", fetched_ahead_, "lines",
          "That were asked for before a load needed them.");
  own.add("used_ahead", used_ahead_, "lines", "Of these, those that an access then needed.");
  own.add("awaited_ahead", awaited_ahead_, "lines",
          "Of these, those for which an access had to wait.");
  own.add("lost_ahead", lost_ahead_, "lines",
          "Of these, those that other nodes took before any use.");
  own.add("supplied", supplied_, "lines", "Lines that others got from here.");
  own.add("latency", latency_, "cycles", "From an access of the processor to its completion.");
  gate_.report(own.group(gate_.name()), cycles);
}

void coherent_node::trace(const trace_scope& scope) {
  trace_ = scope.below(name()).add();
  set_communication_names(scope.catalog());
}

std::string coherent_node::save() const { return save_state(save_state(*this), gate_.save()); }

void coherent_node::restore(const std::string& state) {
  std::string own;
  std::string gate;
  restore_state(state, own, gate);
  restore_state(own, *this);
  for (const auto& [line, about] : transactions_) {
    require_state(line == about.line, "a line was asked for as another");
    require_state(!about.of_access() || (about.of_buffer ? !buffer_.empty() : busy_),
                  "a line was asked for by no access");
  }
  gate_.restore(gate);
}

}  // namespace tributary
