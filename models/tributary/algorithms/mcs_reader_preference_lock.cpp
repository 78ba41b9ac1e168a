// SPDX-License-Identifier: Apache-2.0
#include <tributary/algorithms/mcs_reader_preference_lock.h>

namespace tributary {

mcs_reader_preference_lock::mcs_reader_preference_lock(program_context& context,
                                                       const memory_place& place)
    : context_(context),
      nodes_(context, place),
      reader_head_(place.central(context, 0)),
      writer_tail_(place.central(context, 1)),
      state_(place.central(context, 2)),
      self_(nodes_.self()),
      grant_(context, nodes_.word(self_, grant_word)) {}

void mcs_reader_preference_lock::acquire_read() {
  if ((context_.fetch_add(state_, 1) & writer_holds) != 0) wait_for_writer();
}

void mcs_reader_preference_lock::wait_for_writer() {
  // Nobody but this reader follows its link in the list, so it needs no word.
  const word_t next = context_.swap(reader_head_, self_);
  const bool writer_left = (context_.load(state_) & writer_holds) == 0;
  const word_t head = writer_left ? context_.swap(reader_head_, 0) : 0;
  if (head != 0 && head != self_) let_in(head);
  if (head != self_) grant_.await();
  if (next != 0) let_in(next);
}

void mcs_reader_preference_lock::release_read() {
  context_.fence();
  const word_t left = context_.fetch_add(state_, word_t{0} - 1) - 1;
  // Where no reader is left and no writer holds the lock, the first waiting writer, if any, gets it
  // from whoever swaps its number away: this reader, unless another has come meanwhile.
  const word_t writer = left >> writer_shift;
  if (left != 0 && left == writer << writer_shift &&
      context_.compare_and_swap(state_, left, writer_holds) == left) {
    let_in(writer);
  }
  grant_.forget();
}

void mcs_reader_preference_lock::acquire_write() {
  const word_t ahead = context_.swap(writer_tail_, self_);
  if (ahead == 0 && admit(self_)) return;
  if (ahead != 0) context_.store(nodes_.word(ahead, next_word), self_);
  grant_.await();
}

bool mcs_reader_preference_lock::admit(word_t writer) {
  const word_t waiting = writer << writer_shift;
  if (context_.compare_and_swap(state_, 0, writer_holds) == 0) return true;
  // Readers are there: the last of them finds the writer, unless all have left meanwhile.
  if (context_.fetch_add(state_, waiting) != 0) return false;
  return context_.compare_and_swap(state_, waiting, writer_holds) == waiting;
}

void mcs_reader_preference_lock::release_write() {
  context_.fence();
  // The next writer is admitted after this, so readers on the list are those counted before it.
  if (context_.fetch_add(state_, 0 - writer_holds) != writer_holds) {
    const word_t head = context_.swap(reader_head_, 0);
    if (head != 0) let_in(head);
  }
  const std::uint64_t own_next = nodes_.word(self_, next_word);
  const word_t next = leave_queue(context_, writer_tail_, self_, own_next);
  if (next != 0) {
    if (admit(next)) let_in(next);
    context_.store(own_next, 0);
  }
  grant_.forget();
}

}  // namespace tributary
