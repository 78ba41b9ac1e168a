// SPDX-License-Identifier: Apache-2.0
// What co-simulation costs: the wrapper around one switch, and RTL beside the models (goal G7).
#include <array>
#include <cstdint>
#include <memory>

#include <benchmark/benchmark.h>
#include <network_improved_16.h>
#include <network_improved_8.h>
#include <switch_improved.h>

#include <tributary/rtl/verilated_switch.h>
#include <ultracomputer/rtl_switches.h>
#include <ultracomputer/ultracomputer.h>

#include "contest.h"
#include "opponents.h"
#include "rtl_machine.h"
#include "timed.h"

namespace tributary::benchmarks {
namespace {

constexpr double most_of_wrapper = 2;  // at least half the speed of the bare loop
constexpr double least_against_rtl = 5;
constexpr std::uint64_t switch_cycles = 40'000;

using design = switch_improved;

/// Requests that meet at two words of either output, and their memory: what both sides send.
class traffic_source {
 public:
  packet request(unsigned input) {
    packet next;
    next.kind = form::add;
    next.location = location_of(mm_id{(count_ >> 2) & 1U}, 8 * ((count_ >> 3) & 1U));
    next.a = count_;
    next.pe = static_cast<std::uint16_t>(input);
    next.sequence = count_++;
    return next;
  }
  static unsigned output_of(const packet& request) { return index(request.module()) & 1U; }

 private:
  std::uint32_t count_ = 0;
};

void run_wrapped(benchmark::State& state) {
  verilated_switch<design> device(0);
  switch_implementation& ports = device;
  traffic_source source;
  switch_traffic arriving;
  for (auto _ : state) {
    for (std::uint64_t cycle = 0; cycle < switch_cycles; ++cycle) {
      const switch_traffic& leaving = ports.depart({3, 3}, {true, true});
      for (unsigned i = 0; i < 2; ++i) {
        arriving.requests[i].reset();
        const packet next = source.request(i);
        if (((ports.request_ready(i) >> traffic_source::output_of(next)) & 1U) != 0) {
          arriving.requests[i] = next;
        }
        // Memory answers at once.
        arriving.replies[i].reset();
        if (leaving.requests[i] && ports.reply_ready(i)) {
          const packet& served = *leaving.requests[i];
          arriving.replies[i] = reply{served.a, served.sequence, served.pe, 0};
        }
      }
      ports.commit(arriving);
    }
  }
}

/// The same traffic at the ports of Verilator's class, each settled twice a cycle.
class bare_switch {
 public:
  bare_switch() : model_(std::make_unique<design::model>(&context_)) {
    model_->rst_ni = 0;
    clock();
    model_->rst_ni = 1;
    model_->request_ready_i = 0xf;
    model_->response_ready_i = 3;
  }
  ~bare_switch() { model_->final(); }

  void step(traffic_source& source) {
    model_->clk_i = 0;
    model_->eval();
    model_->request_valid_i = 0;
    model_->response_valid_i = 0;
    for (unsigned i = 0; i < 2; ++i) {
      const packet next = source.request(i);
      const unsigned ready = 2 * i + traffic_source::output_of(next);
      if (((model_->request_ready_o >> ready) & 1) != 0) drive(i, next);
      const bool leaves = ((model_->request_valid_o >> i) & 1) != 0;
      if (leaves && ((model_->response_ready_o >> i) & 1) != 0) answer(i);
    }
    clock();
  }

 private:
  void clock() {
    model_->clk_i = 1;
    model_->eval();
  }
  void drive(unsigned input, const packet& request) {
    model_->request_valid_i = static_cast<CData>(model_->request_valid_i | (1U << input));
    layout.set_at(model_->request_i, input, request);
  }
  void answer(unsigned output) {
    model_->response_valid_i = static_cast<CData>(model_->response_valid_i | (1U << output));
    const packet served = layout.read_at<packet>(model_->request_o, output);
    layout.set_at(model_->response_i, output, reply{served.a, served.sequence, served.pe, 0});
  }

  static constexpr message_layout layout{design::parameters};

  VerilatedContext context_;
  std::unique_ptr<design::model> model_;
};

void run_bare(benchmark::State& state) {
  bare_switch device;
  traffic_source source;
  for (auto _ : state) {
    for (std::uint64_t cycle = 0; cycle < switch_cycles; ++cycle) device.step(source);
  }
}

contest wrapped_switch() {
  contest row;
  row.id = "G7.wrapper";
  row.title =
      "one verilated switch as switch_implementation, compared with a bare loop over the same "
      "model";
  row.judged = comparison::cost;
  row.goal = most_of_wrapper;
  row.items = static_cast<double>(switch_cycles);
  row.ours = run_wrapped;
  row.other = run_bare;
  return row;
}

bench_case rtl_case(std::uint32_t elements) {
  bench_case chosen = short_uniform_case(elements);
  chosen.warmup = 250;
  return chosen;
}

/// The models against `what`, which simulates `rtl_cycles`, since it needs longer for each.
contest models_against(const std::string& id, const std::string& what, const bench_case& chosen,
                       std::uint64_t rtl_cycles) {
  contest row;
  row.id = id;
  row.title = "the models, compared with " + what + ", " + chosen.id;
  row.judged = comparison::speed;
  row.goal = least_against_rtl;
  row.other_share = static_cast<double>(rtl_cycles) / static_cast<double>(chosen.cycles);
  row.ours = timed<ultracomputer>(chosen);
  return row;
}

contest network_against_rtl(std::uint32_t elements, std::uint64_t rtl_cycles) {
  const bench_case chosen = rtl_case(elements);
  contest row = models_against("G7." + std::to_string(elements),
                               "a network whose every switch is verilated RTL", chosen, rtl_cycles);
  row.other = timed_steps(
      [chosen] {
        ultracomputer_config config = chosen.machine;
        config.network.rtl = "all";
        use_built_rtl(config.network, 1);
        return std::make_unique<ultracomputer>(config, 1);
      },
      chosen.warmup, rtl_cycles);
  return row;
}

/// The whole network as one model, without assertions.
template <class Design>
contest network_against_whole_rtl(std::uint64_t rtl_cycles) {
  const bench_case chosen = rtl_case(1U << Design::stages);
  contest row =
      models_against("G7.network." + std::to_string(chosen.machine.network.processing_elements),
                     "a network that is one verilated model", chosen, rtl_cycles);
  row.other = [chosen, rtl_cycles](benchmark::State& state) {
    rtl_machine<Design> machine(chosen.machine, 1);
    machine.step(chosen.warmup);
    for (auto _ : state) machine.step(rtl_cycles);
    machine.check_against_models();
  };
  return row;
}

}  // namespace

std::vector<contest> rtl_contests() {
  return {wrapped_switch(),
          network_against_rtl(64, 500),
          network_against_rtl(16, 2000),
          network_against_rtl(8, 4000),
          network_against_whole_rtl<network_improved_16>(2000),
          network_against_whole_rtl<network_improved_8>(4000)};
}

}  // namespace tributary::benchmarks
