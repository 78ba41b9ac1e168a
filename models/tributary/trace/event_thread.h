// SPDX-License-Identifier: Apache-2.0
// Tells events in a thread of its own, so that files are made while the machine goes on.
#pragma once

#include <memory>

#include <tributary/sim/cycle.h>
#include <tributary/sim/observer.h>
#include <tributary/trace/catalog.h>
#include <tributary/trace/event.h>
#include <tributary/trace/event_batch.h>

namespace tributary {

/// Takes the batches of a recorder, and tells its observers in a thread what a recorder would tell
/// them, in the same order. A few batches may wait; then the recorder waits too.
class event_thread final : public event_taker {
 public:
  /// `catalog` must outlive the last call of `take`.
  explicit event_thread(const trace_catalog& catalog);
  /// Ends the thread; what was not told is lost.
  ~event_thread() override;

  /// A copy of the catalog for the observers. Names that are added to the original are there before
  /// the events that have them.
  const trace_catalog& catalog() const;
  /// Attach them before the first batch; they must outlive the thread, which `finish` ends too.
  observer_list<trace_event>& observers();
  /// The same for who is to be told in which cycle the machine was when it reported the events that
  /// follow. What lasts may have begun before, or end later.
  observer_list<cycle_t>& cycles();

  /// Throws what an observer threw; nothing is told any more after that.
  void take(event_batch& batch) override;
  /// Tells the rest and ends the thread: from here on the observers are the caller's. Throws what
  /// an observer threw.
  void finish();

 private:
  struct implementation;
  std::unique_ptr<implementation> implementation_;
};

}  // namespace tributary
