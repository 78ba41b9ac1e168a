// SPDX-License-Identifier: Apache-2.0
#include <tributary/algorithms/mcs_fair_readers_writers_lock.h>

namespace tributary {

mcs_fair_readers_writers_lock::mcs_fair_readers_writers_lock(program_context& context,
                                                             const memory_place& place)
    : context_(context),
      nodes_(context, place),
      tail_(place.central(context, 0)),
      state_(place.central(context, 1)),
      reader_(nodes_.self() << 1),
      writer_(reader_ | writer_bit) {}

void mcs_fair_readers_writers_lock::acquire_read() {
  const word_t grant = follow(context_.swap(tail_, reader_));
  if ((grant & reader_behind) == 0) return;
  // It asked while this one waited, and is counted before this one can leave.
  const word_t next =
      context_.spin(node(reader_, next_word), [](word_t word) { return word != 0; });
  context_.fetch_add(state_, 1);
  let_in(next);
}

word_t mcs_fair_readers_writers_lock::follow(word_t ahead) {
  if (ahead == 0) {
    context_.fetch_add(state_, 1);
    return context_.fetch_or(node(reader_, grant_word), granted);
  }
  const bool waits =
      is_writer(ahead) ||
      (context_.compare_and_swap(node(ahead, grant_word), 0, reader_behind) & granted) == 0;
  if (waits) {
    context_.store(node(ahead, next_word), reader_);
    return await_grant();
  }
  // The reader ahead holds the lock and cannot leave before it sees `next`: no writer gets between.
  context_.fetch_add(state_, 1);
  context_.store(node(ahead, next_word), reader_);
  return context_.fetch_or(node(reader_, grant_word), granted);
}

void mcs_fair_readers_writers_lock::release_read() {
  context_.fence();
  const word_t next = leave_queue(context_, tail_, reader_, node(reader_, next_word));
  // A writer behind this reader becomes the waiting one as this reader leaves.
  const word_t put = is_writer(next) ? as_waiting(next) : 0;
  const word_t after = context_.fetch_add(state_, put - 1) + put - 1;
  if (after > readers_mask && (after & readers_mask) == 0) {
    context_.fetch_add(state_, 0 - after);
    let_in(after >> writer_shift);
  }
  if (next != 0) context_.store(node(reader_, next_word), 0);
  context_.store(node(reader_, grant_word), 0);
}

void mcs_fair_readers_writers_lock::acquire_write() {
  const word_t ahead = context_.swap(tail_, writer_);
  granted_by_another_ = ahead != 0 || !enter_empty_queue();
  if (!granted_by_another_) return;
  if (ahead != 0) context_.store(node(ahead, next_word), writer_);
  await_grant();
}

bool mcs_fair_readers_writers_lock::enter_empty_queue() {
  // Readers that have left the queue may still hold the lock; nobody can join them any more.
  if (context_.load(state_) == 0) return true;
  if (context_.fetch_add(state_, as_waiting(writer_)) != 0) return false;
  context_.fetch_add(state_, 0 - as_waiting(writer_));
  return true;
}

void mcs_fair_readers_writers_lock::release_write() {
  context_.fence();
  const word_t next = leave_queue(context_, tail_, writer_, node(writer_, next_word));
  if (next != 0) {
    if (!is_writer(next)) context_.fetch_add(state_, 1);
    let_in(next);
    context_.store(node(writer_, next_word), 0);
  }
  if (granted_by_another_) context_.store(node(writer_, grant_word), 0);
}

word_t mcs_fair_readers_writers_lock::await_grant() {
  return context_.spin(node(reader_, grant_word),
                       [](word_t word) { return (word & granted) != 0; });
}

void mcs_fair_readers_writers_lock::let_in(word_t pointer) {
  // Not by a store, which could wipe out that a reader is behind it.
  context_.fetch_or(node(pointer, grant_word), granted);
}

}  // namespace tributary
