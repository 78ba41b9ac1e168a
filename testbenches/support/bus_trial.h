// SPDX-License-Identifier: Apache-2.0
// Random accesses of all processors of a bus to a few words, and what must hold of them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <tributary/bus/snooping_bus.h>
#include <tributary/cache/cache.h>
#include <tributary/memory/line_memory.h>
#include <tributary/memory/memory_controller.h>
#include <tributary/sim/agenda.h>
#include <tributary/sim/error.h>
#include <tributary/sim/random_stream.h>

#include <support/accesses.h>
#include <support/bus_bench.h>
#include <support/bus_case.h>
#include <support/bus_faults.h>
#include <support/location_history.h>
#include <support/timed_actions.h>
#include <support/uncached_wanderer.h>

namespace tributary::testing {

/// A few registers and a counter that each read takes a number from; now and then it is busy.
class random_device final : public bus_device {
 public:
  static constexpr std::uint64_t base = std::uint64_t{1} << 32;
  static constexpr std::uint64_t registers = 2;
  static constexpr std::uint64_t counter_at = base + registers * word_bytes;
  static constexpr bus_range range{base, (registers + 1) * word_bytes};

  random_device(const bus_case& drawn, bus_fault fault)
      : retries_(drawn.device_retries), fault_(fault), draws_(drawn.seed, 0U, 21U) {}

  device_answer read(std::uint64_t address, cycle_t now) override {
    const bool busy = retries_ != 0 && draws_.below(retries_) == 0;
    if (busy && fault_ != bus_fault::repeated_read) return device_answer::later();
    const word_t value = address == counter_at ? ++counted_ : values_[address];
    if (busy) return device_answer::later();
    return device_answer::word(value, now + draws_.below(9));
  }
  bool write(std::uint64_t address, word_t value, cycle_t) override {
    if (retries_ != 0 && draws_.below(retries_) == 0) return false;
    values_[address] = value;
    return true;
  }
  word_t value(std::uint64_t address) { return values_[address]; }
  word_t counted() const { return counted_; }

 private:
  std::uint32_t retries_;
  bus_fault fault_;
  random_stream draws_;
  word_t counted_ = 0;
  std::map<std::uint64_t, word_t> values_;
};

/// Puts transactions off at random, and resumes them later.
class random_watcher final : public transaction_watcher {
 public:
  random_watcher(const bus_case& drawn, bus_fault fault, agenda& clock, snooping_bus& bus)
      : put_off_(drawn.put_off),
        loses_(fault == bus_fault::lost_resume),
        draws_(drawn.seed, 0U, 22U),
        clock_(clock),
        bus_(bus) {}

  watch_verdict watch(const watched_transaction& seen, cycle_t now) override {
    if (put_off_ == 0 || draws_.below(put_off_) != 0) return watch_verdict::pass;
    if (draws_.below(2) == 0) return watch_verdict::retry;
    const std::uint64_t line = seen.line;
    if (loses_ && draws_.below(4) == 0) return watch_verdict::defer;
    actions_.at(
        now + 1 + draws_.below(60), [this, line] { bus_.resume(line, clock_.now()); },
        wake_rank::processor);
    return watch_verdict::defer;
  }

 private:
  std::uint32_t put_off_;
  bool loses_;
  random_stream draws_;
  agenda& clock_;
  snooping_bus& bus_;
  timed_actions actions_{clock_};
};

/// A bus with everything on it. `run` says what is wrong, or "".
class bus_trial {
 public:
  /// No access takes longer, in cycles of the processors.
  static constexpr cycle_t bound = 30000;

  explicit bus_trial(const bus_case& drawn, bus_fault fault = bus_fault::none)
      : case_(drawn),
        controller_(controller_of(drawn), clock_),
        memory_(drawn.controlled ? static_cast<line_memory&>(controller_) : plain_),
        bus_(drawn.config, std::size_t{drawn.masters} + drawn.uncached, {0, memory_bytes}, clock_,
             memory_),
        device_(drawn, fault),
        watcher_(drawn, fault, clock_, bus_) {
    plain_.line = drawn.config.line();
    plain_.first = drawn.memory_first;
    plain_.step = drawn.memory_step;
    bus_.attach(random_device::range, device_);
    bus_.watch({0, drawn.base_of(drawn.lines / 2 + 1)}, watcher_);
    for (std::uint32_t i = 0; i < drawn.masters; ++i) {
      processors_.push_back(std::make_unique<processor>(*this, i, fault));
    }
    for (std::uint32_t i = 0; i < drawn.uncached; ++i) {
      uncached_.push_back(std::make_unique<uncached_wanderer>(
          case_, clock_, bus_, drawn.masters + i, histories_, [this] { return new_value(); }));
    }
  }

  std::string run() {
    try {
      while (true) {
        const cycle_t next = clock_.next_wakeup();
        if (next == never) break;
        clock_.advance_to(next);
        look();
        const std::string wrong = fault_now();
        if (!wrong.empty()) return wrong + " in cycle " + std::to_string(next);
      }
    } catch (const simulation_error& problem) {
      return problem.what();
    }
    return fault_at_rest();
  }

  const snooping_bus& bus() const { return bus_; }
  const uncached_master& uncached(std::size_t i) const { return uncached_[i]->unit; }
  const cache& caches(std::size_t master) const { return processors_[master]->unit; }
  cycle_t longest() const { return longest_; }
  std::uint64_t pairs() const { return pairs_; }
  std::uint64_t sights() const { return sights_; }

 private:
  enum class what : std::uint8_t {
    load,
    store,
    posted,
    linked,
    conditional,
    prefetch,
    word,
    count
  };
  struct open_access {
    what kind;
    std::uint64_t address;
    word_t value;
    cycle_t begun;
    std::uint64_t number;
  };

  /// Asks at random, its cache and the device, and writes down what it is told.
  class processor final : private memory_client, private timed_block {
   public:
    processor(bus_trial& trial, std::uint32_t number, bus_fault fault)
        : link_(fault, trial.clock_, trial.bus_.lines(number), trial.case_.config.line()),
          unit(trial.case_.caches, trial.clock_, link_),
          trial_(trial),
          number_(number),
          draws_(trial.case_.seed, number, 23U) {
      link_.set_client(unit);
      link_.is_shared = [this](std::uint64_t line) {
        return unit.state_of(line) == line_state::shared;
      };
      unit.set_client(this);
      trial.bus_.words(number).set_client(this);
      trial.bus_.set_client(number, link_);
      trial.clock_.wake(*this, 1 + draws_.below(20), 0, wake_rank::processor);
    }

    bool done() const { return offered_ >= trial_.case_.accesses && open_.empty(); }
    cycle_t oldest() const {
      cycle_t oldest = never;
      for (const auto& [tag, each] : open_) oldest = std::min(oldest, each.begun);
      return oldest;
    }

   private:
    faulty_link link_;

   public:
    cache unit;

   private:
    void wake(cycle_t now, std::uint64_t) override {
      if (offered_ < trial_.case_.accesses) {
        offer_one(now);
        trial_.clock_.wake(*this, now + 1 + draws_.below(trial_.case_.pause), 0,
                           wake_rank::processor);
      }
    }
    void offer_one(cycle_t now) {
      if (draws_.below(8) == 0) {
        offer_word(now);
        return;
      }
      if (!unit.can_take()) return;
      const std::uint64_t line = trial_.case_.base_of(draws_.below(trial_.case_.lines));
      const std::uint64_t address = line + draws_.below(trial_.case_.words) * word_bytes;
      if (pair_ && pair_->address == address) return;
      if (draws_.below(trial_.case_.loads + 1) != 0) {
        offer(what::load, load_of(address), now);
        return;
      }
      switch (draws_.below(5)) {
        case 0:
          if (pair_) return;
          pair_ = linked_pair{address, 0, false};
          offer(what::linked, of_kind(access_kind::load_linked, load_of(address)), now);
          break;
        case 1:
          offer(what::prefetch,
                of_kind(
                    draws_.below(2) == 0 ? access_kind::prefetch : access_kind::prefetch_exclusive,
                    load_of(address)),
                now);
          break;
        case 2: {
          access store = store_of(address, trial_.new_value());
          store.posted = true;
          offer(what::posted, store, now);
          break;
        }
        default:
          offer(what::store, store_of(address, trial_.new_value()), now);
          break;
      }
    }
    void offer_word(cycle_t now) {
      processor_port& port = trial_.bus_.words(number_);
      if (!port.can_take(number_)) return;
      const std::uint64_t place = draws_.below(random_device::registers + 1);
      const std::uint64_t address = random_device::base + place * word_bytes;
      if (address == random_device::counter_at) {
        ask(port, what::count, load_of(address), now);
      } else if (draws_.below(2) == 0) {
        ask(port, what::word, load_of(address), now);
      } else {
        access store = store_of(address, trial_.new_value());
        store.posted = draws_.below(2) == 0;
        ask(port, store.posted ? what::posted : what::word, store, now);
      }
    }
    void offer(what kind, const access& request, cycle_t now) { ask(unit, kind, request, now); }
    void ask(processor_port& port, what kind, access request, cycle_t now) {
      request.tag = ++next_tag_;
      ++offered_;
      open_[request.tag] = {kind, request.address, request.function.a, now, next_tag_};
      port.offer(number_, request, now);
    }

    void completed(const completion& ended, cycle_t now) override {
      const open_access open = open_.at(ended.tag);
      open_.erase(ended.tag);
      trial_.longest_ = std::max(trial_.longest_, now - open.begun);
      const bool is_word = open.address >= random_device::base;
      switch (open.kind) {
        case what::load:
          note(open, ended.value, ended.value, now);
          break;
        case what::linked:
          note(open, ended.value, ended.value, now);
          end_linked(open, ended.value, now);
          break;
        case what::store:
          note(open, ended.value, open.value, now);
          break;
        case what::posted:
          // A device has it later.
          note(open, open.value, open.value, is_word ? never : now);
          break;
        case what::conditional:
          if (ended.value == 1) {
            ++trial_.pairs_;
            note(open, pair_->found, open.value, now);
          }
          pair_.reset();
          break;
        case what::word:
          note(open, open.value != 0 ? open.value : ended.value,
               open.value != 0 ? open.value : ended.value, now);
          break;
        case what::count:
          trial_.numbers_.push_back(ended.value);
          break;
        default:
          break;
      }
    }
    /// The store-conditional follows at once, or later; until then nobody here uses the word.
    void end_linked(const open_access& open, word_t found, cycle_t now) {
      pair_->found = found;
      if (!unit.can_take()) {
        pair_.reset();
        return;
      }
      offer(what::conditional,
            of_kind(access_kind::store_conditional, store_of(open.address, trial_.new_value())),
            now);
    }
    void note(const open_access& open, word_t found, word_t left, cycle_t ended) {
      ++trial_.sights_;
      // A store-conditional that failed has written nothing.
      if (left == open.value && left != 0) trial_.histories_[open.address].will_write(left);
      trial_.histories_[open.address].add({number_, open.number, open.begun, ended, found, left});
    }
    void room(std::size_t, cycle_t) override {}

    struct linked_pair {
      std::uint64_t address;
      word_t found;
      bool asked;
    };
    static access of_kind(access_kind kind, access request) {
      request.kind = kind;
      return request;
    }

    bus_trial& trial_;
    std::uint32_t number_;
    random_stream draws_;
    std::map<std::uint64_t, open_access> open_;
    std::uint64_t next_tag_ = 0;
    std::uint32_t offered_ = 0;
    std::optional<linked_pair> pair_;
  };

  static constexpr std::uint64_t memory_bytes = std::uint64_t{1} << 16;

  static memory_controller_config controller_of(const bus_case& drawn) {
    memory_controller_config config;
    config.bytes = memory_bytes;
    config.line_bytes = drawn.config.line_bytes;
    config.first_word = static_cast<std::uint32_t>(drawn.memory_first);
    config.next_word = static_cast<std::uint32_t>(drawn.memory_step);
    config.overlap = drawn.seed % 2 == 0;
    return config;
  }

  word_t new_value() { return ++written_; }

  /// What a debugger sees changes as the writes are done.
  void look() {
    const auto debugger = static_cast<std::uint32_t>(bus_.masters());
    for (std::uint64_t line = 0; line < case_.lines; ++line) {
      for (std::uint64_t i = 0; i < case_.config.line().words(); ++i) {
        const std::uint64_t address = case_.base_of(line) + i * word_bytes;
        const word_t seen = bus_.peek(address);
        if (seen == looked_[address]) continue;
        looked_[address] = seen;
        histories_[address].add({debugger, ++looks_, clock_.now(), clock_.now(), seen, seen});
      }
    }
  }

  /// What is wrong with what the caches have now.
  std::string fault_now() {
    for (std::uint64_t i = 0; i < case_.lines; ++i) {
      const std::string wrong = fault_of(case_.base_of(i));
      if (!wrong.empty()) return "line " + std::to_string(i) + ": " + wrong;
    }
    for (const auto& each : processors_) {
      const cycle_t since = each->oldest();
      if (since != never && clock_.now() > since + bound) {
        return "an access is under way since cycle " + std::to_string(since);
      }
    }
    for (const auto& each : uncached_) {
      const cycle_t since = each->oldest();
      if (since != never && clock_.now() > since + bound) {
        return "an access without a cache is under way since cycle " + std::to_string(since);
      }
    }
    return "";
  }
  std::string fault_of(std::uint64_t line) {
    const line_data* words = bus_.leaving(line);
    std::size_t owners = words == nullptr ? 0 : 1;
    std::size_t exclusive = 0;
    std::vector<line_data> copies;
    const line_data* owned = words;
    line_data kept{};
    bool is_clean = false;
    for (const auto& each : processors_) {
      const line_state state = each->unit.state_of(line);
      if (state == line_state::invalid) continue;
      copies.push_back(words_in(each->unit, line));
      if (state == line_state::shared) continue;
      ++owners;
      kept = copies.back();
      owned = &kept;
      if (state != line_state::owned) ++exclusive;
      if (state == line_state::exclusive) is_clean = true;
    }
    if (owners > 1) return "there are several owners";
    if (exclusive == 1 && copies.size() > 1) return "the line is exclusive and there are others";
    const bool moves = bus_.under_way(line) || controller_.writes_pending() != 0;
    const line_data in_memory = words_in_memory(line);
    const line_data& right = owned != nullptr           ? *owned
                             : copies.empty() || !moves ? in_memory
                                                        : copies.front();
    for (const line_data& each : copies) {
      if (!same(each, right)) return "a copy differs from its owner's or memory's";
    }
    if (is_clean && !moves && !same(*owned, in_memory))
      return "memory lacks the words of a clean line";
    return "";
  }
  bool same(const line_data& x, const line_data& y) const {
    return std::equal(
        x.begin(), x.begin() + static_cast<std::ptrdiff_t>(case_.config.line().words()), y.begin());
  }
  line_data words_in(const cache& unit, std::uint64_t line) const {
    line_data words{};
    for (std::size_t i = 0; i < case_.config.line().words(); ++i) {
      words[i] = unit.word_at(line + i * word_bytes);
    }
    return words;
  }
  line_data words_in_memory(std::uint64_t line) const {
    line_data words{};
    for (std::size_t i = 0; i < case_.config.line().words(); ++i) {
      words[i] = memory_.read(line + i * word_bytes);
    }
    return words;
  }

  std::string fault_at_rest() {
    for (const auto& each : processors_) {
      if (!each->done() || !each->unit.idle()) return "an access is never done";
    }
    for (const auto& each : uncached_) {
      if (!each->done() || !each->unit.idle()) return "an access without a cache is never done";
    }
    if (!bus_.idle()) return "the bus is not idle";
    for (auto& [address, history] : histories_) {
      const std::string wrong = history.fault(newest(address), true);
      if (!wrong.empty()) return "word " + std::to_string(address) + ": " + wrong;
    }
    std::sort(numbers_.begin(), numbers_.end());
    for (std::size_t i = 0; i < numbers_.size(); ++i) {
      if (numbers_[i] != i + 1) return "number " + std::to_string(i + 1) + " of the device is lost";
    }
    return numbers_.size() == device_.counted() ? "" : "a number of the device is lost";
  }
  word_t newest(std::uint64_t address) {
    if (address >= random_device::base) return device_.value(address);
    for (const auto& each : processors_) {
      if (each->unit.state_of(address) != line_state::invalid) return each->unit.word_at(address);
    }
    return memory_.read(address);
  }

  bus_case case_;
  agenda clock_;
  plain_line_memory plain_;
  memory_controller controller_;
  line_memory& memory_;
  snooping_bus bus_;
  random_device device_;
  random_watcher watcher_;
  std::vector<std::unique_ptr<processor>> processors_;
  std::map<std::uint64_t, location_history> histories_;
  std::vector<std::unique_ptr<uncached_wanderer>> uncached_;
  std::map<std::uint64_t, word_t> looked_;
  std::uint64_t looks_ = 0;
  std::vector<word_t> numbers_;
  word_t written_ = 0;
  cycle_t longest_ = 0;
  std::uint64_t pairs_ = 0;
  std::uint64_t sights_ = 0;
};

}  // namespace tributary::testing
