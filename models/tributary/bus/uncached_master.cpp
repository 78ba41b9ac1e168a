// SPDX-License-Identifier: Apache-2.0
#include <tributary/bus/uncached_master.h>

#include <algorithm>

#include <fmt/format.h>

#include <tributary/sim/error.h>
#include <tributary/sim/state_archive.h>

namespace tributary {
namespace {

using action = uncached_access::action;

constexpr word_t whole_word = ~word_t{0};

std::size_t checked_number(std::size_t outstanding) {
  if (outstanding >= 1 && outstanding <= snooping_bus::most_requests) return outstanding;
  throw configuration_error({"outstanding", "", fmt::format("{} accesses", outstanding),
                             fmt::format("1 to {}", snooping_bus::most_requests),
                             "choose as many"});
}

/// The last cycle in which one of the wanted words comes.
cycle_t last_wanted(const uncached_access& asked, const line_stamps& valid, line_size line) {
  cycle_t last = valid[line.word(asked.address)];
  for (std::size_t i = 0; i < line.words(); ++i) {
    if ((asked.wanted >> i & 1U) != 0) last = std::max(last, valid[i]);
  }
  return last;
}

}  // namespace

uncached_master::uncached_master(agenda& time, snooping_bus& bus, std::size_t master,
                                 std::size_t outstanding, const std::string& name)
    : agenda_(time),
      bus_(bus),
      line_(bus.config().line()),
      lines_(bus.lines(master)),
      words_(bus.words(master)),
      name_(name.empty() ? fmt::format("master.{}", master) : name),
      slots_(checked_number(outstanding)) {
  bus.set_client(master, *this);
  words_.set_client(this);
  agenda_.enroll(*this);
}

void uncached_master::offer(const uncached_access& asked, cycle_t now) {
  if (!can_take()) {
    fail(fmt::format("an access at {:#x} came while {} are under way", asked.address, taken_));
  }
  const bool of_device = bus_.has_device_word(asked.address);
  if (of_device) {
    check_device(asked);
  } else if (asked.address % word_bytes != 0 || !bus_.memory_at().contains(asked.address)) {
    fail(fmt::format("an access at {:#x}, which is no word of memory or of a device",
                     asked.address));
  }
  const auto unused = std::find_if(slots_.begin(), slots_.end(),
                                   [](const slot& each) { return each.at == slot::stage::free; });
  *unused = {slot::stage::waiting, asked, of_device, next_order_++, now};
  ++taken_;
  begin(now);
}

void uncached_master::check_device(const uncached_access& asked) const {
  const bool in_part =
      asked.does == action::write && asked.mask[line_.word(asked.address)] != whole_word;
  if (asked.does != action::operation && !in_part) return;
  fail(fmt::format("an access at {:#x}, a device's: it serves loads and stores of whole words",
                   asked.address));
}

void uncached_master::begin(cycle_t now) {
  while (true) {
    slot* first = nullptr;
    for (slot& each : slots_) {
      if (each.at != slot::stage::waiting) continue;
      if (first == nullptr || each.order < first->order) first = &each;
    }
    if (first == nullptr || !may_begin(*first)) return;
    ask(*first, now);
  }
}

/// One write at a time: the port says only that there is room for one more line.
bool uncached_master::may_begin(const slot& next) const {
  if (next.of_device) return words_.can_take(0);
  const bool writes = next.access.does != action::read;
  if (writes && !lines_.can_take()) return false;
  return std::none_of(slots_.begin(), slots_.end(), [&](const slot& each) {
    if (each.at != slot::stage::asked || each.of_device) return false;
    return (writes && each.access.does != action::read) ||
           line_.start(each.access.address) == line_.start(next.access.address);
  });
}

void uncached_master::ask(slot& next, cycle_t now) {
  const uncached_access& asked = next.access;
  const std::size_t number = number_of(next);
  next.at = slot::stage::asked;
  if (next.of_device) {
    access word;
    word.address = asked.address;
    word.tag = number;
    if (asked.does == action::write) {
      word.function = {form::constant, asked.words[line_.word(asked.address)], 0};
    }
    words_.offer(0, word, now);
    return;
  }
  const line_want want = asked.does == action::read ? line_want::shared
                         : covers_line(asked)       ? line_want::upgrade
                                                    : line_want::exclusive;
  lines_.ask(want, asked.address, static_cast<std::uint8_t>(number), now);
}

bool uncached_master::covers_line(const uncached_access& asked) const {
  return asked.does == action::write &&
         std::all_of(asked.mask.begin(), asked.mask.begin() + line_.words(),
                     [](word_t each) { return each == whole_word; });
}

void uncached_master::filled(std::uint8_t tag, const line_answer& answer, cycle_t now) {
  slot& about = asked_slot(tag);
  const uncached_access& asked = about.access;
  if (asked.does == action::read) {
    const cycle_t last = last_wanted(asked, answer.valid, line_);
    if (last <= now) {
      end(about, {asked.tag, false, answer.words}, now);
      return;
    }
    about.at = slot::stage::coming;
    about.access.words = answer.words;
    agenda_.wake(*this, last, tag, wake_rank::arrival);
    return;
  }
  line_data words = answer.words;
  if (asked.does == action::operation) {
    word_t& word = words[line_.word(asked.address)];
    word = apply(asked.function, word);
  } else {
    for (std::size_t i = 0; i < line_.words(); ++i) {
      words[i] = (words[i] & ~asked.mask[i]) | (asked.words[i] & asked.mask[i]);
    }
  }
  write_back(about, words, now);
  end(about, {asked.tag, false, answer.words}, now);
}

void uncached_master::upgraded(std::uint8_t tag, cycle_t now) {
  slot& about = asked_slot(tag);
  ++whole_lines_;
  write_back(about, about.access.words, now);
  end(about, {about.access.tag, false, {}}, now);
}

void uncached_master::refused(std::uint8_t tag, cycle_t now) {
  slot& about = asked_slot(tag);
  ++refused_;
  end(about, {about.access.tag, true, {}}, now);
}

void uncached_master::write_back(const slot& about, const line_data& words, cycle_t now) {
  lines_.write_back(line_.start(about.access.address), words, now);
}

void uncached_master::wake(cycle_t now, std::uint64_t tag) {
  if (tag >= slots_.size() || slots_[static_cast<std::size_t>(tag)].at != slot::stage::coming) {
    fail(fmt::format("a wake-up for access {}, which awaits none", tag));
  }
  slot& about = slots_[static_cast<std::size_t>(tag)];
  end(about, {about.access.tag, false, about.access.words}, now);
}

void uncached_master::completed(const completion& ended, cycle_t now) {
  slot& about = asked_slot(static_cast<std::size_t>(ended.tag));
  ++device_;
  uncached_answer answer{about.access.tag, false, {}};
  answer.words[line_.word(about.access.address)] = ended.value;
  end(about, answer, now);
}

void uncached_master::end(slot& over, const uncached_answer& answer, cycle_t now) {
  if (!answer.refused && !over.of_device) {
    const action did = over.access.does;
    ++(did == action::read ? reads_ : did == action::write ? writes_ : operations_);
  }
  latency_.add(now - over.since);
  over = {};
  --taken_;
  begin(now);
  if (client_ != nullptr) client_->answered(answer, now);
}

uncached_master::slot& uncached_master::asked_slot(std::size_t number) {
  if (number >= slots_.size() || slots_[number].at != slot::stage::asked) {
    fail(fmt::format("an answer for access {}, which has asked for nothing", number));
  }
  return slots_[number];
}

void uncached_master::fail(const std::string& problem) const {
  throw simulation_error(fmt::format("{} in cycle {}: {}", name_, agenda_.now(), problem));
}

void uncached_master::reset_statistics() {
  reset_all(reads_, writes_, whole_lines_, operations_, device_, refused_, latency_);
}

void uncached_master::report(statistics_group& into, std::uint64_t /*cycles*/) const {
  into.add("reads", reads_, "accesses", "Reads of words of a line.");
  into.add("writes", writes_, "accesses", "Writes to a line.");
  into.add("whole_lines", whole_lines_, "accesses", "Those of a whole line, which is not read.");
  into.add("operations", operations_, "accesses", "Functions that were performed on a word.");
  into.add("device_accesses", device_, "accesses", "Loads and stores of words of devices.");
  into.add("refused", refused_, "accesses", "Accesses that a watcher of the bus refused.");
  into.add("latency", latency_, "cycles", "From the offer of an access to its end.");
}

std::string uncached_master::save() const { return save_state(*this); }

void uncached_master::restore(const std::string& state) {
  const std::size_t count = slots_.size();
  restore_state(state, *this);
  require_state(slots_.size() == count, "a master of the bus takes another number of accesses");
  std::size_t taken = 0;
  for (const slot& each : slots_) {
    require_state(each.at <= slot::stage::coming && each.access.does <= action::operation,
                  "an access of a master of the bus is none");
    if (each.at == slot::stage::free) continue;
    ++taken;
    require_state(each.of_device ? bus_.has_device_word(each.access.address)
                                 : bus_.memory_at().contains(each.access.address),
                  "an access of a master of the bus is to no word");
  }
  require_state(taken == taken_, "a master of the bus counts other accesses");
}

}  // namespace tributary
