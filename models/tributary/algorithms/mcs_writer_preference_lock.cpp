// SPDX-License-Identifier: Apache-2.0
#include <tributary/algorithms/mcs_writer_preference_lock.h>

namespace tributary {

mcs_writer_preference_lock::mcs_writer_preference_lock(program_context& context,
                                                       const memory_place& place)
    : context_(context),
      nodes_(context, place),
      reader_head_(place.central(context, 0)),
      writer_tail_(place.central(context, 1)),
      state_(place.central(context, 2)),
      first_writer_(place.central(context, 3)),
      self_(nodes_.self()),
      grant_(context, nodes_.word(self_, grant_word)) {}

void mcs_writer_preference_lock::acquire_read() {
  // Nobody but this reader follows its link in the list, so it needs no word.
  const word_t next = context_.swap(reader_head_, self_);
  const bool no_writer = next == 0 && (context_.fetch_or(state_, reader_interest) & writers) == 0;
  if (!no_writer || let_readers_in() != self_) grant_.await();
  if (next == 0) return;
  context_.fetch_add(state_, one_reader);
  let_in(next, 1);
}

word_t mcs_writer_preference_lock::let_readers_in() {
  // Its head is counted here. Who puts himself on the list until it is taken off joins the group.
  if ((context_.fetch_add(state_, one_reader - reader_interest) & writers) != 0) {
    context_.fetch_add(state_, all_counted);
  }
  const word_t head = context_.swap(reader_head_, 0);
  if (head != self_) let_in(head, 1);
  return head;
}

void mcs_writer_preference_lock::release_read() {
  context_.fence();
  const word_t left = context_.fetch_add(state_, 0 - one_reader) - one_reader;
  if (left < one_reader && (left & all_counted) != 0) {
    let_in(context_.load(first_writer_), one_writer + all_counted);
  }
  grant_.forget();
}

void mcs_writer_preference_lock::acquire_write() {
  const word_t ahead = context_.swap(writer_tail_, self_);
  if (ahead == 0 && enter_empty_queue()) return;
  if (ahead != 0) context_.store(nodes_.word(ahead, next_word), self_);
  owed_ = grant_.await();
}

bool mcs_writer_preference_lock::enter_empty_queue() {
  context_.store(first_writer_, self_);
  owed_ = one_writer;
  const word_t before = context_.fetch_add(state_, one_writer);
  if (before == 0) return true;
  if ((before & (writers | reader_interest)) != 0) return false;
  owed_ += all_counted;
  return context_.fetch_add(state_, all_counted) < one_reader;
}

void mcs_writer_preference_lock::release_write() {
  context_.fence();
  const std::uint64_t own_next = nodes_.word(self_, next_word);
  const word_t next = leave_queue(context_, writer_tail_, self_, own_next);
  if (next != 0) {
    let_in(next, owed_);
    context_.store(own_next, 0);
  } else {
    const word_t before = context_.fetch_add(state_, 0 - owed_);
    if ((before & writers) != one_writer) {
      let_in(context_.load(first_writer_), one_writer);
    } else if ((before & reader_interest) != 0) {
      let_readers_in();
    }
  }
  grant_.forget();
}

}  // namespace tributary
