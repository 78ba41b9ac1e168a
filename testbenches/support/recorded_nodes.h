// SPDX-License-Identifier: Apache-2.0
// Coherent nodes whose programs' references are recorded where the processors make them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <tributary/processor/node_programs.h>
#include <tributary/sim/error.h>

#include "coherent_machine.h"
#include "forwarding_context.h"
#include "serial_checker.h"
#include "value_witness.h"

namespace tributary::testing {

/// The port of a processor with caches, whose references are kept with the words they found.
class recorded_port final : public processor_port, private memory_client {
 public:
  explicit recorded_port(processor_port& below) : below_(below) { below_.set_client(this); }
  ~recorded_port() { below_.set_client(nullptr); }
  recorded_port(const recorded_port&) = delete;
  recorded_port& operator=(const recorded_port&) = delete;

  /// The processor's program has passed a fence.
  void fenced() { ++fences_; }

  /// Appends the references of processor `pe`. A store-conditional that stored found what the
  /// load-linked before it did, which makes the two a fetch-and-phi operation; one that did not,
  /// and a prefetch, are no references to a word.
  void append_to(std::vector<observed_request>& requests, std::uint16_t pe) const {
    std::uint32_t sequence = 0;
    for (const kept_reference& each : kept_) {
      if (!each.counts) continue;
      requests.push_back(each.seen);
      requests.back().id = {sequence++, pe};
    }
  }

  // processor_port
  void set_client(memory_client* client) override { client_ = client; }
  void check(std::size_t element, const access& request) const override {
    below_.check(element, request);
  }
  bool can_take(std::size_t element) const override { return below_.can_take(element); }
  void offer(std::size_t element, const access& request, cycle_t now) override {
    kept_reference kept;
    kept.asked = request;
    kept.seen.address = request.address;
    kept.seen.function = request.function;
    kept.seen.accepted = now;
    kept.seen.fences = fences_;
    kept.counts = request.kind == access_kind::word || request.kind == access_kind::load_linked;
    open_[request.tag] = kept_.size();
    kept_.push_back(kept);
    // Caches answer a posted store too, with the word that it found if it is not called posted.
    access answered = request;
    answered.posted = false;
    below_.offer(element, answered, now);
  }
  std::size_t waiting(std::size_t element) const override { return below_.waiting(element); }
  std::size_t outstanding(std::size_t element) const override {
    return below_.outstanding(element);
  }
  bool serves_pairs() const override { return below_.serves_pairs(); }
  std::uint64_t incomplete_stores(std::size_t element) const override {
    return below_.incomplete_stores(element);
  }

 private:
  struct kept_reference {
    access asked;
    observed_request seen;
    bool counts = false;
  };

  void completed(const completion& ended, cycle_t now) override {
    const auto at = open_.find(ended.tag);
    kept_reference& kept = kept_.at(at->second);
    open_.erase(at);
    keep_answer(kept, ended.value, now);
    completion told = ended;
    if (kept.asked.posted) told.value = 0;
    client_->completed(told, now);
  }
  void keep_answer(kept_reference& kept, word_t answer, cycle_t now) {
    observed_request& seen = kept.seen;
    ++seen.answers;
    seen.delivered = now;
    seen.value = answer;
    if (kept.asked.kind == access_kind::store_conditional && answer == 1) {
      kept.counts = true;
      seen.value = linked_word_;
    }
    if (kept.asked.kind == access_kind::load_linked) linked_ = seen.address;
    if (kept.counts && seen.address == linked_) linked_word_ = apply(seen.function, seen.value);
  }
  void room(std::size_t element, cycle_t now) override { client_->room(element, now); }
  void settled(std::size_t element, cycle_t now) override { client_->settled(element, now); }

  processor_port& below_;
  memory_client* client_ = nullptr;
  std::vector<kept_reference> kept_;
  std::map<std::uint64_t, std::size_t> open_;  // by tag, in `kept_`
  std::uint32_t fences_ = 0;
  // The word of the last load-linked, and what the processor knows of it.
  std::uint64_t linked_ = 0;
  word_t linked_word_ = 0;
};

/// Runs a program on the processors of coherent nodes and collects its history.
class recorded_nodes {
 public:
  recorded_nodes(const coherent_config& config, const processing_element_config& processor,
                 std::unique_ptr<program> what, std::uint64_t seed)
      : all_(config),
        played_(std::move(what)),
        programs_(config.machine, make_program([this](program_context& context) { play(context); }),
                  processor, seed) {
    history_.keeps_program_order = true;
    history_.loads_may_be_late = config.coherence.consistency == consistency_kind::relaxed;
    played_->reset();
    for (std::uint32_t i = 0; i < all_.machine.size(); ++i) {
      magic_node& node = all_.machine.node(i);
      ports_.push_back(std::make_unique<recorded_port>(node.processor_accesses()));
      programs_.elements().add(i, node.processor_time(), *ports_.back());
    }
  }

  /// To the end of all programs. Throws `simulation_error` if they have not ended by then.
  const history& run(cycle_t at_most) {
    all_.machine.run_until(at_most, [this] { return finished(); });
    if (!finished()) throw simulation_error("programs have not ended");
    std::set<std::uint64_t> words;
    for (std::size_t i = 0; i < ports_.size(); ++i) {
      ports_[i]->append_to(history_.requests, static_cast<std::uint16_t>(i));
    }
    for (const observed_request& each : history_.requests) words.insert(each.address);
    for (const std::uint64_t each : words) {
      const word_t left = all_.newest(each);
      if (left != 0) history_.final_memory.emplace_back(each, left);
    }
    order_by_values(history_);
    return history_;
  }

 private:
  /// Tells a processor's port of fences.
  class telling_context final : public forwarding_context {
   public:
    telling_context(program_context& working, recorded_port& port)
        : forwarding_context(working, working.size()), port_(port) {}
    void fence() override {
      working_.fence();
      port_.fenced();
    }

   private:
    recorded_port& port_;
  };

  void play(program_context& context) {
    telling_context telling(context, *ports_[context.rank()]);
    played_->run(telling);
  }
  bool finished() const {
    for (std::uint32_t i = 0; i < all_.machine.size(); ++i) {
      if (!programs_.finished(i)) return false;
    }
    return all_.machine.idle();
  }

  coherent_machine all_;
  std::unique_ptr<program> played_;
  std::vector<std::unique_ptr<recorded_port>> ports_;
  node_programs programs_;
  history history_;
};

}  // namespace tributary::testing
