// SPDX-License-Identifier: Apache-2.0
// The recording of the last cycles, or of those around a trigger (docs/formats/event-recording.md).
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <tributary/sim/packed_file.h>
#include <tributary/trace/event_condition.h>
#include <tributary/trace/held_stays.h>
#include <tributary/trace/recording_events.h>
#include <tributary/trace/recording_format.h>
#include <tributary/trace/sink.h>

namespace tributary {
namespace {

/// A block of events that may come to stand in the file.
struct kept_block {
  cycle_t first = 0;  // the machine's cycle as it reported the first of them
  trace_start start;  // what the machine held before it
  std::uint64_t events = 0;
  std::string section;  // as it would stand in the file; empty until the block is full
};

class kept_events final : public kept_recording {
 public:
  kept_events(const std::string& path, kept_cycles cycles, const trace_filter_options& options,
              const trace_catalog& catalog, const trace_start& start)
      : cycles_(std::move(cycles)),
        options_(options),
        catalog_(catalog),
        held_(catalog, start),
        encoder_(catalog),
        file_(path, recording::format) {
    if (!cycles_.trigger.empty()) trigger_.emplace("--trace-on", cycles_.trigger, catalog);
    blocks_.push_back({0, start, 0, ""});
  }

  void on_event(const cycle_t& now) override {
    if (outcome_.fired && !complete_ && now > last_kept()) finish_file(false);
    now_ = now;
  }

  void on_event(const trace_event& event) override {
    if (complete_) return;
    if (encoder_.full()) begin_block();
    encoder_.add(event, [this](const std::string& kind) { introduce(kind); });
    ++blocks_.back().events;
    last_ = std::max(last_, event.cycle);
    if (outcome_.fired) return;
    held_.follow(event);
    if (trigger_ && trigger_->holds(event)) fire(event);
  }

  void finish(bool partial) override {
    if (!complete_) finish_file(partial);
  }

  trigger_outcome outcome() const override { return outcome_; }
  bool complete() const override { return complete_; }

 private:
  /// The first of the last cycles, up to and including `last`, that are asked for.
  cycle_t first_kept(cycle_t last) const {
    return last < cycles_.before ? 0 : last - cycles_.before;
  }
  cycle_t last_kept() const {
    return outcome_.cycle > never - cycles_.after ? never : outcome_.cycle + cycles_.after;
  }

  void introduce(const std::string& kind) {
    std::string section = file_.packed(recording::section::kind, kind);
    if (begun_) {
      file_.write(section);
    } else {
      kinds_.push_back(std::move(section));
    }
  }

  void begin_block() {
    end_block();
    if (begun_) {
      blocks_.clear();
      blocks_.emplace_back();
      return;
    }
    blocks_.push_back({now_, held_.start(now_), 0, ""});
    // The block behind the first must have begun before the cycles asked for, as it may not have
    // the beginning of its own first cycle.
    while (blocks_.size() > 1 && blocks_[1].first < first_kept(now_)) blocks_.pop_front();
  }

  /// Packs the last block, and writes it if the file has begun.
  void end_block() {
    kept_block& block = blocks_.back();
    if (encoder_.empty()) return;
    if (begun_) {
      write_names();
      events_ += block.events;
      file_.section(recording::section::events, encoder_.take());
    } else {
      block.section = file_.packed(recording::section::events, encoder_.take());
    }
  }

  void fire(const trace_event& event) {
    outcome_.fired = true;
    outcome_.cycle = now_;
    const std::string whose = event.identity.none() ? "" : " of " + to_string(event.identity);
    outcome_.event = fmt::format("{}{} on {} in cycle {}", event.kind->name, whose,
                                 catalog_.name_of(event.track), event.cycle);
    // What is told late may have ended before the cycles that are kept.
    begin_file(std::min(first_kept(now_), event.last), last_kept());
  }

  /// Writes what was kept, of which the cycles `first` to `last` were asked for.
  void begin_file(cycle_t first, cycle_t last) {
    while (blocks_.size() > 1 && blocks_[1].first < first_kept(now_)) blocks_.pop_front();
    end_block();
    begun_ = true;
    options_.window = window_of(first, last);
    file_.section(recording::section::begin, recording::beginning(TRIBUTARY_VERSION, catalog_,
                                                                  blocks_.front().start, options_));
    known_names_ = catalog_.added_names().size();
    for (const std::string& each : kinds_) file_.write(each);
    for (const kept_block& each : blocks_) {
      if (!each.section.empty()) file_.write(each.section);
      events_ += each.events;
    }
    kinds_.clear();
    blocks_.clear();
    blocks_.emplace_back();
  }

  static std::string window_of(cycle_t first, cycle_t last) {
    const std::string begin = first <= 1 ? "" : std::to_string(first);
    const std::string end = last == never ? "" : std::to_string(last);
    return begin.empty() && end.empty() ? "" : begin + ".." + end;
  }

  void write_names() {
    for (; known_names_ < catalog_.added_names().size(); ++known_names_) {
      file_.section(recording::section::name,
                    recording::name_section(catalog_.added_names()[known_names_]));
    }
  }

  void finish_file(bool partial) {
    // Without a trigger the last cycle is one of those that are kept.
    if (!begun_) begin_file(first_kept(now_) + (now_ < cycles_.before ? 0 : 1), never);
    end_block();
    file_.section(recording::section::end, recording::end_section(events_, last_, partial));
    file_.commit();
    blocks_.clear();
    complete_ = true;
  }

  kept_cycles cycles_;
  trace_filter_options options_;
  const trace_catalog& catalog_;
  held_stays held_;
  recording::event_encoder encoder_;
  packed_writer file_;
  std::optional<event_condition> trigger_;
  trigger_outcome outcome_;
  std::vector<std::string> kinds_;  // sections, until the file begins
  std::deque<kept_block> blocks_;   // the last is not full; the only one once the file has begun
  std::size_t known_names_ = 0;
  std::uint64_t events_ = 0;  // in the file
  cycle_t now_ = 0;           // of the machine
  cycle_t last_ = 0;          // of an event
  bool begun_ = false;
  std::atomic<bool> complete_{false};
};

}  // namespace

std::unique_ptr<kept_recording> open_kept_recording(const std::string& path,
                                                    const kept_cycles& cycles,
                                                    const trace_filter_options& options,
                                                    const trace_catalog& catalog,
                                                    const trace_start& start) {
  return std::make_unique<kept_events>(path, cycles, options, catalog, start);
}

}  // namespace tributary
