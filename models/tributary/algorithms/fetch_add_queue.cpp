// SPDX-License-Identifier: Apache-2.0
#include <tributary/algorithms/fetch_add_queue.h>

#include <tributary/sim/error.h>

namespace tributary {
namespace {

constexpr word_t minus_one = ~word_t{0};

memory_place behind(const memory_place& place, std::uint64_t words, std::uint32_t modules) {
  return {place.module, place.row + memory_place::rows(words, modules), place.local};
}

}  // namespace

std::uint64_t fetch_add_queue::rows(std::uint32_t modules, std::uint64_t capacity) {
  return memory_place::rows(central_words, modules) + 2 * memory_place::rows(capacity, modules);
}

fetch_add_queue::fetch_add_queue(program_context& context, const memory_place& place,
                                 std::uint64_t capacity)
    : context_(context),
      items_(behind(place, central_words, context.nodes())),
      turns_(behind(items_, capacity, context.nodes())),
      capacity_(capacity),
      most_(place.central(context, 0)),
      least_(place.central(context, 1)),
      enqueues_(place.central(context, 2)),
      dequeues_(place.central(context, 3)) {
  if (capacity == 0) {
    throw configuration_error({"fetch_add_queue.capacity", "", "0 is out of range",
                               "1 or more items", "choose how many items the queue holds"});
  }
}

bool fetch_add_queue::enqueue(word_t item) {
  while (!reserve_room()) {
    if (is_full()) return false;
  }
  const cell mine = cell_of(context_.fetch_add(enqueues_, 1));
  context_.spin(mine.turn, [&mine](word_t turn) { return turn == 2 * mine.round; });
  context_.store(mine.item, item);
  context_.fence();
  context_.store(mine.turn, 2 * mine.round + 1);
  context_.fetch_add(least_, 1);
  return true;
}

std::optional<word_t> fetch_add_queue::dequeue() {
  while (!reserve_item()) {
    if (is_empty()) return std::nullopt;
  }
  const cell mine = cell_of(context_.fetch_add(dequeues_, 1));
  context_.spin(mine.turn, [&mine](word_t turn) { return turn == 2 * mine.round + 1; });
  const word_t item = context_.load(mine.item);
  context_.store(mine.turn, 2 * mine.round + 2);
  context_.fetch_add(most_, minus_one);
  return item;
}

// Test, increment, retest: the first test keeps those out that would only step back.
bool fetch_add_queue::reserve_room() {
  if (context_.load(most_) >= capacity_) return false;
  if (context_.fetch_add(most_, 1) < capacity_) return true;
  context_.fetch_add(most_, minus_one);
  return false;
}

// Test, decrement, retest; the counter is below 0 while elements step back.
bool fetch_add_queue::reserve_item() {
  if (static_cast<std::int64_t>(context_.load(least_)) <= 0) return false;
  if (static_cast<std::int64_t>(context_.fetch_add(least_, minus_one)) > 0) return true;
  context_.fetch_add(least_, 1);
  return false;
}

// Both ticket numbers only grow, and enqueues - dequeues is within 0 and the capacity at all times.
// So where the older look at one and the younger look at the other give a bound, it was reached at
// the older look: the second number can since then only have moved the difference away from it.
bool fetch_add_queue::is_full() {
  const word_t enqueues = context_.load(enqueues_);
  return enqueues - context_.load(dequeues_) == capacity_;
}

bool fetch_add_queue::is_empty() {
  const word_t dequeues = context_.load(dequeues_);
  return context_.load(enqueues_) == dequeues;
}

fetch_add_queue::cell fetch_add_queue::cell_of(word_t ticket) const {
  const std::uint64_t number = ticket % capacity_;
  return {items_.central(context_, number), turns_.central(context_, number), ticket / capacity_};
}

}  // namespace tributary
