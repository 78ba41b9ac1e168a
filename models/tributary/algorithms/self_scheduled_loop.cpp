// SPDX-License-Identifier: Apache-2.0
#include <tributary/algorithms/self_scheduled_loop.h>

#include <tributary/sim/error.h>

namespace tributary {

self_scheduled_loop::self_scheduled_loop(program_context& context, const memory_place& place)
    : context_(context), index_(place.central(context, 0)) {}

void self_scheduled_loop::open(std::uint64_t iterations, std::uint64_t chunk) {
  if (chunk == 0) {
    throw configuration_error({"self_scheduled_loop.chunk", "", "0 is out of range",
                               "1 or more iterations",
                               "choose how many iterations are taken at a time"});
  }
  // Rounded up without overflow.
  end_ = begin_ + iterations / chunk + (iterations % chunk == 0 ? 0 : 1);
  if (!drawn_) draw();
  drawn_ = true;
}

void self_scheduled_loop::draw() { ticket_ = context_.fetch_add(index_, 1); }

}  // namespace tributary
