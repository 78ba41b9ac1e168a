// SPDX-License-Identifier: Apache-2.0
#include <tributary/magic/software_queue.h>

#include <algorithm>

#include <tributary/controller/handler_context.h>
#include <tributary/sim/error.h>
#include <tributary/sim/state_archive.h>

namespace tributary {

static_assert(software_queue_record::handler + 8 == deferred_record_bytes);

software_queue::software_queue(word_memory& memory, std::uint64_t memory_bytes,
                               std::uint64_t anchor, node_id here)
    : memory_(memory), memory_bytes_(memory_bytes), anchor_(anchor), here_(here) {
  if (anchor_ % 8 != 0 || memory_bytes_ < anchor_bytes || anchor_ > memory_bytes_ - anchor_bytes) {
    throw error("software queue: the anchor at " + std::to_string(anchor_) +
                " must be a multiple of 8 within memory of " + std::to_string(memory_bytes_) +
                " bytes");
  }
  memory_.write(anchor_, 0);
}

void software_queue::schedule(std::uint64_t record, handler_id run, const message& with,
                              cycle_t now) {
  const std::string attempt = "handler " + std::to_string(static_cast<unsigned>(run)) +
                              " was to be queued at record " + std::to_string(record);
  if (run == no_handler) fail(attempt + ", which names no handler", now);
  if (record % 8 != 0) fail(attempt + ", which is no multiple of 8", now);
  if (record == 0) fail(attempt + "; 0 stands for no record", now);
  if (memory_bytes_ < deferred_record_bytes || record > memory_bytes_ - deferred_record_bytes) {
    fail(attempt + ", which is not within memory of " + std::to_string(memory_bytes_) + " bytes",
         now);
  }
  if (record < anchor_ + anchor_bytes && anchor_ < record + deferred_record_bytes) {
    fail(attempt + ", which overlaps the queue's anchor", now);
  }
  const auto after = queued_.lower_bound(record);
  if (after != queued_.end() && after->first == record) {
    fail(attempt + ", which is in the queue already", now);
  }
  if ((after != queued_.end() && after->first < record + deferred_record_bytes) ||
      (after != queued_.begin() && std::prev(after)->first + deferred_record_bytes > record)) {
    fail(attempt + ", which overlaps a record that is in the queue", now);
  }

  write_entry(record, with);
  memory_.write(record + software_queue_record::handler, static_cast<word_t>(run));
  const bool alone = queued_.empty();
  // With itself as neighbour a record that is alone needs no case of its own.
  const std::uint64_t next = alone ? record : first_;
  const std::uint64_t last =
      alone ? record : neighbour(first_, software_queue_record::previous, now);
  memory_.write(record + software_queue_record::next, next);
  memory_.write(record + software_queue_record::previous, last);
  memory_.write(last + software_queue_record::next, record);
  memory_.write(next + software_queue_record::previous, record);
  queued_[record] = {now, with.identity};
  peak_ = std::max<std::uint64_t>(peak_, queued_.size());
  ++scheduled_;
  if (alone) load_registers(record, now);
}

void software_queue::reschedule(const message& with, cycle_t now) {
  require_handed_out("rescheduled", now);
  write_entry(first_, with);
  queued_[first_] = {now, with.identity};
  ++rescheduled_;
  // The list is circular: what was the first is the last as soon as the next is the first.
  load_registers(neighbour(first_, software_queue_record::next, now), now);
}

void software_queue::unschedule(cycle_t now) {
  require_handed_out("unscheduled", now);
  const std::uint64_t next = neighbour(first_, software_queue_record::next, now);
  const std::uint64_t last = neighbour(first_, software_queue_record::previous, now);
  ++unscheduled_;
  queued_.erase(first_);
  if (queued_.empty()) {
    handed_out_ = false;
    first_ = 0;
    run_ = no_handler;
    memory_.write(anchor_, 0);
    return;
  }
  memory_.write(last + software_queue_record::next, next);
  memory_.write(next + software_queue_record::previous, last);
  load_registers(next, now);
}

const message* software_queue::front(cycle_t /*now*/) { return loaded_ ? &with_ : nullptr; }

message software_queue::take(cycle_t now) {
  if (!loaded_) throw error("software queue: the registers are empty; ask front() before take()");
  loaded_ = false;
  handed_out_ = true;
  wait_.add(now - queued_.at(first_).since);
  return with_;
}

void software_queue::write_entry(std::uint64_t record, const message& with) {
  message kept = with;
  kept.origin = message_origin::deferred;
  kept.data = no_payload;
  const header_words header = header_words_of(kept);
  memory_.write(record + software_queue_record::header, header.first);
  memory_.write(record + software_queue_record::address, header.second);
}

void software_queue::load_registers(std::uint64_t record, cycle_t now) {
  const word_t run = memory_.read(record + software_queue_record::handler);
  if (run >= static_cast<word_t>(no_handler)) {
    fail("the record at " + std::to_string(record) + " was overwritten while it was queued", now);
  }
  with_ = message_of({memory_.read(record + software_queue_record::header),
                      memory_.read(record + software_queue_record::address)});
  with_.identity = queued_.at(record).identity;
  run_ = static_cast<handler_id>(run);
  first_ = record;
  memory_.write(anchor_, record);
  handed_out_ = false;
  loaded_ = true;
  shows(now);
}

std::uint64_t software_queue::neighbour(std::uint64_t record, std::uint64_t link,
                                        cycle_t now) const {
  const std::uint64_t found = memory_.read(record + link);
  if (queued_.count(found) == 0) {
    fail("the record at " + std::to_string(record) + " was overwritten while it was queued: its " +
             (link == software_queue_record::next ? "next" : "previous") + " is " +
             std::to_string(found),
         now);
  }
  return found;
}

void software_queue::require_handed_out(const char* operation, cycle_t now) const {
  if (!handed_out_) {
    fail(std::string("a handler was ") + operation +
             ", but none that came from the queue is "
             "without its next entry",
         now);
  }
}

void software_queue::fail(const std::string& problem, cycle_t now) const {
  throw simulation_error("software queue of node " + std::to_string(index(here_)) + ", cycle " +
                         std::to_string(now) + ": " + problem);
}

void software_queue::reset_statistics() {
  scheduled_.reset();
  rescheduled_.reset();
  unscheduled_.reset();
  wait_.reset();
  peak_ = queued_.size();
}

void software_queue::report(statistics_group& into, std::uint64_t) const {
  into.add("scheduled", scheduled_, "handlers", "Handlers that were put into the queue.");
  into.add("rescheduled", rescheduled_, "handlers", "Handlers that stayed in the queue.");
  into.add("unscheduled", unscheduled_, "handlers", "Handlers that left the queue.");
  into.add("wait", wait_, "cycles", "From being queued, first or again, to being selected.");
  into.add("queued", queued_.size(), "records", "Records in the queue now.");
  into.add("peak", peak_, "records", "Most records that were in the queue at once.");
}

std::string software_queue::save() const { return save_fields(fields(*this)); }

void software_queue::restore(const std::string& state) {
  restore_fields(state, fields(*this));
  require_state(!loaded_ || !handed_out_, "the software queue's entry is in two places");
  require_state((loaded_ || handed_out_) == !queued_.empty() &&
                    (queued_.empty() || queued_.count(first_) == 1),
                "the software queue's first record is not queued");
}

}  // namespace tributary
