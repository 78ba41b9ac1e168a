// SPDX-License-Identifier: Apache-2.0
#include "ideal_machine.h"

#include <string>
#include <utility>
#include <vector>

#include <tributary/sim/error.h>
#include <tributary/sim/random_stream.h>

namespace tributary::testing {

ideal_machine::ideal_machine(const ideal_config& config, std::uint64_t seed,
                             std::unique_ptr<program> what)
    : slowest_(config.slowest),
      map_(address_map_config(), config.elements),
      ports_(config.interface, map_, 0, 1, config.elements),
      work_(config.programs, std::move(what), config.processor, map_, seed),
      random_(seed, 0, purpose::traffic) {}

ideal_machine::~ideal_machine() = default;

void ideal_machine::run(cycle_t at_most) {
  while (!work_.finished() || !ports_.idle()) {
    if (now_ == at_most) {
      throw simulation_error("programs have not ended after " + std::to_string(at_most) +
                             " cycles\n" + work_.waiting_report(now_, ports_));
    }
    step();
  }
}

word_t ideal_machine::word(std::uint64_t address) const {
  const auto found = words_.find(address);
  return found == words_.end() ? 0 : found->second;
}

void ideal_machine::step() {
  ++now_;
  responses_.clear();
  work_.advance(now_, ports_);
  const std::vector<std::uint8_t> both(ports_.count(), 3);
  const std::vector<std::uint8_t> local(ports_.count(), 1);
  ports_.depart(both.data(), local.data());
  ports_.advance();
  const auto take = [this](std::size_t, const packet& request) { start(request); };
  ports_.release_requests(now_, take, take);
  while (!ways_.empty() && ways_.begin()->first == now_) {
    way what = ways_.begin()->second;
    ways_.erase(ways_.begin());
    arrive(what);
  }
  work_.deliver(now_, responses_);
}

void ideal_machine::start(const packet& request) {
  ways_.emplace(now_ + 1 + random_.below(slowest_), way{false, request, 0});
}

void ideal_machine::arrive(way& what) {
  if (what.served) {
    reply response;
    response.value = what.value;
    response.sequence = what.request.sequence;
    response.pe = what.request.pe;
    responses_.push_back(ports_.deliver(response.pe, response, now_));
    return;
  }
  word_t& word = words_[what.request.address()];
  what.value = word;
  word = apply(what.request.function(), word);
  what.served = true;
  ways_.emplace(now_ + 1 + random_.below(slowest_), what);
}

}  // namespace tributary::testing
