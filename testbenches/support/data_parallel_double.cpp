// SPDX-License-Identifier: Apache-2.0
#include "data_parallel_double.h"

#include <algorithm>
#include <string>

#include <tributary/sim/error.h>

namespace tributary::testing {
namespace {

constexpr std::uint32_t word_bytes = 8;
constexpr word_t lower_half = 0xffffffff;
/// Cycles between two looks for the other nodes.
constexpr std::uint64_t look_period = 5;

std::uint32_t number(node_id node) { return static_cast<std::uint32_t>(node); }
std::uint32_t words_of(std::uint32_t bytes) { return (bytes + word_bytes - 1) / word_bytes; }
node_data after(const node_data& where, std::uint32_t words) {
  return {where.node, where.offset + std::uint64_t{word_bytes} * words};
}
/// What an item of so many bytes makes of an old word.
word_t merged(word_t old, word_t value, std::uint32_t bytes) {
  return bytes == 4 ? (old & ~lower_half) | (value & lower_half) : value;
}

}  // namespace

/// A node's side of the run-time.
class data_parallel_world::side final : public data_parallel {
 public:
  side(program_context& context, data_parallel_world& world)
      : data_parallel(context, world.words_ * word_bytes), world_(world) {}

  word_t read(std::uint64_t offset) override {
    const node_data where{node(), offset};
    history& past = looked_at(where, "reads");
    if (past.landing == world_.phase_ || past.combining == world_.phase_) {
      world_.refuse(where, "is read before the barrier behind what lands there");
    }
    past.read = world_.phase_;
    return world_.word(where);
  }

  void write(std::uint64_t offset, word_t value) override {
    const node_data where{node(), offset};
    history& past = looked_at(where, "writes");
    const std::uint64_t now = world_.phase_;
    if (past.taken == now || past.taken_remotely == now) {
      world_.refuse(where, "is written before the barrier behind what takes it");
    }
    if (past.landing == now || past.combining == now) {
      world_.refuse(where, "is written by its node and by a message between two barriers");
    }
    past.written = now;
    world_.word(where) = value;
  }

  void get(const node_data& from, std::uint64_t to, std::uint32_t bytes) override {
    ++world_.counts_.gets;
    world_.counts_.get_bytes += bytes;
    const node_data here{node(), to};
    world_.check_range(from, bytes, "gets");
    world_.check_range(here, bytes, "gets");
    world_.take(from, bytes, node());
    world_.let_land(here, bytes, node());
    pass_on({from, here, bytes}, data_parallel_fault::call::get);
  }

  void send(const node_data& to, std::uint64_t from, std::uint32_t bytes) override {
    ++world_.counts_.sends;
    world_.counts_.send_bytes += bytes;
    const node_data here{node(), from};
    world_.check_range(to, bytes, "sends");
    world_.check_range(here, bytes, "sends");
    world_.take(here, bytes, node());
    world_.let_land(to, bytes, node());
    pass_on({here, to, bytes}, data_parallel_fault::call::send);
  }

  void combining_send(const node_data& to, word_t value, combining_operation operation,
                      std::uint32_t bytes) override {
    ++world_.counts_.combining_sends;
    world_.check_range(to, bytes, "sends");
    world_.let_combine(to, node());
    if (world_.strikes(data_parallel_fault::call::combining_send)) return;
    world_.contributions_.push_back({to, value, operation, bytes});
  }

  void broadcast(node_id owner, std::uint64_t offset, std::uint32_t bytes) override {
    hesitate();
    world_.check_range({owner, offset}, bytes, "broadcasts");
    const std::uint64_t mine = broadcasts_++;
    if (owner == node()) world_.cast_now({owner, offset, bytes});
    await([this, mine] { return world_.casts_.size() > mine; });
    const cast& made = world_.casts_[mine];
    if (made.owner != owner || made.offset != offset || made.bytes != bytes) {
      world_.refuse({node(), offset}, "is not where the owner broadcasts to");
    }
  }

  word_t reduce(word_t value, combining_operation operation, std::uint32_t bytes) override {
    if (node() == node_id{0}) ++world_.counts_.reduces;
    return meet(value, operation, bytes);
  }

  void barrier() override {
    if (node() == node_id{0}) ++world_.counts_.barriers;
    const bool faulty = world_.fault_.which == data_parallel_fault::call::barrier;
    if (faulty && barriers_++ == world_.fault_.number) return;
    meet(0, std::nullopt, 0);
  }

 private:
  history& looked_at(const node_data& where, const char* what) {
    world_.check_range(where, word_bytes, what);
    history& past = world_.history_of(where);
    if (past.broadcasts > broadcasts_) {
      world_.refuse(where, "is used before the node takes part in the broadcast that lands there");
    }
    return past;
  }

  void pass_on(transfer what, data_parallel_fault::call which) {
    if (world_.strikes(which)) {
      if (!world_.fault_.astray) return;
      what.from = world_.astray(what.from, what.bytes);
    }
    world_.transfers_.push_back(what);
  }

  word_t meet(word_t value, std::optional<combining_operation> operation, std::uint32_t bytes) {
    hesitate();
    meeting& all = world_.meeting_;
    if (all.arrived == 0) {
      all = {0, operation, bytes, std::vector<word_t>(nodes())};
    } else if (all.operation != operation || all.bytes != bytes) {
      world_.refuse({node(), 0}, "is at another barrier or reduction than the first node");
    }
    all.values[number(node())] = value;
    const std::uint64_t before = world_.phase_;
    if (++all.arrived == nodes()) world_.meet();
    await([this, before] { return world_.phase_ > before; });
    return world_.result_;
  }

  /// So that the order in which nodes come changes.
  void hesitate() { context().delay((++calls_ * 7 + std::uint64_t{number(node())} * 5) % 11); }

  template <class Condition>
  void await(const Condition& holds) {
    context().outside(look_period, [&]() -> std::optional<word_t> {
      if (holds()) return 0;
      return std::nullopt;
    });
  }

  data_parallel_world& world_;
  std::uint64_t broadcasts_ = 0;  // that the node took part in
  std::uint64_t barriers_ = 0;
  std::uint64_t calls_ = 0;
};

data_parallel_world::data_parallel_world(std::uint32_t nodes, std::uint64_t bytes,
                                         const data_parallel_fault& fault)
    : nodes_(nodes),
      words_(bytes / word_bytes),
      fault_(fault),
      data_(nodes * words_),
      histories_(data_.size()) {}

data_parallel_world::~data_parallel_world() = default;

data_parallel_maker data_parallel_world::maker() {
  return [this](program_context& context) { return std::make_unique<side>(context, *this); };
}

data_parallel_world::history& data_parallel_world::history_of(const node_data& where) {
  return histories_[number(where.node) * words_ + where.offset / word_bytes];
}

word_t& data_parallel_world::word(const node_data& where) {
  return data_[number(where.node) * words_ + where.offset / word_bytes];
}

void data_parallel_world::refuse(const node_data& where, const char* what) const {
  throw simulation_error("offset " + std::to_string(where.offset) + " of node " +
                         std::to_string(number(where.node)) + ' ' + what);
}

void data_parallel_world::check_range(const node_data& where, std::uint32_t bytes,
                                      const char* what) const {
  const bool whole = bytes == 4 || (bytes != 0 && bytes % word_bytes == 0);
  const bool there = number(where.node) < nodes_ && where.offset % word_bytes == 0 &&
                     where.offset / word_bytes + words_of(bytes) <= words_;
  if (!whole || !there) {
    refuse(where, (std::string(what) + " what is not there, or a part of a word").c_str());
  }
}

bool data_parallel_world::strikes(data_parallel_fault::call which) {
  return which == fault_.which && struck_++ == fault_.number;
}

node_data data_parallel_world::astray(const node_data& from, std::uint32_t bytes) const {
  const std::uint64_t next = from.offset / word_bytes + 1;
  return {from.node, next + words_of(bytes) <= words_ ? next * word_bytes : 0};
}

void data_parallel_world::take(const node_data& from, std::uint32_t bytes, node_id by) {
  const bool own = from.node == by;
  for (std::uint32_t i = 0; i < words_of(bytes); ++i) {
    history& past = history_of(after(from, i));
    if (past.landing == phase_ || past.combining == phase_) {
      refuse(after(from, i), "is taken and written by a message between two barriers");
    }
    if (!own && past.written == phase_) {
      refuse(after(from, i), "is taken by another node and written between two barriers");
    }
    (own ? past.taken : past.taken_remotely) = phase_;
  }
}

void data_parallel_world::let_land(const node_data& to, std::uint32_t bytes, node_id by) {
  for (std::uint32_t i = 0; i < words_of(bytes); ++i) {
    history& past = history_of(after(to, i));
    if (past.landing == phase_ || past.combining == phase_) {
      refuse(after(to, i), "is written by two messages between two barriers");
    }
    if (past.taken == phase_ || past.taken_remotely == phase_) {
      refuse(after(to, i), "is taken and written by a message between two barriers");
    }
    if (to.node != by && (past.read == phase_ || past.written == phase_)) {
      refuse(after(to, i), "is used by its node and written by a message between two barriers");
    }
    past.landing = phase_;
  }
}

void data_parallel_world::let_combine(const node_data& to, node_id by) {
  history& past = history_of(to);
  if (past.landing == phase_ || past.taken == phase_ || past.taken_remotely == phase_ ||
      (to.node != by && (past.read == phase_ || past.written == phase_))) {
    refuse(to, "is used otherwise and combined with between two barriers");
  }
  past.combining = phase_;
}

void data_parallel_world::move(const transfer& what) {
  for (std::uint32_t i = 0; i < words_of(what.bytes); ++i) {
    word_t& to = word(after(what.to, i));
    to = merged(to, word(after(what.from, i)), what.bytes);
  }
}

void data_parallel_world::deliver() {
  for (const transfer& each : transfers_) move(each);
  for (const contribution& each : contributions_) {
    word_t& to = word(each.to);
    to = merged(to, combined(each.operation, to, each.value), each.bytes);
  }
  transfers_.clear();
  contributions_.clear();
}

void data_parallel_world::meet() {
  deliver();
  if (meeting_.operation) result_ = merged(0, reduced(0), meeting_.bytes);
  meeting_.arrived = 0;
  ++phase_;
}

word_t data_parallel_world::reduced(std::uint32_t node) const {
  word_t value = meeting_.values[node];
  for (const std::uint32_t child : {2 * node + 1, 2 * node + 2}) {
    if (child < nodes_) value = combined(*meeting_.operation, value, reduced(child));
  }
  return value;
}

void data_parallel_world::cast_now(const cast& what) {
  ++counts_.broadcasts;
  counts_.broadcast_bytes += what.bytes;
  casts_.push_back(what);
  const node_data from{what.owner, what.offset};
  const bool lost = strikes(data_parallel_fault::call::broadcast);
  for (std::uint32_t n = 0; n < nodes_; ++n) {
    const node_data to{node_id{n}, what.offset};
    if (to.node == what.owner) continue;
    let_land(to, what.bytes, what.owner);
    for (std::uint32_t i = 0; i < words_of(what.bytes); ++i) {
      history& past = history_of(after(to, i));
      past.landing = 0;  // it is there when the node has taken part
      past.broadcasts = casts_.size();
    }
    if (!lost) move({from, to, what.bytes});
    if (lost && fault_.astray) move({astray(from, what.bytes), to, what.bytes});
  }
}

}  // namespace tributary::testing
