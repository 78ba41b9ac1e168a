// SPDX-License-Identifier: Apache-2.0
#include <tributary/algorithms/centralized_readers_writers_lock.h>

#include <string>

#include <tributary/sim/error.h>

namespace tributary {
namespace {

/// Writers that are there together are told apart by their turns, readers by their number.
word_t most_elements(unsigned turn_bits) {
  if (turn_bits == 0 || turn_bits > 31) return 0;
  const word_t turns = word_t{1} << turn_bits;
  const word_t readers = word_t{1} << (64 - 2 * turn_bits);
  return (turns < readers ? turns : readers) - 1;
}

}  // namespace

centralized_readers_writers_lock::centralized_readers_writers_lock(program_context& context,
                                                                   const memory_place& place,
                                                                   unsigned turn_bits)
    : context_(context), word_(place.central(context, 0)), turn_bits_(turn_bits) {
  const word_t most = most_elements(turn_bits);
  if (most == 0 || context.size() > most) {
    throw configuration_error({"centralized_readers_writers_lock.turn_bits", "",
                               "a lock with " + std::to_string(turn_bits) +
                                   " bits for turns serves at most " + std::to_string(most) +
                                   " elements, not " + std::to_string(context.size()),
                               "1 to 31 bits k, with 2^k and 2^(64 - 2 k) above the elements",
                               "choose " + std::to_string(default_turn_bits) + ", the default"});
  }
  last_turn_ = (word_t{1} << turn_bits) - 1;
  one_served_ = word_t{1} << (64 - 2 * turn_bits);
  one_issued_ = word_t{1} << (64 - turn_bits);
}

void centralized_readers_writers_lock::acquire_read() {
  while (writer_present(context_.fetch_add(word_, 1))) {
    context_.fetch_add(word_, word_t{0} - 1);
    context_.spin(word_, [this](word_t word) { return !writer_present(word); });
  }
}

void centralized_readers_writers_lock::release_read() {
  context_.fence();
  context_.fetch_add(word_, word_t{0} - 1);
}

void centralized_readers_writers_lock::acquire_write() {
  const word_t before = context_.fetch_add(word_, one_issued_);
  turn_ = issued(before);
  if (lets_in(before)) return;
  context_.spin(word_, [this](word_t word) { return lets_in(word); });
}

void centralized_readers_writers_lock::release_write() {
  context_.fence();
  const word_t carry = turn_ == last_turn_ ? one_issued_ : 0;
  context_.fetch_add(word_, one_served_ - carry);
}

}  // namespace tributary
