// SPDX-License-Identifier: Apache-2.0
#include "coherent_work.h"

#include <algorithm>

#include <tributary/protocols/coherence/coherence.h>
#include <tributary/sim/error.h>

namespace tributary::benchmarks {
namespace {

constexpr std::uint64_t line_bytes = 128;
constexpr std::uint64_t tagged_bytes = 64;  // a line of FLASH's first level

magic_machine_config machine_of(std::uint32_t nodes, bool counts) {
  magic_machine_config config;
  config.nodes = nodes;
  config.network.topology = topology_kind::hypercube;
  config.node.caches.present = true;
  config.node.caches.counts = counts;
  config.node.memory.bytes = std::uint64_t{1} << 20;
  config.node.protocol_bytes = std::uint64_t{256} << 10;
  return config;
}

protocol_maker coherence_of(const magic_machine_config& config) {
  return [node = config.node](node_id) {
    std::vector<std::unique_ptr<protocol>> protocols;
    protocols.push_back(std::make_unique<coherence_protocol>(
        coherence_config(), coherence_costs(), node.protocol_storage(), node.memory.line()));
    return protocols;
  };
}

}  // namespace

// --- hits ----------------------------------------------------------------------------------------

void hit_reader::begin(std::uint64_t words, cycle_t now) {
  left_ = words;
  ask(now);
}

void hit_reader::ask(cycle_t now) {
  next_.address = (next_.address + word_bytes) % hit_bytes;
  port_.offer(0, next_, now);
}

void hit_reader::completed(const completion& ended, cycle_t now) {
  sum_ += ended.value;
  if (--left_ != 0) ask(now);
}

tagged_array::tagged_array(agenda& time)
    : agenda_(time), tags_(hit_bytes / tagged_bytes), words_(hit_bytes / word_bytes) {
  for (std::size_t i = 0; i < tags_.size(); ++i) tags_[i] = i * tagged_bytes;
  for (std::size_t i = 0; i < words_.size(); ++i) words_[i] = i * word_bytes;  // its address
}

void tagged_array::offer(std::size_t element, const access& request, cycle_t now) {
  const std::uint64_t line = request.address & ~(tagged_bytes - 1);
  if (tags_[line / tagged_bytes % tags_.size()] != line) throw error("a word is not there");
  const word_t word = words_[request.address / word_bytes % words_.size()];
  told_ = {pe_id{static_cast<std::uint32_t>(element)}, request.tag, word};
  const cycle_t at = std::max(now, next_);
  next_ = at + 1;
  agenda_.wake(*this, at, 0, wake_rank::processor);
}

void tagged_array::wake(cycle_t now, std::uint64_t) { client_->completed(told_, now); }

lone_caches::lone_caches(agenda& time, const cache_config& config)
    : agenda_(time),
      line_(config.last().line()),
      caches_(std::make_unique<cache>(config, time, static_cast<line_port&>(*this))) {}

void lone_caches::ask(line_want, std::uint64_t address, std::uint8_t tag, cycle_t now) {
  asked_[tag] = address;
  agenda_.wake(*this, now + 1, tag);
}

void lone_caches::wake(cycle_t now, std::uint64_t tag) {
  line_answer answer;
  const std::uint64_t line = line_.start(asked_[tag]);
  for (std::size_t i = 0; i < line_.words(); ++i) answer.words[i] = line + i * word_bytes;
  caches_->filled(static_cast<std::uint8_t>(tag), answer, now);
}

// --- three hops ----------------------------------------------------------------------------------

/// A processor that asks for line after line.
class three_hop_nodes::asker final : private memory_client, private timed_block {
 public:
  explicit asker(magic_node& node) : caches_(*node.caches()), time_(*node.processor_clockwork()) {
    caches_.set_client(this);
  }

  void begin(std::uint64_t first, std::uint64_t lines, bool writes) {
    next_ = {};
    next_.address = first;
    if (writes) next_.function = {form::constant, 1, 0};
    left_ = lines;
    time_.wake(*this, time_.now() + 1, 0, wake_rank::processor);
  }
  bool done() const { return left_ == 0; }
  std::uint64_t answers() const { return answers_; }

 private:
  void wake(cycle_t now, std::uint64_t) override { caches_.offer(0, next_, now); }
  void completed(const completion&, cycle_t now) override {
    ++answers_;
    next_.address += line_bytes;
    if (--left_ != 0) caches_.offer(0, next_, now);
  }
  void room(std::size_t, cycle_t) override {}

  cache& caches_;
  agenda& time_;
  access next_;
  std::uint64_t left_ = 0;
  std::uint64_t answers_ = 0;
};

three_hop_nodes::three_hop_nodes(std::uint32_t nodes, std::uint64_t lines, bool counts)
    : machine_(machine_of(nodes, counts), coherence_of(machine_of(nodes, counts))) {
  const address_layout& layout = machine_.config().node.addresses;
  for (std::uint32_t i = 0; i < nodes; ++i) {
    askers_.push_back(std::make_unique<asker>(machine_.node(i)));
    askers_.back()->begin(layout.address_of(node_id{(i + 1) % nodes}, 0, 0), lines, true);
  }
  run();
  for (std::uint32_t i = 0; i < nodes; ++i) {
    askers_[i]->begin(layout.address_of(node_id{(i + 2) % nodes}, 0, 0), lines, false);
  }
}

three_hop_nodes::~three_hop_nodes() {
  for (std::size_t i = 0; i < machine_.size(); ++i) machine_.node(i).caches()->set_client(nullptr);
}

void three_hop_nodes::read() { run(); }

std::uint64_t three_hop_nodes::reads() const {
  std::uint64_t sum = 0;
  for (const auto& each : askers_) sum += each->answers();
  return sum / 2;  // the others wrote
}

void three_hop_nodes::run() {
  machine_.run_until(never - 1, [this] {
    const bool done =
        std::all_of(askers_.begin(), askers_.end(), [](const auto& each) { return each->done(); });
    return done && machine_.idle();
  });
}

}  // namespace tributary::benchmarks
