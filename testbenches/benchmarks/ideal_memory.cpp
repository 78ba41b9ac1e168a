// SPDX-License-Identifier: Apache-2.0
#include "ideal_memory.h"

#include <utility>

namespace tributary::benchmarks {
namespace {

program_config without_records() {
  program_config config;
  config.replay_limit = 0;
  return config;
}

}  // namespace

/// One processor's, with one access under way.
class ideal_memory::port final : public processor_port, private timed_block {
 public:
  explicit port(ideal_memory& all) : all_(all) {}

  void set_client(memory_client* client) override { client_ = client; }
  void check(std::size_t, const access&) const override {}
  bool can_take(std::size_t) const override { return !open_; }
  void offer(std::size_t element, const access& request, cycle_t now) override {
    open_ = true;
    const word_t before = all_.perform(request, now);
    told_ = {pe_id{static_cast<std::uint32_t>(element)}, request.tag, before};
    all_.time_.wake(*this, now, 0, wake_rank::processor);
  }
  std::size_t waiting(std::size_t) const override { return 0; }
  std::size_t outstanding(std::size_t) const override { return open_ ? 1 : 0; }
  bool watch(std::uint64_t address, word_t value) override {
    if (open_ || all_.words_.read(address / word_bytes) != value) return false;
    watched_ = all_.watched_.emplace(address, this);
    return true;
  }
  void end_watch(const access&, std::uint64_t, cycle_t) override { all_.watched_.erase(watched_); }

  void disturb(cycle_t now) { client_->disturbed(index(told_.pe), now); }

 private:
  void wake(cycle_t now, std::uint64_t) override {
    open_ = false;
    client_->completed(told_, now);
    if (!open_) client_->room(index(told_.pe), now);
  }

  ideal_memory& all_;
  memory_client* client_ = nullptr;
  bool open_ = false;
  completion told_;
  std::multimap<std::uint64_t, port*>::iterator watched_;
};

ideal_memory::ideal_memory(const address_map& map, const processing_element_config& processor,
                           std::unique_ptr<program> what)
    : processor_(processor),
      work_(without_records(), std::move(what), processor, map, 1),
      elements_(work_) {
  for (std::uint32_t i = 0; i < map.modules(); ++i) {
    ports_.push_back(std::make_unique<port>(*this));
    elements_.add(i, time_, *ports_.back());
  }
}

ideal_memory::~ideal_memory() = default;

word_t ideal_memory::perform(const access& request, cycle_t now) {
  const std::uint64_t location = request.address / word_bytes;
  const word_t before = words_.read(location);
  if (request.function.kind == form::identity) return before;
  // Each that is told ends its watch.
  for (auto at = watched_.find(request.address); at != watched_.end();
       at = watched_.find(request.address)) {
    at->second->disturb(now);
  }
  words_.write(location, apply(request.function, before));
  return before;
}

void ideal_memory::run() {
  elements_.let_park(processor_.turnaround);
  while (!work_.finished()) time_.advance_to(time_.next_wakeup());
  elements_.end_parking();
}

}  // namespace tributary::benchmarks
