// SPDX-License-Identifier: Apache-2.0
// The forward queue of a switch port, in which waiting requests to one word combine in pairs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <tributary/memory/packet.h>
#include <tributary/network/omega/gradual_limit.h>
#include <tributary/network/omega/partner_pool.h>
#include <tributary/network/omega/systolic_queue.h>
#include <tributary/sim/fixed_size.h>
#include <tributary/sim/small_number.h>
#include <tributary/sim/state.h>
#include <tributary/sim/zeroed_vector.h>

namespace tributary {

/// Which waiting request an arrival joins (cycle contract, rule 3).
enum class match_order : std::uint8_t {
  oldest,  ///< the oldest that qualifies, as a systolic queue meets it first
  ordered  ///< the oldest that keeps the requests of one input to one word in their order
};

/// How a queue finds whom a request joins.
enum class queue_microarchitecture : std::uint8_t {
  parallel,  ///< compares an arrival with every entry at once, in the cycle in which it arrives
  systolic   ///< compares entries that pass each other, in the cycles after it (spec section 3)
};

/// How an adaptive queue comes to its limit.
enum class queue_adaptation : std::uint8_t {
  crude,   ///< the limit holds always (FG 3.2)
  gradual  ///< it falls to the limit as the measured combining rate rises (FG 5.1)
};

/// Configuration of a combining queue.
struct combining_queue_config {
  /// Entries, each one plain or combined request; 1 to 64.
  std::uint32_t slots = 4;
  /// The queue reports full while it holds this many combined requests; 0 is not adaptive (FG 3.2).
  std::uint32_t adaptive_limit = 0;
  /// Gradual takes a limit, and the parallel microarchitecture.
  queue_adaptation adaptation = queue_adaptation::crude;
  /// Whether the head may still combine (FG 2.1).
  bool coupled = false;
  match_order order = match_order::oldest;
  /// Inputs that write the queue: 1 in a type B switch, 2 in type A.
  std::uint32_t writers = 1;
  /// One bit per form that may combine; 0 turns combining off.
  std::uint8_t combining_forms = 0xff;
  /// Systolic takes one writer, and the order `oldest`.
  queue_microarchitecture microarchitecture = queue_microarchitecture::parallel;
};

/// Combining queues side by side, `count` of them with one configuration; a single queue is the
/// case of one. Queues are named by their index. The state is a value: copies are checkpoints.
///
/// All decisions of a cycle use the state at its start (cycle contract, section 5 of the
/// specification): `ready` and the head are read first, then the owner calls `release` for the
/// head that leaves, then `accept` for arrivals in port order, and, if the queue is systolic,
/// `settle`. After each of these, `announce` and `withdraw`, `take_ready_change` tells it whether
/// ready bits change.
class combining_queue {
 public:
  /// Throws `configuration_error` for more than 2 writers, slots that never accept a request, a
  /// systolic queue of 2 writers or another order than `oldest`, or gradual adaptation without a
  /// limit or of a systolic queue.
  explicit combining_queue(const combining_queue_config& config, std::size_t count = 1);

  const combining_queue_config& config() const { return config_; }
  std::size_t count() const { return count_; }

  /// Whether every writer may send one request in this cycle (rule 1), on top of those that are
  /// announced. It does not look at addresses: a full queue refuses even a request that could
  /// combine.
  bool ready(std::size_t queue) const {
    const level& now = levels_[queue];
    return unsigned{now.size} + now.announced <= fullest_ready_ && now.combined < now.limit;
  }
  /// Whether `ready` is another than at the call before; at first it was false.
  bool take_ready_change(std::size_t queue) {
    const bool now = ready(queue);
    if (now == (levels_[queue].was_ready != 0)) return false;
    levels_[queue].was_ready = static_cast<std::uint8_t>(now);
    return true;
  }
  /// A request is on the way in a register (rule 13), or comes out of it.
  void announce(std::size_t queue) { ++levels_[queue].announced; }
  void withdraw(std::size_t queue) { --levels_[queue].announced; }
  std::size_t announced(std::size_t queue) const { return levels_[queue].announced; }

  bool empty(std::size_t queue) const { return levels_[queue].size == 0; }
  std::size_t size(std::size_t queue) const { return levels_[queue].size; }
  std::size_t combined(std::size_t queue) const { return levels_[queue].combined; }
  /// Combined requests at which the queue is full: those of now, where the limit is gradual.
  std::size_t limit(std::size_t queue) const { return levels_[queue].limit; }
  /// The combining rate that a gradual limit follows, in 256ths; 0 where none does.
  unsigned combining_rate(std::size_t queue) const { return gradual_ ? rates_[queue] : 0; }

  /// The i-th oldest entry, and its partner or `no_partner`.
  const packet& entry(std::size_t queue, std::size_t i) const {
    return packets_[slot_of(queue, i)];
  }
  partner_index partner_of(std::size_t queue, std::size_t i) const {
    return partner_in(levels_[queue], slot_of(queue, i));
  }
  const packet& head(std::size_t queue) const { return entry(queue, 0); }
  /// The head, and whether it has a partner. Precondition: the queue is not empty.
  std::pair<const packet&, bool> oldest(std::size_t queue) const {
    const std::size_t slot = slot_of(queue, 0);
    return {packets_[slot], partner_in(levels_[queue], slot) != no_partner};
  }

  /// A request on its way out, with its partner or `no_partner`. The reference stays valid until
  /// the queue accepts again.
  struct released {
    const packet& request;
    partner_index partner;
  };

  /// Removes the head. Precondition: not empty.
  released release(std::size_t queue);

  /// Where the head of the start of the cycle is.
  enum class head_place : std::uint8_t {
    stays,
    left,    ///< it was released in this cycle
    leaves,  ///< it is still there, and will be released in this cycle
  };

  /// What an arrival has to know of the start of the cycle.
  struct arrival_context {
    unsigned input = 0;  ///< the writer, 0 or 1
    head_place head = head_place::stays;
    bool wait_buffer_full = false;  ///< at the start of the cycle
    unsigned inserted = 0;          ///< entries that other arrivals took in this cycle
  };

  /// Takes a request: it joins the entry that rule 2 names, which is returned, or becomes the
  /// newest entry (null), as it always does in a systolic queue. Precondition: `ready` at the start
  /// of the cycle.
  const packet* accept(std::size_t queue, const packet& arrival, const arrival_context& now,
                       partner_pool& pool);

  bool systolic() const { return config_.microarchitecture == queue_microarchitecture::systolic; }
  /// Where the entries of systolic queues are.
  const systolic_columns& columns() const { return columns_; }

  /// Calls `visit(partner_index&)` for each partner of the queue's entries, from the head on.
  template <class Visit>
  void for_each_partner(std::size_t queue, Visit&& visit) {
    if (levels_[queue].combined == 0) return;
    for (std::size_t i = 0; i < size(queue); ++i) {
      partner_index& each = partners_[slot_of(queue, i)];
      if (each != no_partner) visit(each);
    }
  }
  /// Makes the queue like one of another bank.
  void copy_queue(std::size_t queue, const combining_queue& other, std::size_t other_queue);
  /// Forgets in which slots the entries are, and what was in others.
  void normalize();

  /// Ends the cycle of a systolic queue: entries that pass each other combine, then the columns
  /// move on. `joined(second, first)` is told of each pair, `first` as it travels on. Returns
  /// whether any combined.
  template <class Joined>
  bool settle(std::size_t queue, bool head_left, bool wait_buffer_full, partner_pool& pool,
              Joined&& joined);

  /// Whether two banks hold the same entries, read from their heads.
  bool equals(const partner_pool& pool, const combining_queue& other,
              const partner_pool& other_pool) const;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(fixed_size(packets_), fixed_size(partners_), fixed_size(seals_), fixed_size(levels_));
    if (systolic()) archive(columns_);
    if (gradual_) archive(fixed_size(rates_));
    if constexpr (Archive::is_loading::value) check_levels();
  }

  /// Refuses a restored queue whose partners are not in the pool. Throws `input_error`.
  void check_partners(const partner_pool& pool) const;

 private:
  struct alignas(8) level {  // so that an index is a shift
    small_number head;
    small_number size;
    small_number combined;
    small_number limit;  // of combined
    small_number announced;
    small_number was_ready;  // as the owner knows, who finds it out again from a checkpoint

    TRIBUTARY_STATE(head, size, combined, limit, announced);
  };

  /// Slot by slot over all queues: queues are short most of the time, so first slots lie together.
  std::size_t slot_of(std::size_t queue, std::size_t i) const {
    std::size_t position = levels_[queue].head + i;
    if (position >= config_.slots) position -= config_.slots;
    return position * count_ + queue;
  }

  /// `partners_` is not kept up while no entry of the queue has one.
  partner_index partner_in(const level& now, std::size_t slot) const {
    return now.combined == 0 ? no_partner : partners_[slot];
  }

  bool may_combine(const level& now, std::size_t slot, const packet& arrival,
                   unsigned input) const {
    const packet& waiting = packets_[slot];
    if (waiting.location != arrival.location || partner_in(now, slot) != no_partner) return false;
    if (waiting.combinable == 0) return false;
    if (ordered_ && ((seals_[slot] >> input) & 1U) != 0) return false;
    const unsigned pair =
        static_cast<unsigned>(waiting.kind) * form_count + static_cast<unsigned>(arrival.kind);
    return ((combining_table_ >> pair) & 1U) != 0;
  }

  /// Measures the combining rate, if the limit follows it.
  void note(std::size_t queue, bool joined) {
    if (!gradual_) return;
    rates_[queue] = gradual_limit::rate_after(rates_[queue], joined);
    levels_[queue].limit = limits_.at(rates_[queue]);
  }

  void join(std::size_t queue, std::size_t slot, const packet& arrival, partner_pool& pool);
  void erase(std::size_t queue, std::size_t i);
  void seal(std::size_t queue, std::size_t entries, const packet& arrival, unsigned input);
  /// Refuses restored counts that the slots do not have. Throws `input_error`.
  void check_levels() const;

  combining_queue_config config_;
  std::size_t count_;
  std::uint64_t combining_table_;
  std::uint32_t fullest_ready_;  // entries, with those that are announced
  /// Oldest entry that an arrival is compared with, by `head_place`.
  std::array<std::size_t, 3> first_compared_;
  bool ordered_;
  bool gradual_;
  gradual_limit limits_;
  zeroed_vector<packet> packets_;
  zeroed_vector<partner_index> partners_;  // see `partner_in`
  /// One bit per input: the entry looks taken to it. Kept only for `ordered`.
  std::vector<std::uint8_t> seals_;
  std::vector<level> levels_;
  /// Combining rates, in 256ths. Kept only for gradual limits.
  std::vector<std::uint8_t> rates_;
  systolic_columns columns_;
};

inline combining_queue::released combining_queue::release(std::size_t queue) {
  level& now = levels_[queue];
  const unsigned head = now.head;
  const std::size_t slot = head * count_ + queue;
  const partner_index left_with = partner_in(now, slot);
  if (left_with != no_partner) --now.combined;
  const unsigned remaining = now.size - 1U;
  now.size = static_cast<std::uint8_t>(remaining);
  // An empty queue starts again at its first slot: quiet queues then touch one cache line.
  const bool at_first_slot = remaining == 0 || head + 1 == config_.slots;
  now.head = at_first_slot ? std::uint8_t{0} : static_cast<std::uint8_t>(head + 1);
  return {packets_[slot], left_with};
}

inline const packet* combining_queue::accept(std::size_t queue, const packet& arrival,
                                             const arrival_context& now, partner_pool& pool) {
  level& current = levels_[queue];
  const std::size_t waiting = current.size - now.inserted;
  if (waiting != 0 && arrival.combinable != 0 && !now.wait_buffer_full) {
    for (std::size_t i = first_compared_[static_cast<std::size_t>(now.head)]; i < waiting; ++i) {
      const std::size_t slot = slot_of(queue, i);
      if (!may_combine(current, slot, arrival, now.input)) continue;
      if (ordered_) seal(queue, i, arrival, now.input);
      join(queue, slot, arrival, pool);
      note(queue, true);
      return &packets_[slot];
    }
  }
  const std::size_t slot = slot_of(queue, current.size);
  if (ordered_) {
    seal(queue, current.size, arrival, now.input);
    seals_[slot] = 0;
  }
  packets_[slot] = arrival;
  if (current.combined != 0) partners_[slot] = no_partner;
  ++current.size;
  note(queue, false);
  return nullptr;
}

template <class Joined>
bool combining_queue::settle(std::size_t queue, bool head_left, bool wait_buffer_full,
                             partner_pool& pool, Joined&& joined) {
  level& now = levels_[queue];
  const std::uint8_t combined_before = now.combined;
  if (!wait_buffer_full) {
    columns_.pass(queue, head_left, config_.coupled, [&](std::size_t older, std::size_t younger) {
      const std::size_t first = slot_of(queue, older);
      const packet& second = packets_[slot_of(queue, younger)];
      if (second.combinable == 0 || !may_combine(now, first, second, 0)) return false;
      join(queue, first, second, pool);
      joined(second, packets_[first]);
      erase(queue, younger);
      return true;
    });
  }
  columns_.move(queue, now.size, head_left);
  return now.combined != combined_before;
}

}  // namespace tributary
