// SPDX-License-Identifier: Apache-2.0
// Barriers with one mistake each, which the tests of barriers have to find.
#pragma once

#include <cstdint>
#include <memory>

#include <tributary/algorithms/barrier.h>
#include <tributary/algorithms/dissemination_barrier.h>
#include <tributary/algorithms/memory_place.h>
#include <tributary/processor/program.h>

namespace tributary::testing {

/// What broken barriers have in common.
class broken_barrier : public barrier {
 public:
  explicit broken_barrier(program_context& context) : context_(context) {}

 protected:
  std::uint32_t rank() const { return context_.rank(); }
  std::uint32_t size() const { return context_.size(); }
  std::uint64_t own(std::uint64_t element, std::uint64_t word) const {
    return context_.local_address(pe_id{static_cast<std::uint32_t>(element)}, word);
  }
  void await(std::uint64_t address, word_t wanted) {
    context_.spin(address, [wanted](word_t seen) { return seen == wanted; });
  }

  program_context& context_;
  word_t sense_ = 0;
};

/// Centralized; the last one resets the counter when others may already have come again.
class releases_before_reset final : public broken_barrier {
 public:
  using broken_barrier::broken_barrier;

  void cross() override {
    sense_ ^= 1;
    const std::uint64_t counter = context_.shared_address(0);
    const std::uint64_t release = context_.shared_address(1);
    if (context_.fetch_add(counter, 1) + 1 == size()) {
      context_.store(release, sense_);
      context_.store(counter, 0);
    } else {
      await(release, sense_);
    }
  }
};

/// Centralized; the release word is closed again by the last one, and no sense turns.
class senseless_barrier final : public broken_barrier {
 public:
  using broken_barrier::broken_barrier;

  void cross() override {
    const std::uint64_t counter = context_.shared_address(0);
    const std::uint64_t release = context_.shared_address(1);
    const word_t before = context_.fetch_add(counter, 1);
    if (before == 0) context_.store(release, 0);  // the first of a crossing closes it
    if (before + 1 == size()) {
      context_.store(counter, 0);
      context_.store(release, 1);
    } else {
      await(release, 1);
    }
  }
};

/// Dissemination over one set of flags: who is one crossing ahead turns a flag that was not seen.
class dissemination_without_parity final : public broken_barrier {
 public:
  using broken_barrier::broken_barrier;

  void cross() override {
    sense_ ^= 1;
    for (std::uint32_t round = 0; round < dissemination_barrier::rounds(size()); ++round) {
      const std::uint64_t partner = (rank() + (std::uint64_t{1} << round)) % size();
      context_.store(own(partner, round), sense_);
      await(own(rank(), round), sense_);
    }
  }
};

/// Dissemination that stops before it has heard of everybody. Its flags count crossings.
class dissemination_of_too_few_rounds final : public broken_barrier {
 public:
  using broken_barrier::broken_barrier;

  void cross() override {
    ++crossing_;
    for (std::uint32_t round = 0; round + 1 < dissemination_barrier::rounds(size()); ++round) {
      const std::uint64_t partner = (rank() + (std::uint64_t{1} << round)) % size();
      context_.store(own(partner, round), crossing_);
      const word_t wanted = crossing_;
      context_.spin(own(rank(), round), [wanted](word_t seen) { return seen >= wanted; });
    }
  }

 private:
  word_t crossing_ = 0;
};

/// Tournament of as many rounds as element 0 wins; a loser clears the word it is woken by only
/// after it has reported, when it may have been woken already.
class tournament_that_loses_wake_ups final : public broken_barrier {
 public:
  using broken_barrier::broken_barrier;

  void cross() override {
    sense_ ^= 1;
    std::uint32_t round = 0;
    for (; (std::uint64_t{1} << round) < size() && (rank() >> round) % 2 == 0; ++round) {
      if (rank() + (std::uint64_t{1} << round) < size()) await(own(rank(), 1 + round), sense_);
    }
    if (rank() != 0) {
      context_.store(own(rank() - (std::uint64_t{1} << round), 1 + round), sense_);
      context_.store(own(rank(), 0), 0);
      await(own(rank(), 0), 1);
    }
    while (round-- > 0) {
      const std::uint64_t loser = rank() + (std::uint64_t{1} << round);
      if (loser < size()) context_.store(own(loser, 0), 1);
    }
  }
};

/// The MCS tree with a mistake.
enum class tree_mistake : std::uint8_t {
  reports_early,    ///< a parent reports before its own children have come
  resets_late,      ///< the bytes are reset, when the parent has been told already
  reports_by_words  ///< a child stores a whole word of which only a byte is its own
};

template <tree_mistake mistake>
class broken_tree final : public broken_barrier {
 public:
  using broken_barrier::broken_barrier;

  void cross() override {
    sense_ ^= 1;
    if (mistake == tree_mistake::reports_early) report();
    if (children() != 0) await(own(rank(), 0), children() * here());
    if (mistake != tree_mistake::reports_early) report();
    if (mistake == tree_mistake::resets_late) context_.store(own(rank(), 0), 0);
    if (rank() != 0) await(own(rank(), 1), sense_);
    const std::uint64_t first = 2 * std::uint64_t{rank()} + 1;
    for (std::uint64_t child = first; child < first + 2 && child < size(); ++child) {
      context_.store(own(child, 1), sense_);
    }
  }

 private:
  /// What a child's byte says when it has come.
  word_t here() const { return mistake == tree_mistake::resets_late ? 1 : sense_; }
  word_t children() const {
    word_t bytes = 0;
    for (std::uint32_t i = 0; i < 4; ++i) {
      if (4 * std::uint64_t{rank()} + 1 + i < size()) bytes |= word_t{1} << (8 * i);
    }
    return bytes;
  }
  void report() {
    if (rank() == 0) return;
    const std::uint32_t byte = (rank() - 1) % 4;
    const bool whole = mistake == tree_mistake::reports_by_words;
    const auto enables = static_cast<std::uint8_t>(whole ? 0xffU : 1U << byte);
    context_.store_bytes(own((rank() - 1) / 4, 0), here() << (8 * byte), enables);
  }
};

/// For a table of barriers by name.
template <class Broken>
std::unique_ptr<barrier> make_broken(program_context& context) {
  return std::make_unique<Broken>(context);
}

}  // namespace tributary::testing
