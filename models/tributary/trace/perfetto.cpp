// SPDX-License-Identifier: Apache-2.0
// Trace for Perfetto and Chrome's viewer (docs/formats/event-log.md): what slices and arrows there
// are. Writers of the two forms are told of them.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tributary/trace/perfetto_names.h>
#include <tributary/trace/perfetto_rows.h>
#include <tributary/trace/perfetto_stays.h>
#include <tributary/trace/perfetto_writer.h>
#include <tributary/trace/sink.h>

namespace tributary {
namespace {

using arrow_part = perfetto_arrow::part;

class perfetto final : public trace_sink {
 public:
  perfetto(std::unique_ptr<perfetto_writer> writer, trace_filter filter,
           const trace_catalog& catalog)
      : writer_(std::move(writer)),
        filter_(std::move(filter)),
        catalog_(catalog),
        names_(catalog),
        rows_(catalog, *writer_) {}

  void on_event(const trace_event& event) override {
    now_ = std::max(now_, event.cycle);
    const event_kind& kind = *event.kind;
    if (tells_level(kind)) {
      if (filter_.admits(event))
        writer_->add(rows_.graph_of(event.track), event.cycle, event.value);
      return;
    }
    // A step is at a stay that ends with it, or that begins, unless it lasts itself.
    bool has_step = kind.is_step && kind.within == nullptr && !kind.lasts && is_shown_step(event);
    if (has_step && step_at_stay(event)) has_step = false;
    follow(event);
    if (has_step) step_at_stay(event);
    if (kind.joins) join(event);
    if (kind.parts) part(event);
    if (kind.lasts) show(event);
    if (kind.within != nullptr) keep(event);
  }

  void finish(bool partial) override {
    for (const open_stay* const each : stays_.all()) write(*each, now_ + 1, true);
    for (auto& [track, each] : lasting_) write(each);
    for (const auto& [track, events] : within_) {
      for (const trace_event& each : events) write_loose(each);
    }
    writer_->finish(partial);
  }

 private:
  /// An event that lasts, until the next of its track: a step of the cycle after it belongs to it.
  struct lasting_event {
    trace_event told;
    asked_words asked;  // which the catalog of a recording knows only while the event is told
    perfetto_rows::place where{};
    bool shown = false;
    std::vector<perfetto_arrow> arrows;
  };

  // Stays, as `stay_tracker` has them, but found in few instructions.

  void follow(const trace_event& event) {
    const event_kind& kind = *event.kind;
    if (kind.changes[0].stay != nullptr) {
      const perfetto_names::kind_numbers& numbers = names_.of(kind);
      for (std::size_t i = 0; i < kind.changes.size(); ++i) {
        const stay_change& change = kind.changes[i];
        if (change.stay == nullptr) break;
        follow(event, change, numbers.stays[i]);
      }
      if (numbers.has_joined && !joined_.empty()) joined_.erase(event.identity);
    }
    if (kind.joins) joined_[event.parent] = event.identity;
  }
  void follow(const trace_event& event, const stay_change& change,
              const perfetto_names::numbered_name& name) {
    trace_identity subject = event.identity;
    if (change.of_joined) {
      if (joined_.empty()) return;
      const auto joined = joined_.find(event.identity);
      if (joined == joined_.end()) return;
      subject = joined->second;
    }
    const std::uint64_t key = subject.none() ? static_cast<std::uint64_t>(event.track) << 32U |
                                                   (event.details & 0xffffffffU)
                                             : subject.bits();
    if (change.begins) {
      begin(event, change, name, key, subject);
    } else {  // nothing for what had begun before the file
      stays_.end(key, name.number, [&](const open_stay& ended) {
        write(ended, event.last, false);
        rows_.release(ended.where, event.last);
      });
    }
  }

  void begin(const trace_event& event, const stay_change& change,
             const perfetto_names::numbered_name& name, std::uint64_t key, trace_identity subject) {
    const track_id track = change.onward ? catalog_.onward(event) : event.track;
    open_stay& stay = stays_.begin(
        key, name, [&](const open_stay* other) { return asked_by(other, subject, event); });
    stay.where = rows_.take(track, name.name, name.number, event.cycle, never);
    stay.begun = event;
    if (subject != event.identity) {  // who had joined the event's
      stay.begun.identity = subject;
      stay.begun.parent = event.identity;
    }
    stay.shown = filter_.admits(track) && filter_.admits_origin(stay.begun);
  }

  void write(const open_stay& stay, cycle_t end, bool is_open) {
    if (!stay.shown || !filter_.in_window(stay.begun.cycle, end)) return;
    const bool nameless = stay.asked.words.empty() && stay.begun.identity.none();  // a data buffer
    perfetto_slice slice(
        rows_.thread_of(stay.where), stay.name, stay.number,
        title_of(stay.begun, stay.asked, nameless ? stay.name : std::string_view()),
        stay.begun.cycle, end);
    slice.about = &stay.begun;
    slice.is_open = is_open;
    slice.arrows = &stay.arrows;
    writer_->add(slice);
  }

  // Events that last.

  /// A slice of its own, around the steps that were kept for it.
  void show(const trace_event& event) {
    const std::string_view kind = event.kind->name;
    lasting_event& here = lasting_[event.track];
    write(here);
    here.told = event;
    here.asked = asked_in(event);
    here.where =
        rows_.take(event.track, kind, names_.of(*event.kind).own, event.cycle, event.last + 1);
    here.shown = filter_.admits(event);
    if (here.shown) rows_.thread_of(here.where);  // rows are numbered as their slices begin
    here.arrows.clear();
    const auto kept = within_.find(event.track);
    if (kept != within_.end()) {
      for (const trace_event& each : kept->second) begin_arrow(here, each);
      within_.erase(kept);
    }
    if (event.kind->is_step && is_shown_step(event)) here.arrows.push_back(step_of(event));
  }
  void write(const lasting_event& ended) {
    if (ended.told.kind == nullptr) return;
    if (!ended.shown) {
      for (const perfetto_arrow& each : ended.arrows) {
        writer_->add(rows_.thread_of(ended.where), each);
      }
      return;
    }
    const std::string_view kind = ended.told.kind->name;
    const bool nameless = ended.asked.words.empty();
    perfetto_slice slice(rows_.thread_of(ended.where), kind, names_.of(*ended.told.kind).own,
                         title_of(ended.told, ended.asked, nameless ? kind : std::string_view()),
                         ended.told.cycle, ended.told.last + 1);
    slice.about = &ended.told;
    slice.arrows = &ended.arrows;
    writer_->add(slice);
  }

  // Arrows between two that combine.

  void join(const trace_event& event) {
    open_stay* const second =
        stays_.find(event.identity.bits(), names_.of(*event.kind).stays[0].number);
    open_stay* const first = stay_at(event.parent, event.track);
    if (second == nullptr || first == nullptr || !filter_.admits(event.track) ||
        !filter_.admits_origin(event)) {
      return;
    }
    first->shown = true;
    if (!filter_.in_window(event.cycle)) return;
    second->arrows.push_back({arrow_part::begin, ++arrows_, event.kind->name, event.cycle});
    first->arrows.push_back({arrow_part::end, arrows_, event.kind->name, event.cycle});
  }
  /// The first by name of the identity's stays at the track; null if there is none.
  open_stay* stay_at(trace_identity identity, track_id track) {
    open_stay* first = nullptr;
    stays_.find_if(identity.bits(), [&](open_stay& each) {
      if (each.begun.identity == identity && rows_.track_of(each.where) == track &&
          (first == nullptr || each.name < first->name)) {
        first = &each;
      }
      return false;
    });
    return first;
  }

  /// A cycle of both, one next to the other, with an arrow from the one that brought the other.
  void part(const trace_event& event) {
    if (!filter_.admits(event)) return;
    const auto slice_of = [&](std::string_view kind, trace_identity identity) {
      const std::size_t number = names_.number_of(kind);
      const cycle_t end = event.cycle + 1;
      return perfetto_slice(
          rows_.thread_of(rows_.take(event.track, kind, number, event.cycle, end)), kind, number,
          named(asked_by(identity, event), identity), event.cycle, end);
    };
    perfetto_slice by = slice_of("brought it", event.parent);
    by.identity = event.parent;
    perfetto_slice brought = slice_of(event.kind->name, event.identity);
    brought.about = &event;
    const std::vector<perfetto_arrow> from{
        {arrow_part::begin, ++arrows_, event.kind->name, event.cycle}};
    const std::vector<perfetto_arrow> to{{arrow_part::end, arrows_, event.kind->name, event.cycle}};
    by.arrows = &from;
    brought.arrows = &to;
    writer_->add(by);
    writer_->add(brought);
  }

  // Arrows along messages.

  bool is_shown_step(const trace_event& event) const {
    return !event.identity.none() && filter_.admits(event);
  }
  /// At the stay that the event changes; false if it is not open.
  bool step_at_stay(const trace_event& event) {
    if (event.kind->changes[0].stay == nullptr) return false;
    open_stay* const stay =
        stays_.find(event.identity.bits(), names_.of(*event.kind).stays[0].number);
    if (stay == nullptr) return false;
    stay->arrows.push_back(step_of(event));
    return true;
  }
  perfetto_arrow step_of(const trace_event& event) {
    const bool is_first = stepped_.insert(event.identity).second;
    return {is_first ? arrow_part::begin : arrow_part::step, event.identity.bits(), message,
            event.cycle};
  }
  /// What lasts around a step is told when it has ended: before a step of the cycle after it, else
  /// later.
  void keep(const trace_event& event) {
    stepped_.insert(event.identity);
    const auto last = lasting_.find(event.track);
    const bool is_of_last = last != lasting_.end() && last->second.told.identity == event.parent &&
                            event.cycle == last->second.told.last + 1;
    trace_event within = event;
    if (is_of_last) {
      within.cycle = last->second.told.last;
      begin_arrow(last->second, within);
    } else {
      within_[event.track].push_back(within);
    }
  }
  void begin_arrow(lasting_event& around, const trace_event& step) {
    if (is_shown_step(step)) around.arrows.push_back(first_of(step));
  }
  /// A step within what did not end.
  void write_loose(const trace_event& step) {
    if (!is_shown_step(step)) return;
    const std::string_view around = step.kind->within;
    const perfetto_rows::place where =
        rows_.take(step.track, around, names_.number_of(around), never, never);
    writer_->add(rows_.thread_of(where), first_of(step));
  }
  static perfetto_arrow first_of(const trace_event& step) {
    return {arrow_part::begin, step.identity.bits(), message, step.cycle};
  }

  // Names.

  /// What the event itself says that its identity is or asks for.
  asked_words asked_in(const trace_event& event) {
    const event_detail* const detail = event.kind->asked;
    if (detail == nullptr) return {};
    asked_words asked{names_.of(*detail, names_.of(*event.kind).asked, event.details),
                      std::nullopt};
    if (!asked.words.empty() && catalog_.subject) asked.number = catalog_.subject(event);
    return asked;
  }
  /// What an identity asked for: all its open stays have it from the first of them, because
  /// combining changes what a request carries later.
  asked_words asked_by(trace_identity identity, const trace_event& event) {
    return asked_by(stays_.find_if(identity.bits(), [](const open_stay&) { return true; }),
                    identity, event);
  }
  /// `open`: one of the stays with the identity's key, if there are any.
  asked_words asked_by(const open_stay* open, trace_identity identity, const trace_event& event) {
    if (open != nullptr && open->begun.identity == identity) return open->asked;
    return event.identity == identity ? asked_in(event) : asked_words();
  }
  /// "fetch_add 3.17", or the identity alone.
  static perfetto_title named(const asked_words& asked, trace_identity identity) {
    return {asked.words, asked.number, true, identity};
  }
  /// The words alone, if there are any and the kind of event gives no title.
  perfetto_title title_of(const trace_event& event, const asked_words& asked,
                          std::string_view words) {
    const event_detail* const detail = event.kind->title;
    const std::string_view title =
        detail == nullptr ? std::string_view()
                          : names_.of(*detail, names_.of(*event.kind).title, event.details);
    if (!title.empty()) words = title;
    if (!words.empty()) return {words, std::nullopt, false, {}};
    return named(asked, event.identity);
  }

  static constexpr const char* message = "message";

  std::unique_ptr<perfetto_writer> writer_;
  trace_filter filter_;
  const trace_catalog& catalog_;
  perfetto_names names_;
  perfetto_rows rows_;
  open_stays stays_;
  std::map<trace_identity, trace_identity> joined_;  // who joined, by parent
  std::map<track_id, lasting_event> lasting_;        // what lasted last
  std::map<track_id, std::vector<trace_event>>
      within_;                        // steps that wait for what lasts around them
  std::set<trace_identity> stepped_;  // of which an arrow has begun
  std::uint64_t arrows_ = 0;
  cycle_t now_ = 0;
};

/// The form is chosen by the name, without what says that it is compressed.
bool names_protobuf(std::filesystem::path path) {
  if (path.extension() == ".gz") path = path.stem();
  return path.extension() == ".pftrace" || path.extension() == ".perfetto-trace";
}

}  // namespace

std::unique_ptr<trace_sink> open_perfetto(const std::string& path, const trace_filter& filter,
                                          const trace_catalog& catalog) {
  auto* const open = names_protobuf(path) ? open_perfetto_protobuf : open_perfetto_json;
  return std::make_unique<perfetto>(open(path, catalog), filter, catalog);
}

}  // namespace tributary
