// SPDX-License-Identifier: Apache-2.0
#include <tributary/magic/software_queue.h>

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include <tributary/controller/handler_context.h>
#include <tributary/sim/error.h>
#include <tributary/sim/state_archive.h>

namespace tributary {

static_assert(software_queue_record::handler + 8 == deferred_record_bytes);

software_queue::software_queue(word_memory& memory, std::uint64_t memory_bytes,
                               std::uint64_t anchor, node_id here)
    : memory_(memory), memory_bytes_(memory_bytes), anchor_(anchor), here_(here) {
  memory_.write(anchor_, 0);
}

void software_queue::schedule(std::uint64_t record, handler_id run, const message& with,
                              cycle_t now) {
  const auto refuse = [&](const std::string& problem) {
    fail(fmt::format("handler {} was to be queued at record {}{}", static_cast<unsigned>(run),
                     record, problem),
         now);
  };
  if (run == no_handler) refuse(", which names no handler");
  if (record % 8 != 0) refuse(", which is no multiple of 8");
  if (record == 0) refuse("; 0 stands for no record");
  if (memory_bytes_ < deferred_record_bytes || record > memory_bytes_ - deferred_record_bytes) {
    refuse(fmt::format(", which is not within memory of {} bytes", memory_bytes_));
  }
  if (record < anchor_ + anchor_bytes && anchor_ < record + deferred_record_bytes) {
    refuse(", which overlaps the queue's anchor");
  }
  const auto after = queued_.lower_bound(record);
  if (after != queued_.end() && after->first == record) refuse(", which is in the queue already");
  if ((after != queued_.end() && after->first < record + deferred_record_bytes) ||
      (after != queued_.begin() && std::prev(after)->first + deferred_record_bytes > record)) {
    refuse(", which overlaps a record that is in the queue");
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
  notify_change(now);
}

std::uint64_t software_queue::neighbour(std::uint64_t record, std::uint64_t link,
                                        cycle_t now) const {
  const std::uint64_t found = memory_.read(record + link);
  if (queued_.count(found) == 0) {
    fail(fmt::format("the record at {} was overwritten while it was queued: its {} is {}", record,
                     link == software_queue_record::next ? "next" : "previous", found),
         now);
  }
  return found;
}

void software_queue::require_handed_out(const char* operation, cycle_t now) const {
  if (!handed_out_) {
    fail(
        fmt::format("a handler was {}, but none that came from the queue is without its next entry",
                    operation),
        now);
  }
}

void software_queue::fail(const std::string& problem, cycle_t now) const {
  throw simulation_error(
      fmt::format("software queue of node {}, cycle {}: {}", index(here_), now, problem));
}

void software_queue::reset_statistics() {
  reset_all(scheduled_, rescheduled_, unscheduled_, wait_);
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

std::string software_queue::save() const { return save_state(*this); }

void software_queue::restore(const std::string& state) {
  restore_state(state, *this);
  require_state(!loaded_ || !handed_out_, "the software queue's entry is in two places");
  require_state((loaded_ || handed_out_) == !queued_.empty() &&
                    (queued_.empty() || queued_.count(first_) == 1),
                "the software queue's first record is not queued");
}

}  // namespace tributary
