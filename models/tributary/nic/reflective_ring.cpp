// SPDX-License-Identifier: Apache-2.0
#include <tributary/nic/reflective_ring.h>

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include <tributary/sim/error.h>
#include <tributary/sim/fixed_size.h>
#include <tributary/sim/parameters.h>
#include <tributary/sim/state_archive.h>
#include <tributary/trace/identity.h>

namespace tributary {
namespace {

/// What a wake-up is of, and of which node.
enum class wake_kind : std::uint8_t { read, loaded, stored, arrival, look };
constexpr std::uint64_t wake_kinds = 5;
constexpr std::uint64_t tag_of(wake_kind kind, std::uint32_t node) {
  return std::uint64_t{node} * wake_kinds + static_cast<std::uint64_t>(kind);
}

constexpr std::size_t bus_part = 0;
constexpr std::size_t link_part = 1;
constexpr std::uint32_t most_nodes = 1024;
/// Words in the ring's register at most: one that waits, and one that comes as a slot ends.
constexpr std::size_t register_words = 2;

}  // namespace

void reflective_ring_config::bind(parameter_set& parameters) {
  using u32 = tributary::interval<std::uint32_t>;
  parameters.add("slot", slot, u32{1, 1000000}, "cycles",
                 "That a word takes from a node to the next.");
  parameters.add("fifo", fifo, u32{1, 65536}, "words",
                 "Stores that wait in a node for the ring; a store blocks when it is full (depth "
                 "assumed).");
  parameters.add("memory_words", memory_words, u32{1, 1U << 28}, "words",
                 "Of 4 bytes, of the memory of each node.");
  parameters.add("read", read, u32{1, 1000000}, "cycles", "Of the I/O bus, for a load.");
  parameters.add("request", request, u32{0, 1000000}, "cycles",
                 "Of a load, until the interface reads its memory; half of the load (assumed).");
  parameters.add("write", write, u32{1, 1000000}, "cycles", "Of the I/O bus, for a store.");
  parameters.add_choice(
      "own_store", own,
      {{"at_once", own_store::at_once}, {"after_round_trip", own_store::after_round_trip}},
      "When a store is applied to the memory of its own node (assumed).");
}

void reflective_ring_config::validate(std::uint32_t nodes) const {
  check_ranges(*this);
  if (request > read) {
    throw configuration_error({"ring.request", "", fmt::format("{} cycles of a load", request),
                               fmt::format("0 to ring.read, which is {}", read),
                               "a load cannot end before the memory is read"});
  }
  if (nodes >= 2 && nodes <= most_nodes) return;
  throw configuration_error({"nodes", "", fmt::format("a ring of {} nodes", nodes),
                             fmt::format("2 to {}", most_nodes),
                             "choose so many nodes that a word has somewhere to go"});
}

// ---- the port of a processor

class reflective_ring::host_port final : public processor_port {
 public:
  host_port(reflective_ring& ring, std::uint32_t node) : ring_(ring), node_(node) {}

  void set_client(memory_client* client) override { client_ = client; }
  memory_client* client() const { return client_; }

  void check(std::size_t /*element*/, const access& request) const override {
    ring_.check(node_, request);
  }
  bool can_take(std::size_t /*element*/) const override { return !own().on_bus; }
  void offer(std::size_t element, const access& request, cycle_t now) override {
    ring_.offer(node_, element, request, now);
  }
  std::size_t waiting(std::size_t /*element*/) const override { return own().stalled ? 1 : 0; }
  std::size_t outstanding(std::size_t /*element*/) const override { return own().on_bus ? 1 : 0; }
  std::uint64_t incomplete_stores(std::size_t /*element*/) const override {
    return own().round_trips;
  }

 private:
  const node_state& own() const { return ring_.nodes_[node_]; }

  reflective_ring& ring_;
  std::uint32_t node_;
  memory_client* client_ = nullptr;
};

reflective_ring::reflective_ring(const reflective_ring_config& config, std::uint32_t nodes,
                                 agenda& time)
    : config_((config.validate(nodes), config)), agenda_(time), nodes_(nodes), counters_(nodes) {
  agenda_.enroll(*this);
  for (std::uint32_t i = 0; i < nodes; ++i) {
    ports_.push_back(std::make_unique<host_port>(*this, i));
  }
}

reflective_ring::~reflective_ring() = default;

processor_port& reflective_ring::port(std::uint32_t node) { return *ports_.at(node); }

word_t reflective_ring::peek(std::uint32_t node, std::uint64_t word) const {
  if (node >= nodes() || word >= config_.memory_words) {
    throw simulation_error(
        fmt::format("there is no word {} of node {}; nodes are 0 to {}, words 0 "
                    "to {}",
                    word, node, nodes() - 1, config_.memory_words - 1));
  }
  return nodes_[node].memory.read(word);
}

void reflective_ring::check(std::uint32_t node, const access& request) const {
  const auto refuse = [&](const std::string& problem) {
    throw simulation_error(fmt::format("node {}: an access at {:#x} of the reflective memory {}",
                                       node, request.address, problem));
  };
  if (request.address % word_bytes != 0 || request.address / word_bytes >= config_.memory_words) {
    refuse(fmt::format("is to no word of it: they are at multiples of 8 below {:#x}",
                       reflected_address(config_.memory_words)));
  }
  if (request.kind != access_kind::word) {
    refuse(fmt::format("is a {}, and there are no caches", name_of(request.kind)));
  }
  if (request.function.kind == form::identity) return;
  if (request.function.kind != form::constant || !request.posted) {
    refuse(
        fmt::format("is a {} that asks for the word before; loads and posted stores are served "
                    "only",
                    name_of(request.function.kind)));
  }
  if (request.function.a > std::numeric_limits<std::uint32_t>::max()) {
    refuse(fmt::format("stores {:#x}, and words of the ring have 4 bytes", request.function.a));
  }
}

void reflective_ring::offer(std::uint32_t node, std::size_t element, const access& request,
                            cycle_t now) {
  check(node, request);
  node_state& own = nodes_[node];
  if (own.on_bus) {
    throw simulation_error(fmt::format(
        "node {}, cycle {}: an access comes while another is on the bus; ask can_take first", node,
        now));
  }
  own.on_bus = true;
  own.request = request;
  own.element = element;
  const bool loads = request.function.kind == form::identity;
  const cycle_t due = now + (loads ? config_.request : config_.write);
  const std::uint64_t tag = tag_of(loads ? wake_kind::read : wake_kind::stored, node);
  agenda_.wake(*this, due, tag, wake_rank::processor);
}

void reflective_ring::wake(cycle_t now, std::uint64_t tag) {
  const auto node = static_cast<std::uint32_t>(tag / wake_kinds);
  switch (static_cast<wake_kind>(tag % wake_kinds)) {
    case wake_kind::read:
      read(node, now);
      return;
    case wake_kind::loaded:
      complete(node, nodes_[node].found, now);
      return;
    case wake_kind::stored:
      end_store(node, now);
      return;
    case wake_kind::arrival:
      arrive(node, now);
      return;
    case wake_kind::look:
      look(node, now);
      return;
  }
}

void reflective_ring::read(std::uint32_t node, cycle_t now) {
  node_state& own = nodes_[node];
  own.found = own.memory.read(own.request.address / word_bytes);
  agenda_.wake(*this, now + config_.read - config_.request, tag_of(wake_kind::loaded, node),
               wake_rank::processor);
}

void reflective_ring::end_store(std::uint32_t node, cycle_t now) {
  node_state& own = nodes_[node];
  if (own.stores.size() < config_.fifo) {
    enter_fifo(node, now);
    return;
  }
  own.stalled = true;
  own.since = now;
  ++counters_[node].stalls;
}

/// The store that is on the bus.
void reflective_ring::enter_fifo(std::uint32_t node, cycle_t now) {
  node_state& own = nodes_[node];
  const reflected_word stored{node, static_cast<std::uint32_t>(own.request.address / word_bytes),
                              static_cast<std::uint32_t>(own.request.function.a), own.numbered++};
  ++own.round_trips;
  ++counters_[node].stored;
  own.stores.push(stored);
  fifo_words_.add(own.stores.size());
  tell(reflective_events::stored, node, bus_part, stored, now, now);
  if (config_.own == own_store::at_once) apply(node, stored, now);
  look_at(node, now);
  complete(node, 0, now);
}

void reflective_ring::complete(std::uint32_t node, word_t value, cycle_t now) {
  node_state& own = nodes_[node];
  const completion told{pe_id{static_cast<std::uint32_t>(own.element)}, own.request.tag, value};
  const auto element = static_cast<std::size_t>(own.element);
  own.on_bus = false;
  own.found = 0;
  own.request = {};
  own.element = 0;
  memory_client* const client = ports_[node]->client();
  if (client == nullptr) return;
  client->completed(told, now);
  if (!own.on_bus) client->room(element, now);
}

// ---- the ring

void reflective_ring::look_at(std::uint32_t node, cycle_t now) {
  // Behind all that arrives in this cycle: the ring goes first.
  agenda_.wake(*this, now, tag_of(wake_kind::look, node), wake_rank::inside);
}

/// Sends what waits, if the link is free: what came from the ring before what the host stored.
void reflective_ring::look(std::uint32_t node, cycle_t now) {
  node_state& own = nodes_[node];
  if (own.sends) return;
  const bool from_ring = !own.ring_register.empty();
  fifo<reflected_word>& source = from_ring ? own.ring_register : own.stores;
  if (source.empty()) return;
  own.sent = source.front();
  source.pop();
  own.sends = true;
  ++slots_;
  if (from_ring) {
    ++counters_[node].forwarded;
  } else {
    first_sent_ = std::min(first_sent_, now);
    tell(reflective_events::inserted, node, bus_part, own.sent, now, now);
  }
  tell(reflective_events::crosses, node, link_part, own.sent, now, now + config_.slot - 1);
  agenda_.wake(*this, now + config_.slot, tag_of(wake_kind::arrival, node), wake_rank::arrival);
  if (from_ring || !own.stalled) return;
  own.stalled = false;
  counters_[node].stall.add(now - own.since);
  tell(reflective_events::stalled, node, bus_part, own.sent, own.since, now);
  enter_fifo(node, now);
}

/// The word on a node's link is at the next node.
void reflective_ring::arrive(std::uint32_t from, cycle_t now) {
  const reflected_word word = nodes_[from].sent;
  nodes_[from].sends = false;
  nodes_[from].sent = {};
  look_at(from, now);
  const std::uint32_t node = behind(from);
  if (word.source == node) {
    strip(node, word, now);
    return;
  }
  apply(node, word, now);
  nodes_[node].ring_register.push(word);
  look_at(node, now);
}

void reflective_ring::strip(std::uint32_t node, const reflected_word& word, cycle_t now) {
  if (config_.own == own_store::after_round_trip) apply(node, word, now);
  ++stripped_;
  last_stripped_ = now;
  node_state& own = nodes_[node];
  memory_client* const client = ports_[node]->client();
  if (--own.round_trips == 0 && client != nullptr) client->settled(node, now);
}

void reflective_ring::apply(std::uint32_t node, const reflected_word& word, cycle_t now) {
  nodes_[node].memory.write(word.offset, word.data);
  if (!applied_observers_.empty()) applied_observers_.notify({node, now, word});
}

// ---- block

bool reflective_ring::idle() const {
  return std::all_of(nodes_.begin(), nodes_.end(),
                     [](const node_state& each) { return !each.on_bus && each.round_trips == 0; });
}

double reflective_ring::throughput(std::uint64_t period) const {
  if (stripped_.value() == 0 || first_sent_ >= last_stripped_) return 0;
  const double bytes = static_cast<double>(stripped_.value()) * reflected_word_bytes;
  return bytes * 1e6 /
         (static_cast<double>(last_stripped_ - first_sent_) * static_cast<double>(period));
}

void reflective_ring::reset_statistics() {
  std::fill(counters_.begin(), counters_.end(), node_counters());
  reset_all(stripped_, fifo_words_);
  slots_ = 0;
  first_sent_ = never;
  last_stripped_ = 0;
}

void reflective_ring::report(statistics_group& into, std::uint64_t cycles) const {
  node_counters all;
  for (std::size_t i = 0; i < counters_.size(); ++i) {
    const node_counters& own = counters_[i];
    all.stored.add(own.stored.value());
    all.forwarded.add(own.forwarded.value());
    all.stalls.add(own.stalls.value());
    all.stall += own.stall;
    statistics_group& group = into.group("node").group(std::to_string(i));
    group.add("stored", own.stored, "words", "Words that the host stored.");
    group.add("forwarded", own.forwarded, "words", "Words of other nodes that the node sent on.");
    group.add("stalls", own.stalls, "stores", "Stores that found the FIFO full.");
  }
  into.add("stored", all.stored, "words", "Words that hosts stored.");
  into.add("stripped", stripped_, "words", "Words that came back to their node.");
  into.add("forwarded", all.forwarded, "words", "Words that other nodes sent on, each time.");
  into.add("stalls", all.stalls, "stores", "Stores that found the FIFO full.");
  into.add("stall", all.stall, "cycles", "That such a store blocked its host.");
  into.add("fifo", fifo_words_, "words", "In the FIFO, with the one that enters, as a store does.");
  const double links = static_cast<double>(cycles) * static_cast<double>(nodes_.size());
  into.add("occupancy", links == 0 ? 0.0 : static_cast<double>(slots_) * config_.slot / links, "1",
           "Share of the links' time in which words cross them.");
}

void reflective_ring::trace(const trace_scope& scope) {
  track_part bus{"bus", {{"fifo", false}}};
  track_part link{"link", {{"word", true}}};
  trace_ = scope.add({"", "node", nodes(), {bus, link}});
  for (std::uint32_t i = 0; i < nodes(); ++i) {
    scope.hold(trace_, 2 * std::size_t{i} + bus_part, "fifo", nodes_[i].stores.size());
  }
  scope.catalog().origins = nodes();
  scope.catalog().kinds = {&reflective_events::stored, &reflective_events::inserted,
                           &reflective_events::stalled, &reflective_events::crosses};
}

void reflective_ring::tell(const event_kind& kind, std::uint32_t node, std::size_t track,
                           const reflected_word& word, cycle_t first, cycle_t last) const {
  if (!trace_.on()) return;
  trace_event event;
  event.cycle = first;
  event.last = last;
  event.kind = &kind;
  event.identity = trace_identity::message(word.source, word.number);
  event.address = reflected_address(word.offset);
  event.value = word.data;
  trace_.add(event, 2 * std::size_t{node} + track);
}

std::string reflective_ring::save() const {
  return save_state(nodes_, counters_, stripped_, fifo_words_, slots_, first_sent_, last_stripped_);
}

void reflective_ring::restore(const std::string& state) {
  std::vector<node_state> nodes;
  std::vector<node_counters> counters;
  restore_state(state, nodes, counters, stripped_, fifo_words_, slots_, first_sent_,
                last_stripped_);
  require_state(nodes.size() == nodes_.size() && counters.size() == nodes.size(),
                "a ring has another number of nodes");
  for (const node_state& each : nodes) check_restored(each);
  nodes_ = nodes;
  counters_ = counters;
}

void reflective_ring::check_restored(const node_state& node) const {
  require_state(node.stores.size() <= config_.fifo && node.ring_register.size() <= register_words,
                "a ring has more words than its registers hold");
  const auto fits = [&](const reflected_word& word) {
    return word.source < nodes_.size() && word.offset < config_.memory_words;
  };
  bool good = fits(node.sent);
  for (std::size_t i = 0; i < node.stores.size(); ++i) good = good && fits(node.stores[i]);
  for (std::size_t i = 0; i < node.ring_register.size(); ++i) {
    good = good && fits(node.ring_register[i]);
  }
  const bool placed = node.request.address / word_bytes < config_.memory_words;
  require_state(good && placed, "a word of a ring has no place in it");
}

}  // namespace tributary
