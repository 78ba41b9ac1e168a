// SPDX-License-Identifier: Apache-2.0
#include <tributary/trace/event_thread.h>

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include <tributary/trace/event_order.h>

namespace tributary {
namespace {

/// Batches that may wait: enough to bridge a block that is compressed meanwhile.
constexpr std::size_t most_waiting = 24;

/// A batch, with what was added to the catalog before it.
struct parcel {
  event_batch events;
  std::vector<trace_catalog::added_name> names;
};

}  // namespace

struct event_thread::implementation {
  explicit implementation(const trace_catalog& source)
      : original(source), known_names(source.added_names().size()), copy(source) {
    order.reset(copy.tracks());
  }

  /// The thread.
  void run() {
    try {
      while (next()) tell();
    } catch (...) {
      const std::lock_guard<std::mutex> lock(mutex);
      failure = std::current_exception();
      waiting.clear();
      changed.notify_all();
    }
  }

  /// The next parcel into `told`, when it comes; false if none will come.
  bool next() {
    std::unique_lock<std::mutex> lock(mutex);
    told.events.clear();
    told.names.clear();
    if (empty.size() < most_waiting) empty.push_back(std::move(told.events));
    changed.wait(lock, [this] { return !waiting.empty() || ended; });
    if (waiting.empty() || abandoned) return false;
    told = std::move(waiting.front());
    waiting.pop_front();
    // Who waits for room is woken when there is enough for it to be worth it.
    if (waiting.size() == most_waiting / 2) changed.notify_all();
    return true;
  }

  void tell() {
    for (const trace_catalog::added_name& each : told.names) copy.add(each);
    std::size_t begin = 0;
    for (const auto& [cycle, end] : told.events.ends()) {
      cycles.notify(cycle);
      order.for_each(told.events.data() + begin, end - begin,
                     [this](const trace_event& event) { observers.notify(event); });
      begin = end;
    }
  }

  void check() const {
    if (failure) std::rethrow_exception(failure);
  }

  void end(bool at_once) noexcept {
    {
      const std::lock_guard<std::mutex> lock(mutex);
      ended = true;
      abandoned = abandoned || at_once;
    }
    changed.notify_all();
    if (thread.joinable()) thread.join();
  }

  const trace_catalog& original;
  std::size_t known_names;  // of the original, in the copy or on their way

  // The thread's, until it has ended.
  trace_catalog copy;
  event_order order;
  observer_list<trace_event> observers;
  observer_list<cycle_t> cycles;
  parcel told;

  std::mutex mutex;  // of all below
  std::condition_variable changed;
  std::deque<parcel> waiting;
  std::vector<event_batch> empty;  // to be filled again
  std::exception_ptr failure;
  bool ended = false;
  bool abandoned = false;

  std::thread thread;
};

event_thread::event_thread(const trace_catalog& catalog)
    : implementation_(std::make_unique<implementation>(catalog)) {}

event_thread::~event_thread() { implementation_->end(true); }

const trace_catalog& event_thread::catalog() const { return implementation_->copy; }
observer_list<trace_event>& event_thread::observers() { return implementation_->observers; }
observer_list<cycle_t>& event_thread::cycles() { return implementation_->cycles; }

void event_thread::take(event_batch& batch) {
  implementation& its = *implementation_;
  if (!its.thread.joinable() && !its.ended) its.thread = std::thread([&its] { its.run(); });
  parcel added;
  const auto& names = its.original.added_names();
  added.names.assign(names.begin() + static_cast<std::ptrdiff_t>(its.known_names), names.end());
  its.known_names = names.size();
  std::unique_lock<std::mutex> lock(its.mutex);
  if (its.waiting.size() >= most_waiting) {
    its.changed.wait(lock,
                     [&its] { return its.waiting.size() <= most_waiting / 2 || its.failure; });
  }
  if (its.failure) {
    batch.clear();
    its.check();
  }
  if (!its.empty.empty()) {
    added.events = std::move(its.empty.back());
    its.empty.pop_back();
  }
  std::swap(added.events, batch);
  its.waiting.push_back(std::move(added));
  if (its.waiting.size() == 1) its.changed.notify_all();
}

void event_thread::finish() {
  implementation_->end(false);
  implementation_->check();
}

}  // namespace tributary
