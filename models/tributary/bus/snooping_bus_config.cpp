// SPDX-License-Identifier: Apache-2.0
#include <tributary/bus/snooping_bus_config.h>

#include <string>

#include <tributary/sim/error.h>
#include <tributary/sim/parameters.h>

namespace tributary {

void snooping_bus_config::bind(parameter_set& parameters) {
  using u32 = interval<std::uint32_t>;
  parameters.add("ratio", ratio, u32{1, 64}, "cycles",
                 "Cycles of the processors in one of the bus (HPCA 1997, section 2: 200 and 100 "
                 "MHz).");
  parameters.add("line_bytes", line_bytes, u32{least_line_bytes, most_line_bytes}, "bytes",
                 "A line, a power of two; the bus moves a doubleword a cycle (not published; 32 "
                 "bytes and 64 bits are proposed).");
  parameters.add("arbitration", arbitration, u32{0, 1000}, "bus cycles",
                 "From winning the address bus to the address phase, beside the phase before (not "
                 "published).");
  parameters.add("address", address, u32{1, 1000}, "bus cycles", "Address phase (not published).");
  parameters.add("snoop", snoop, u32{0, 1000}, "bus cycles",
                 "From the address phase until its answer is known (not published).");
  parameters.add("supply", supply, u32{0, 1000}, "bus cycles",
                 "From the answer until the owner of a line can move its first doubleword (not "
                 "published).");
  parameters.add("retry", retry, u32{1, 100000}, "bus cycles",
                 "From the answer retry until the master asks for the bus again (not published).");
  parameters.add("outstanding", outstanding, u32{1, 64}, "transactions",
                 "Between address phase and last doubleword (not published).");
  parameters.add("write_backs", write_backs, u32{1, 64}, "lines",
                 "Write-back buffer of a master (not published).");
  parameters.add("uncached", uncached, u32{1, 64}, "accesses",
                 "Uncached accesses that a master holds; they go one at a time (not published).");
}

void snooping_bus_config::validate() const {
  check_ranges(*this);
  if (!line_size::allows(line_bytes)) {
    throw configuration_error({"line_bytes", "",
                               std::to_string(line_bytes) + " is not a power of two",
                               "32, 64, 128 or 256 bytes", "choose one of them"});
  }
}

}  // namespace tributary
