// SPDX-License-Identifier: Apache-2.0
#include <tributary/algorithms/scattered_references.h>

#include <limits>

#include <tributary/sim/ids.h>

namespace tributary {

scattered_references::scattered_references(program_context& context)
    : context_(context),
      modules_(context.random(std::numeric_limits<std::uint64_t>::max()), context.rank(),
               static_cast<std::uint32_t>(purpose::traffic)) {}

void scattered_references::perform(std::uint64_t count) {
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto module = static_cast<std::uint32_t>(modules_.below(context_.nodes()));
    context_.load(context_.shared_address(mm_id{module}, first_row + context_.rank()));
  }
}

}  // namespace tributary
