// SPDX-License-Identifier: Apache-2.0
#include "interruption.h"

#include <csignal>
#include <initializer_list>

namespace tributary {
namespace {

// A signal handler reaches nothing but globals.
std::atomic<bool> interruption{false};
static_assert(std::atomic<bool>::is_always_lock_free);

void on_signal(int) { interruption.store(true); }

}  // namespace

const std::atomic<bool>& watch_for_interruption() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  sigemptyset(&action.sa_mask);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    // What is ignored stays so: nohup lets a run go on when its terminal closes.
    struct sigaction before {};
    sigaction(signal, nullptr, &before);
    if (before.sa_handler == SIG_IGN) continue;
    // Of a terminal that closes both the shell and the kernel tell: the second is no haste.
    action.sa_flags = signal == SIGHUP ? SA_RESTART : static_cast<int>(SA_RESETHAND | SA_RESTART);
    sigaction(signal, &action, nullptr);
  }
  return interruption;
}

}  // namespace tributary
