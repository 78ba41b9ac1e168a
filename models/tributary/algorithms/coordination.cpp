// SPDX-License-Identifier: Apache-2.0
#include <tributary/algorithms/coordination.h>

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <tributary/algorithms/fetch_add_queue.h>
#include <tributary/algorithms/memory_place.h>
#include <tributary/algorithms/self_scheduled_loop.h>
#include <tributary/sim/error.h>
#include <tributary/sim/parameters.h>

namespace tributary {
namespace {

constexpr const char* operation_name = "operation";

/// Words that the program itself has: how many elements have ended, what they found all together,
/// and two that a lock protects.
enum own_word : std::uint64_t { ended, found, first_protected, second_protected, own_words };

std::uint64_t address_of(const program_context& context, own_word word) {
  return memory_place{}.central(context, word);
}

/// A word of each element, which says that it has come to its last barrier.
std::uint64_t arrival_of(const program_context& context, std::uint32_t element) {
  return memory_place{}.own(context, element, 0);
}

/// Where the algorithms have theirs: in other lines, of machines that have such.
memory_place place_behind() {
  constexpr std::uint64_t words_a_line = 16;
  static_assert(own_words <= words_a_line);
  return {0, words_a_line, words_a_line};
}

/// Numbers of which each is to be seen once, by whoever. What was seen does not depend on the order
/// in which elements run, so checkpoints hold.
class seen_once {
 public:
  void reset(std::uint64_t numbers) { seen_.assign(numbers, false); }
  void take(std::uint64_t number, const char* kind) {
    if (number < seen_.size() && !seen_[number]) {
      seen_[number] = true;
      return;
    }
    throw simulation_error(fmt::format("{} {} came {}", kind, number,
                                       number < seen_.size() ? "twice" : "and is beyond the last"));
  }

 private:
  std::vector<bool> seen_;
};

/// One element's part in a work.
class part {
 public:
  part() = default;
  part(const part&) = delete;
  part& operator=(const part&) = delete;
  virtual ~part() = default;

  virtual void prepare(std::uint64_t /*operation*/) {}
  virtual void perform(std::uint64_t operation) = 0;
  /// What this element found, to be added to what others did.
  virtual word_t end() { return 0; }
};

/// What all parts share, outside of the machine.
struct whole {
  coordination_config config;
  kept_synchronization kept;
  std::vector<seen_once> counters;
  seen_once iterations;

  bool counts() const {
    return config.work == coordinated_work::counter || config.work == coordinated_work::counters;
  }
};

class counters_part final : public part {
 public:
  counters_part(program_context& context, whole& all) : context_(context), all_(all) {}

  void prepare(std::uint64_t /*operation*/) override {
    if (all_.config.work == coordinated_work::counters) {
      drawn_ = context_.random(all_.config.counters);
    }
  }
  void perform(std::uint64_t /*operation*/) override {
    const std::uint64_t counter = place_behind().central(context_, drawn_);
    all_.counters[drawn_].take(context_.fetch_add(counter, 1), "the value of a counter");
  }
  word_t end() override { return all_.config.count; }

 private:
  program_context& context_;
  whole& all_;
  std::uint64_t drawn_ = 0;
};

class barrier_part final : public part {
 public:
  barrier_part(program_context& context, const whole& all)
      : context_(context),
        last_(all.config.count - 1),
        barrier_(make_barrier(all.config.chosen_barrier(), context, place_behind(), all.kept)) {}

  // Only around the last crossing, as looking at each would be measured with it.
  void prepare(std::uint64_t operation) override {
    if (operation == last_) context_.store(arrival_of(context_, context_.rank()), 1);
  }
  void perform(std::uint64_t /*operation*/) override { barrier_->cross(); }
  word_t end() override {
    return context_.load(arrival_of(context_, (context_.rank() + 1) % context_.size()));
  }

 private:
  program_context& context_;
  std::uint64_t last_;
  std::unique_ptr<barrier> barrier_;
};

class lock_part final : public part {
 public:
  lock_part(program_context& context, const whole& all)
      : context_(context),
        held_(all.config.held),
        lock_(make_lock(all.config.lock, context, place_behind(), all.kept)) {
    // A home knows of its lock before anybody asks for it.
    context.fetch_add(address_of(context, second_protected), 1);
    const std::uint32_t elements = context.size();
    context.spin(address_of(context, second_protected),
                 [elements](word_t here) { return here == elements; });
  }

  void perform(std::uint64_t /*operation*/) override {
    const std::uint64_t word = address_of(context_, first_protected);
    lock_->acquire();
    const word_t before = context_.load(word);
    context_.delay(held_);
    context_.store(word, before + 1);
    lock_->release();
    ++sections_;
  }
  word_t end() override { return sections_; }

 private:
  program_context& context_;
  std::uint64_t held_;
  std::unique_ptr<mutual_exclusion_lock> lock_;
  word_t sections_ = 0;
};

class readers_writers_part final : public part {
 public:
  readers_writers_part(program_context& context, const whole& all)
      : context_(context),
        config_(all.config),
        lock_(make_readers_writers_lock(config_.readers_writers, context, place_behind())) {}

  void prepare(std::uint64_t /*operation*/) override {
    writes_ = config_.reads_a_write != 0 && context_.random(config_.reads_a_write) == 0;
  }
  void perform(std::uint64_t /*operation*/) override { writes_ ? write() : read(); }
  word_t end() override { return written_; }

 private:
  void write() {
    lock_->acquire_write();
    const word_t before = context_.load(address_of(context_, first_protected));
    context_.store(address_of(context_, first_protected), before + 1);
    context_.delay(config_.held);
    context_.store(address_of(context_, second_protected), before + 1);
    lock_->release_write();
    ++written_;
  }
  void read() {
    lock_->acquire_read();
    const word_t first = context_.load(address_of(context_, first_protected));
    context_.delay(config_.held);
    const word_t second = context_.load(address_of(context_, second_protected));
    lock_->release_read();
    if (first == second) return;
    throw simulation_error(fmt::format(
        "a reader met a writer: it read {} and {}, which are written together", first, second));
  }

  program_context& context_;
  const coordination_config& config_;
  std::unique_ptr<readers_writers_lock> lock_;
  bool writes_ = false;
  word_t written_ = 0;
};

class queue_part final : public part {
 public:
  // Room for an item of each, so that nobody waits for room.
  queue_part(program_context& context, const whole& all)
      : context_(context),
        count_(all.config.count),
        queue_(context, place_behind(), context.size()) {}

  void perform(std::uint64_t operation) override {
    while (!queue_.enqueue(context_.rank() * count_ + operation)) {
    }
    std::optional<word_t> item;
    while (!item) item = queue_.dequeue();
    sum_ += *item;
  }
  word_t end() override { return sum_; }

 private:
  program_context& context_;
  std::uint64_t count_;
  fetch_add_queue queue_;
  word_t sum_ = 0;
};

class loop_part final : public part {
 public:
  loop_part(program_context& context, whole& all)
      : context_(context), all_(all), loop_(context, place_behind()) {}

  void perform(std::uint64_t operation) override {
    const std::uint64_t elements = context_.size();
    loop_.run(elements, 1, [&](std::uint64_t i) {
      all_.iterations.take(operation * elements + i, "the iteration of a loop");
      context_.delay(all_.config.held);
      ++iterations_;
    });
  }
  word_t end() override { return iterations_; }

 private:
  program_context& context_;
  whole& all_;
  self_scheduled_loop loop_;
  word_t iterations_ = 0;
};

class coordination_program final : public program {
 public:
  coordination_program(whole all, std::uint32_t elements)
      : all_(std::move(all)), elements_(elements) {}

  void reset() override {
    const std::uint64_t operations = all_.config.count * elements_;
    all_.counters.resize(all_.config.counter_words());
    for (seen_once& counter : all_.counters) counter.reset(operations);
    all_.iterations.reset(operations);
  }
  std::vector<std::string> marks() const override { return {operation_name}; }

  void run(program_context& context) override {
    const std::unique_ptr<part> mine = make_part(context);
    for (std::uint64_t i = 0; i < all_.config.count; ++i) {
      mine->prepare(i);
      context.begin(operation_name);
      mine->perform(i);
      context.end(operation_name);
      context.mark(operation_name);
      context.delay(all_.config.pause);
    }
    context.fetch_add(address_of(context, found), mine->end());
    context.fence();
    if (context.fetch_add(address_of(context, ended), 1) + 1 == elements_) check(context);
  }

 private:
  std::unique_ptr<part> make_part(program_context& context) {
    switch (all_.config.work) {
      case coordinated_work::counter:
      case coordinated_work::counters:
        return std::make_unique<counters_part>(context, all_);
      case coordinated_work::barrier:
        return std::make_unique<barrier_part>(context, all_);
      case coordinated_work::lock:
        return std::make_unique<lock_part>(context, all_);
      case coordinated_work::readers_writers:
        return std::make_unique<readers_writers_part>(context, all_);
      case coordinated_work::queue:
        return std::make_unique<queue_part>(context, all_);
      case coordinated_work::loop:
        return std::make_unique<loop_part>(context, all_);
    }
    throw error("no such work");
  }

  /// What all have found together.
  word_t expected(program_context& context) const {
    const word_t operations = all_.config.count * elements_;
    switch (all_.config.work) {
      case coordinated_work::barrier:
        return elements_;
      case coordinated_work::readers_writers:
        return context.load(address_of(context, first_protected));
      case coordinated_work::queue:
        return operations * (operations - 1) / 2;
      default:
        return operations;
    }
  }

  void check(program_context& context) const {
    const word_t all_found = context.load(address_of(context, found));
    check_equal(all_found, expected(context));
    if (all_.config.work == coordinated_work::lock) {
      check_equal(context.load(address_of(context, first_protected)), all_found);
    }
    if (all_.counts()) check_equal(sum(context), all_found);
  }

  word_t sum(program_context& context) const {
    word_t all = 0;
    for (std::uint32_t i = 0; i < all_.config.counter_words(); ++i) {
      all += context.load(place_behind().central(context, i));
    }
    return all;
  }

  static void check_equal(word_t seen, word_t expected) {
    if (seen == expected) return;
    throw simulation_error(
        fmt::format("the elements found {} all together instead of {}", seen, expected));
  }

  whole all_;
  std::uint32_t elements_;
};

}  // namespace

void coordination_config::bind(parameter_set& parameters) {
  using u64 = interval<std::uint64_t>;
  const u64 cycles{0, std::uint64_t{1} << 40};
  parameters.add_choice("work", work,
                        {{"counter", coordinated_work::counter},
                         {"counters", coordinated_work::counters},
                         {"barrier", coordinated_work::barrier},
                         {"lock", coordinated_work::lock},
                         {"readers_writers", coordinated_work::readers_writers},
                         {"queue", coordinated_work::queue},
                         {"loop", coordinated_work::loop}},
                        "What an operation is: a fetch-and-add of one word, or of one of several, "
                        "a crossing, a critical section, a "
                        "reader's or writer's section, an item in and one out, a shared loop.");
  parameters.add("count", count, u64{1, 100000}, "", "Operations of each element.");
  parameters.add("pause", pause, cycles, "cycles", "From one operation to the next.");
  parameters.add("held", held, cycles, "cycles", "In a section, or an iteration.");
  parameters.add("counters", counters, interval<std::uint32_t>{1, 65536}, "words",
                 "Words of the work counters; elements draw one for each operation.");
  parameters.add_choice("barrier", barrier, barrier_algorithms({barrier_algorithm::flash}),
                        "Barrier of the work barrier.");
  parameters.add_choice("lock", lock,
                        lock_algorithms({lock_algorithm::ll_sc, lock_algorithm::flash}),
                        "Lock of the work lock.");
  parameters.add_choice("readers_writers", readers_writers, readers_writers_algorithms(),
                        "Lock of the work readers_writers.");
  parameters.add("reads_a_write", reads_a_write, cycles, "",
                 "One section in so many is a writer's, drawn; 0: none is.");
  parameters.add("radix", radix, interval<std::uint32_t>{1, barrier_state::most_children},
                 "children", "Of a node in the trees of the barrier flash.");
}

std::unique_ptr<program> make_coordination_program(const coordination_config& config,
                                                   const address_map& map,
                                                   const kept_synchronization& kept) {
  const std::string key = "workload.program.coordination";
  check_barrier(key, config.chosen_barrier(), kept);
  check_lock(key, config.lock, kept, 1);
  return std::make_unique<coordination_program>(whole{config, kept, {}, {}},
                                                map.modules() * kept.processes);
}

}  // namespace tributary
