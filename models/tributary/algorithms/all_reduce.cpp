// SPDX-License-Identifier: Apache-2.0
#include <tributary/algorithms/all_reduce.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <tributary/algorithms/dissemination_barrier.h>
#include <tributary/algorithms/memory_place.h>
#include <tributary/sim/error.h>
#include <tributary/sim/parameters.h>

namespace tributary {
namespace {

constexpr const char* interval_name = "reduction";

/// An operation of integers as memory performs it, and the word that changes no other.
struct phi {
  operation performed;
  word_t neutral;
};

phi phi_of(reduction_operation reduced) {
  constexpr auto least = static_cast<word_t>(std::numeric_limits<std::int64_t>::min());
  switch (reduced) {
    case reduction_operation::min:
      return {operation::fetch_min, ~least};
    case reduction_operation::max:
      return {operation::fetch_max, least};
    case reduction_operation::min_unsigned:
      return {operation::fetch_min_unsigned, ~word_t{0}};
    case reduction_operation::max_unsigned:
      return {operation::fetch_max_unsigned, 0};
    case reduction_operation::bit_and:
      return {operation::fetch_and, ~word_t{0}};
    case reduction_operation::bit_or:
      return {operation::fetch_or, 0};
    case reduction_operation::bit_xor:
      return {operation::fetch_xor, 0};
    default:
      return {operation::fetch_add, 0};
  }
}

/// One element's end of a reduction.
class reduction {
 public:
  reduction() = default;
  reduction(const reduction&) = delete;
  reduction& operator=(const reduction&) = delete;
  virtual ~reduction() = default;
  virtual word_t reduce(word_t value) = 0;
};

/// Three words take turns. Behind the barrier of a step all have read the word of the step before,
/// so that it can be made neutral for the next step but one.
class fetch_and_phi_reduction final : public reduction {
 public:
  fetch_and_phi_reduction(program_context& context, reduction_operation reduced)
      : context_(context), phi_(phi_of(reduced)), end_(context, memory_place{}, false) {
    for (std::uint64_t i = 0; i < words && context.rank() == 0; ++i) reset(i);
    end_.cross();
  }

  word_t reduce(word_t value) override {
    context_.perform(phi_.performed, word(step_), value);
    end_.cross();
    const word_t result = context_.load(word(step_));
    if (context_.rank() == 0) reset(step_ + words - 1);
    ++step_;
    return result;
  }

 private:
  static constexpr std::uint64_t words = 3;

  std::uint64_t word(std::uint64_t step) const {
    return memory_place{}.central(context_, step % words);
  }
  void reset(std::uint64_t step) { context_.store(word(step), phi_.neutral); }

  program_context& context_;
  phi phi_;
  dissemination_barrier end_;
  std::uint64_t step_ = 0;
};

class controllers_reduction final : public reduction {
 public:
  controllers_reduction(program_context& context, const flash_reduction_place& place,
                        const barrier_trees& trees, reduction_operation reduced)
      : reduction_(context, place, trees, reduced) {}
  word_t reduce(word_t value) override { return reduction_.reduce(value); }

 private:
  flash_reduction reduction_;
};

/// What an element gives in a step: integers of all sizes; doubles so far apart that the order of
/// a sum matters.
word_t value_of(std::uint32_t rank, std::uint64_t step, bool is_double) {
  const word_t mixed = (step * 0x9e3779b97f4a7c15 + rank + 1) * 0xbf58476d1ce4e5b9;
  const word_t drawn = mixed ^ mixed >> 29;
  if (!is_double) return drawn >> drawn % 61;
  const double value = std::ldexp(static_cast<double>(static_cast<std::int64_t>(drawn)),
                                  static_cast<int>(drawn % 41) - 80);
  word_t word = 0;
  std::memcpy(&word, &value, sizeof word);
  return word;
}

class all_reduce_program final : public program {
 public:
  all_reduce_program(const all_reduce_config& config,
                     const std::optional<flash_reduction_place>& controllers)
      : config_(config), controllers_(controllers) {}

  void reset() override { results_.clear(); }

  void run(program_context& context) override {
    const std::unique_ptr<reduction> end = make_end(context);
    for (std::uint64_t step = 0; step < config_.count; ++step) {
      context.delay(context.random(config_.skew + 1));
      if (step != 0) context.begin(interval_name);
      const word_t result =
          end->reduce(value_of(context.rank(), step, is_of_doubles(config_.operation)));
      if (step != 0) context.end(interval_name);
      check(context, step, result);
    }
  }

 private:
  barrier_trees trees(std::uint32_t elements) const {
    return {elements, config_.join_radix, config_.release_radix};
  }

  std::unique_ptr<reduction> make_end(program_context& context) const {
    if (config_.reduction == reduction_algorithm::flash) {
      return std::make_unique<controllers_reduction>(context, *controllers_, trees(context.size()),
                                                     config_.operation);
    }
    return std::make_unique<fetch_and_phi_reduction>(context, config_.operation);
  }

  void check(const program_context& context, std::uint64_t step, word_t result) {
    // The same whoever comes first.
    while (results_.size() <= step) results_.push_back(result_of(context.size(), results_.size()));
    const word_t expected = results_[static_cast<std::size_t>(step)];
    if (result == expected) return;
    throw simulation_error(fmt::format("reduction {} gave element {} {:#x} instead of {:#x}", step,
                                       context.rank(), result, expected));
  }
  word_t result_of(std::uint32_t elements, std::uint64_t step) const {
    std::vector<word_t> words;
    for (std::uint32_t rank = 0; rank < elements; ++rank) {
      words.push_back(value_of(rank, step, is_of_doubles(config_.operation)));
    }
    return reduced(trees(elements), config_.operation, words.data());
  }

  all_reduce_config config_;
  std::optional<flash_reduction_place> controllers_;
  std::vector<word_t> results_;  // by step
};

}  // namespace

void all_reduce_config::bind(parameter_set& parameters) {
  using u64 = interval<std::uint64_t>;
  using kind = reduction_operation;
  parameters.add_choice("reduction", reduction,
                        {{"fetch_and_phi", reduction_algorithm::fetch_and_phi},
                         {"flash", reduction_algorithm::flash}},
                        "Fetch-and-phi operations on one word and a barrier; or the controllers of "
                        "a FLASH machine with reductions.count above 0.");
  parameters.add_choice("operation", operation,
                        {{"sum", kind::sum},
                         {"min", kind::min},
                         {"max", kind::max},
                         {"min_unsigned", kind::min_unsigned},
                         {"max_unsigned", kind::max_unsigned},
                         {"bit_and", kind::bit_and},
                         {"bit_or", kind::bit_or},
                         {"bit_xor", kind::bit_xor},
                         {"double_sum", kind::double_sum},
                         {"double_min", kind::double_min},
                         {"double_max", kind::double_max}},
                        "What is made of the words of all elements.");
  parameters.add("count", count, u64{1, 1000000}, "", "Reductions of each element.");
  parameters.add("skew", skew, u64{0, std::uint64_t{1} << 40}, "cycles",
                 "An element computes for up to so many cycles before each reduction.");
  const interval<std::uint32_t> radices{1, barrier_state::most_children};
  parameters.add("join_radix", join_radix, radices, "children",
                 "Children of a node in the tree of joins of the reduction flash.");
  parameters.add("release_radix", release_radix, radices, "children",
                 "Children of a node in the tree of releases of the reduction flash.");
}

std::unique_ptr<program> make_all_reduce_program(
    const all_reduce_config& config, const std::optional<flash_reduction_place>& controllers) {
  const bool of_controllers = config.reduction == reduction_algorithm::flash;
  if (of_controllers && !controllers) {
    throw configuration_error({"workload.program.all_reduce.reduction", "",
                               "the controllers of this machine keep no reductions",
                               "fetch_and_phi",
                               "choose it, or set reductions.count of a FLASH "
                               "machine"});
  }
  if (!of_controllers && is_of_doubles(config.operation)) {
    throw configuration_error(
        {"workload.program.all_reduce.operation", "", "memory has no operations of doubles",
         "sum, min, max, min_unsigned, max_unsigned, bit_and, bit_or, bit_xor",
         "choose one of these, or set reduction to \"flash\""});
  }
  return std::make_unique<all_reduce_program>(config, controllers);
}

}  // namespace tributary
