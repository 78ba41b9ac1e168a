// SPDX-License-Identifier: Apache-2.0
// Value change dump of the tracks of a machine (docs/formats/event-log.md).
#include <fmt/format.h>
#include <boost/algorithm/string/classification.hpp>
#include <boost/algorithm/string/split.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <tributary/sim/text_file.h>
#include <tributary/trace/sink.h>
#include <tributary/trace/stays.h>

namespace tributary {
namespace {

/// Values in time, written as they change. Times are cycles and do not decrease.
class change_writer {
 public:
  explicit change_writer(const std::string& path) : file_(path) {
    file_.write(
        "$comment tributary-vcd 1: time n is cycle n, values are those at its end $end\n"
        "$timescale 1 ns $end\n");
  }

  void open_scope(const std::string& name) {
    file_.write(fmt::format("$scope module {} $end\n", name));
  }
  void close_scope() { file_.write("$upscope $end\n"); }

  /// Declares a value of `width` bits, unknown until it is set; returns its index.
  std::size_t declare(const std::string& name, unsigned width) {
    signals_.push_back({0, static_cast<std::uint8_t>(width), false, false});
    file_.write(fmt::format("$var wire {} {} {} $end\n", width, code(signals_.size() - 1), name));
    return signals_.size() - 1;
  }
  void end_declarations() { file_.write("$enddefinitions $end\n"); }

  void set(std::size_t index, std::uint32_t value) {
    signal& now = signals_[index];
    if (now.known && now.value == value) return;
    now.value = value;
    now.known = true;
    if (now.changed) return;
    now.changed = true;
    changed_.push_back(index);
  }
  void set_unknown(std::size_t index) { signals_[index].known = false; }
  void add(std::size_t index, int difference) {
    set(index, signals_[index].value + static_cast<std::uint32_t>(difference));
  }

  void write_all(cycle_t time) {
    file_.write(fmt::format("#{}\n$dumpvars\n", time));
    for (std::size_t index = 0; index < signals_.size(); ++index) write_value(index);
    file_.write("$end\n");
    forget_changes();
  }
  void write_changes(cycle_t time) {
    if (changed_.empty()) return;
    file_.write(fmt::format("#{}\n", time));
    std::sort(changed_.begin(), changed_.end());
    for (const std::size_t index : changed_) write_value(index);
    forget_changes();
  }
  void forget_changes() {
    for (const std::size_t index : changed_) signals_[index].changed = false;
    changed_.clear();
  }

  void finish(bool partial) {
    if (partial) file_.write("$comment partial: the run was interrupted here $end\n");
    file_.commit();
  }

 private:
  struct signal {
    std::uint32_t value;
    std::uint8_t width;
    bool known;
    bool changed;
  };

  /// The short name of a value: its index in base 94, in printable characters.
  static std::string code(std::size_t index) {
    constexpr std::size_t base = 94;
    std::string text;
    do {
      text += static_cast<char>('!' + index % base);
      index /= base;
    } while (index != 0);
    return text;
  }

  void write_value(std::size_t index) {
    const signal& now = signals_[index];
    const std::string value = now.known ? fmt::format("{:b}", now.value) : "x";
    file_.write(now.width == 1 ? fmt::format("{}{}\n", value, code(index))
                               : fmt::format("b{} {}\n", value, code(index)));
  }

  text_writer file_;
  std::vector<signal> signals_;
  std::vector<std::size_t> changed_;
};

/// The values of a link: whether an identity passes in the cycle, and behind that the last one that
/// did, its origin and its sequence.
constexpr std::size_t origin_of(std::size_t link) { return link + 1; }
constexpr std::size_t sequence_of(std::size_t link) { return link + 2; }

/// The scopes of a name: "stage_0", "switch_3", "output_1" of "stage.0.switch.3.output.1".
std::vector<std::string> scopes_of(const std::string& name) {
  std::vector<std::string> parts;
  std::vector<std::string> scopes;
  for (const std::string& part : boost::split(parts, name, boost::is_any_of("."))) {
    const bool is_number = part[0] >= '0' && part[0] <= '9';
    if (is_number && !scopes.empty()) {
      scopes.back() += "_" + part;
    } else {
      scopes.push_back(part);
    }
  }
  return scopes;
}

class vcd final : public trace_sink {
 public:
  vcd(const std::string& path, trace_filter filter, const trace_catalog& catalog,
      const trace_start& start)
      : changes_(path),
        filter_(std::move(filter)),
        catalog_(catalog),
        stays_(catalog),
        start_(start.now),
        now_(start.now) {
    changes_.open_scope(catalog.machine());
    for (std::size_t track = 0; track < catalog.tracks(); ++track) {
      declare(static_cast<track_id>(track));
    }
    enter({});
    changes_.close_scope();
    changes_.end_declarations();
    for (const trace_start::level& each : start.levels) {
      if (const std::size_t* signal = signal_of(each.track, each.stay)) {
        changes_.set(*signal, each.count);
      }
    }
    for (const trace_start::pair& each : start.pairs) stays_.begin_joined(each.joined, each.parent);
  }

  void on_event(const trace_event& event) override {
    const bool is_level = tells_level(*event.kind);
    if (!is_level && event.kind->link == nullptr && event.kind->changes[0].stay == nullptr) return;
    if (event.cycle > now_) {
      end_cycle();
      begin_cycle(event.cycle);
    }
    if (is_level) {
      if (const std::size_t* signal = signal_of(event.track, event.kind->name)) {
        changes_.set(*signal, static_cast<std::uint32_t>(event.value));
      }
      return;
    }
    stays_.follow(event, [this](const stay_tracker::change& change) {
      if (const std::size_t* signal = signal_of(change.track, change.stay)) {
        changes_.add(*signal, change.begins ? 1 : -1);
      }
    });
    pass(event);
  }

  void finish(bool partial) override {
    end_cycle();
    begin_cycle(std::max(now_ + 2, filter_.first_cycle()));
    changes_.finish(partial);
  }

 private:
  void declare(track_id track) {
    const std::vector<track_signal>& signals = catalog_.part_of(track).signals;
    if (signals.empty() || !filter_.admits(track)) return;
    enter(scopes_of(catalog_.name_of(track)));
    for (const track_signal& each : signals) {
      const std::size_t first = each.is_link ? changes_.declare(each.name + "_valid", 1)
                                             : changes_.declare(each.name, 16);
      changes_.set(first, 0);
      signals_[track].emplace_back(each, first);
      if (!each.is_link) continue;
      changes_.declare(each.name + "_" + catalog_.origin(), 16);
      changes_.declare(each.name + "_sequence", 32);
      links_.push_back(first);
    }
  }
  /// Leaves the scopes that are open and enters these, as far as they differ.
  void enter(const std::vector<std::string>& scopes) {
    std::size_t common = 0;
    while (common < scopes.size() && common < open_.size() && scopes[common] == open_[common]) {
      ++common;
    }
    for (; open_.size() > common; open_.pop_back()) changes_.close_scope();
    for (; open_.size() < scopes.size(); open_.push_back(scopes[open_.size()])) {
      changes_.open_scope(scopes[open_.size()]);
    }
  }

  /// Of a stay or, its first, of a link, which may have the same name; null for one that is not
  /// shown.
  const std::size_t* signal_of(track_id track, std::string_view name, bool is_link = false) const {
    const auto shown = signals_.find(track);
    if (shown == signals_.end()) return nullptr;
    for (const auto& [signal, first] : shown->second) {
      if (signal.name == name && signal.is_link == is_link) return &first;
    }
    return nullptr;
  }

  void begin_cycle(cycle_t cycle) {
    if (cycle > now_ + 1) write_changes(now_ + 1);
    if (!begun_ && cycle >= filter_.first_cycle()) {
      begun_ = true;
      forget_messages();
      changes_.write_all(std::max(filter_.first_cycle(), start_ + 1) - 1);
    }
    now_ = cycle;
  }
  /// Links begin idle and without a last message, so that a window of a resumed run is the same.
  void forget_messages() {
    for (const std::size_t link : links_) {
      changes_.set_unknown(origin_of(link));
      changes_.set_unknown(sequence_of(link));
    }
  }
  void end_cycle() {
    write_changes(now_);
    for (const std::size_t valid : raised_) changes_.set(valid, 0);
    raised_.clear();
  }
  void write_changes(cycle_t cycle) {
    if (begun_ && filter_.in_window(cycle)) {
      changes_.write_changes(cycle);
    } else {
      changes_.forget_changes();
    }
  }

  void pass(const trace_event& event) {
    if (event.kind->link == nullptr || event.identity.none() || !filter_.admits(event.identity)) {
      return;
    }
    const std::size_t* const link = signal_of(event.track, event.kind->link, true);
    if (link == nullptr) return;
    changes_.set(*link, 1);
    changes_.set(origin_of(*link), event.identity.origin());
    changes_.set(sequence_of(*link), static_cast<std::uint32_t>(event.identity.sequence()));
    raised_.push_back(*link);
  }

  change_writer changes_;
  trace_filter filter_;
  const trace_catalog& catalog_;
  stay_tracker stays_;
  cycle_t start_;  // the machine's last cycle before the dump
  cycle_t now_;
  bool begun_ = false;
  // Of tracks that are shown.
  std::unordered_map<track_id, std::vector<std::pair<track_signal, std::size_t>>> signals_;
  std::vector<std::size_t> links_;
  std::vector<std::size_t> raised_;  // links over which somebody passes in the current cycle
  std::vector<std::string> open_;    // scopes
};

}  // namespace

std::unique_ptr<trace_sink> open_vcd(const std::string& path, const trace_filter& filter,
                                     const trace_catalog& catalog, const trace_start& start) {
  return std::make_unique<vcd>(path, filter, catalog, start);
}

}  // namespace tributary
