// SPDX-License-Identifier: Apache-2.0
#include <tributary/nic/remote_memory_port.h>

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <tributary/network/message_network.h>
#include <tributary/sim/error.h>
#include <tributary/sim/parameters.h>
#include <tributary/sim/state_archive.h>
#include <tributary/trace/catalog.h>

namespace tributary {
namespace {

using type = communication_message;

// Wake-ups.
constexpr std::uint64_t wake_ending = 0;
constexpr std::uint64_t wake_service = 1;
constexpr std::uint64_t wake_place = 2;

std::uint64_t checked_bytes(const remote_memory_config& config, const address_layout& addresses) {
  check_ranges(config);
  if (config.memory_bytes % word_bytes == 0 && config.memory_bytes <= addresses.bytes_a_node()) {
    return config.memory_bytes;
  }
  throw configuration_error({"memory_bytes", "", fmt::format("{} bytes", config.memory_bytes),
                             fmt::format("a multiple of 8 up to {}", addresses.bytes_a_node()),
                             "choose whole words that an address can name"});
}

}  // namespace

void remote_memory_config::bind(parameter_set& parameters) {
  using u32 = tributary::interval<std::uint32_t>;
  using u64 = tributary::interval<std::uint64_t>;
  parameters.add_group("memory", memory, "The memory of a node, as its processor finds it.");
  parameters.add("memory_bytes", memory_bytes, u64{8, std::uint64_t{1} << 32}, "bytes",
                 "Of the memory of each node.");
  parameters.add("outstanding", outstanding, u32{1, 65536}, "accesses",
                 "Accesses to other nodes that are under way at a time (assumed).");
  parameters.add("service", service, u32{1, 1000000}, "cycles",
                 "That a request of another node takes, one at a time (assumed).");
  parameters.add("replies", replies, u32{1, 1024}, "messages",
                 "Answers that wait for the network at most; requests wait then (assumed).");
  parameters.add("operations", operations,
                 "Whether functions beyond loads and stores are performed on words of other nodes; "
                 "the source has none, and a run-time locks by them.");
}

std::string remote_message_pool::save() const {
  return save_state(static_cast<const cargo_pool<remote_message>&>(*this));
}
void remote_message_pool::restore(const std::string& state) {
  restore_state(state, static_cast<cargo_pool<remote_message>&>(*this));
}

remote_memory_port::remote_memory_port(const remote_memory_config& config,
                                       const address_layout& addresses,
                                       const attachment_place& place, remote_message_pool& messages)
    : config_(config),
      addresses_(addresses),
      agenda_(place.time),
      here_(place.here),
      nodes_(place.nodes),
      messages_(messages),
      memory_(config.memory, place.time, checked_bytes(config, addresses),
              addresses.address_of(place.here, 0, 0)),
      gate_(place.time, place.network, *this),
      slots_(config.outstanding) {
  addresses_.validate(nodes_);
  if (place.network.lanes() <= answer_lane) {
    throw configuration_error({"network.lanes", "", "one lane", "2 lanes or more",
                               "answers need a lane of their own, else requests can block them"});
  }
  memory_.set_client(this);
  agenda_.enroll(*this);
}

// ---- the processor

void remote_memory_port::set_client(memory_client* client) { client_ = client; }

bool remote_memory_port::is_own(std::uint64_t address) const {
  return addresses_.node_of(address) == here_;
}

void remote_memory_port::check(std::size_t element, const access& request) const {
  if (is_own(request.address)) {
    memory_.check(element, request);
    return;
  }
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
    refuse(fmt::format("is a {}, and remote memory has no caches", name_of(request.kind)));
  }
  if (!config_.operations && changes_word(request.function) && !is_plain_store(request)) {
    refuse(fmt::format("is a {}, and remote memory serves loads and stores only; set operations",
                       name_of(request.function.kind)));
  }
}

bool remote_memory_port::can_take(std::size_t element) const {
  return used_ < config_.outstanding && memory_.can_take(element);
}

void remote_memory_port::offer(std::size_t element, const access& request, cycle_t now) {
  check(element, request);
  if (!can_take(element)) {
    throw simulation_error(
        fmt::format("node {}, cycle {}: an access comes while there is no room; ask can_take first",
                    index(here_), now));
  }
  if (is_own(request.address)) {
    memory_.offer(element, request, now);
  } else {
    ask(element, request, now);
  }
}

void remote_memory_port::ask(std::size_t element, const access& request, cycle_t now) {
  const auto unused =
      std::find_if(slots_.begin(), slots_.end(), [](const slot& each) { return !each.used; });
  const bool stores = is_plain_store(request);
  const bool loads = !changes_word(request.function);
  *unused = {true, stores, stores && request.posted, element, request.tag, now};
  ++used_;
  ++(stores ? stores_ : loads ? loads_ : operations_);
  const node_id node = addresses_.node_of(request.address);
  remote_message sent;
  sent.type = stores ? type::write : type::read;
  sent.purpose = request.purpose;
  sent.writes = !loads;
  sent.slot = static_cast<std::uint32_t>(unused - slots_.begin());
  sent.offset = request.address - addresses_.address_of(node, 0, 0);
  sent.function = request.function;
  sent.bytes = loads ? 0 : bytes_moved(request.function);
  if (stores) ++incomplete_;
  if (unused->posted) {
    const pe_id pe{static_cast<std::uint32_t>(element)};
    endings_.push({{pe, request.tag, 0}, now + 1});
    agenda_.wake(*this, now + 1, wake_ending);
  }
  send(sent, node, request_lane, now);
}

std::size_t remote_memory_port::waiting(std::size_t /*element*/) const { return 0; }

std::size_t remote_memory_port::outstanding(std::size_t element) const {
  const auto open = std::count_if(slots_.begin(), slots_.end(),
                                  [](const slot& each) { return each.used && !each.posted; });
  return static_cast<std::size_t>(open) + endings_.size() + memory_.outstanding(element);
}

/// Those that are complete for the processor and for nobody else.
std::uint64_t remote_memory_port::incomplete_stores(std::size_t /*element*/) const {
  return incomplete_;
}

void remote_memory_port::completed(const completion& ended, cycle_t now) {
  if (client_ != nullptr) client_->completed(ended, now);
}

void remote_memory_port::room(std::size_t element, cycle_t now) {
  if (client_ != nullptr && can_take(element)) client_->room(element, now);
}

// ---- messages

void remote_memory_port::send(const remote_message& sent, node_id to, std::uint8_t lane,
                              cycle_t now) {
  network_transfer transfer;
  transfer.source = here_;
  transfer.destination = to;
  transfer.lane = lane;
  transfer.bytes = sent.bytes;
  transfer.cargo = messages_.put(sent);
  messages_.at(transfer.cargo).identity = trace_identity::message(index(here_), messages_sent_++);
  gate_.send(transfer, now);
}

void remote_memory_port::departed(const network_transfer& message, cycle_t now) {
  tell(communication_events::sent, message, now);
  // A place for one more answer.
  if (message.lane == answer_lane) agenda_.wake(*this, now, wake_place);
}

void remote_memory_port::arrived(const network_transfer& message, cycle_t now) {
  tell(communication_events::arrived, message, now);
}

bool remote_memory_port::take(const network_transfer& message, cycle_t now) {
  if (message.lane == answer_lane) {
    const remote_message answer = messages_.at(message.cargo);
    messages_.remove(message.cargo);
    end(answer, now);
    return true;
  }
  if (serving_.under_way || gate_.unsent(answer_lane) >= config_.replies) return false;
  serving_ = {message, true};
  agenda_.wake(*this, now + config_.service, wake_service);
  return true;
}

void remote_memory_port::wake(cycle_t now, std::uint64_t tag) {
  if (tag == wake_ending) {
    const completion told = endings_.front().told;
    endings_.pop();
    completed(told, now);
  } else if (tag == wake_service) {
    serve(now);
  } else {
    gate_.look(request_lane, now);
  }
}

void remote_memory_port::serve(cycle_t now) {
  const network_transfer transfer = serving_.transfer;
  const remote_message request = messages_.at(transfer.cargo);
  messages_.remove(transfer.cargo);
  serving_ = {};
  ++served_;
  remote_message answer = request;
  answer.value = memory_.perform(request.offset, request.function);
  answer.function = {};
  answer.type = request.type == type::read ? type::write : type::acknowledgement;
  answer.bytes = request.type == type::read ? word_bytes : 0;
  send(answer, transfer.source, answer_lane, now);
  gate_.look(request_lane, now);
}

void remote_memory_port::end(const remote_message& answer, cycle_t now) {
  if (answer.slot >= slots_.size() || !slots_[answer.slot].used) {
    throw simulation_error(fmt::format("node {}, cycle {}: an answer for access {}, which is none",
                                       index(here_), now, answer.slot));
  }
  const bool was_full = !can_take(0);
  const slot over = std::exchange(slots_[answer.slot], {});
  --used_;
  latency_.add(now - over.since);
  if (over.stores) --incomplete_;
  if (!over.posted) {
    const pe_id pe{static_cast<std::uint32_t>(over.element)};
    completed({pe, over.tag, answer.value}, now);
  }
  const auto element = static_cast<std::size_t>(over.element);
  if (client_ == nullptr) return;
  if (over.stores && incomplete_ == 0) client_->settled(element, now);
  if (was_full && can_take(element)) client_->room(element, now);
}

void remote_memory_port::tell(const event_kind& kind, const network_transfer& transfer,
                              cycle_t now) {
  if (!trace_.on()) return;
  namespace events = communication_events;
  const remote_message& message = messages_.at(transfer.cargo);
  const node_id owner = transfer.lane == request_lane ? transfer.destination : transfer.source;
  trace_event event;
  event.cycle = now;
  event.last = now;
  event.kind = &kind;
  event.identity = message.identity;
  event.address = addresses_.address_of(owner, 0, message.offset);
  event.details = events::message.put(static_cast<std::uint64_t>(message.type)) |
                  events::purpose.put(message.purpose) |
                  events::to.put(index(transfer.destination)) | events::bytes.put(message.bytes) |
                  events::writes.put(message.writes ? 1 : 0) | events::cold.put(events::none) |
                  events::request.put(events::none);
  trace_.add(event);
}

// ---- block

bool remote_memory_port::idle() const {
  return used_ == 0 && endings_.empty() && !serving_.under_way && memory_.idle() && gate_.idle();
}

void remote_memory_port::reset_statistics() {
  reset_all(loads_, stores_, operations_, served_, latency_);
  memory_.reset_statistics();
  gate_.reset_statistics();
}

void remote_memory_port::report(statistics_group& into, std::uint64_t cycles) const {
  statistics_group& own = into.group(name());
  own.add("loads", loads_, "accesses", "Loads of words of other nodes.");
  own.add("stores", stores_, "accesses", "Stores to words of other nodes.");
  own.add("operations", operations_, "accesses", "Other functions of words of other nodes.");
  own.add("served", served_, "requests", "Requests of other nodes.");
  own.add("latency", latency_, "cycles", "From an access to another node until it was answered.");
  gate_.report(own.group(gate_.name()), cycles);
  memory_.report(into.group(memory_.name()), cycles);
}

void remote_memory_port::trace(const trace_scope& scope) {
  trace_ = scope.below(name()).add();
  set_communication_names(scope.catalog());
  memory_.trace(scope);
}

std::string remote_memory_port::save() const {
  return save_state(save_state(*this), memory_.save(), gate_.save());
}

void remote_memory_port::restore(const std::string& state) {
  std::string own;
  std::string memory;
  std::string gate;
  restore_state(state, own, memory, gate);
  restore_state(own, *this);
  require_state(slots_.size() == config_.outstanding, "a node has another number of accesses");
  const auto used = [](const slot& each) { return each.used; };
  require_state(
      used_ == static_cast<std::uint32_t>(std::count_if(slots_.begin(), slots_.end(), used)),
      "a node counts other accesses");
  memory_.restore(memory);
  gate_.restore(gate);
}

}  // namespace tributary
