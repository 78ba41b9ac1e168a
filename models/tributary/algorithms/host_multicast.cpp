// SPDX-License-Identifier: Apache-2.0
#include <tributary/algorithms/host_multicast.h>

#include <algorithm>
#include <vector>

namespace tributary {
namespace {

void pass_on(multi_send_driver& driver, const std::vector<std::uint32_t>& children,
             const multicast_way& way, std::uint64_t from, std::uint64_t bytes) {
  if (children.empty()) return;
  if (way.assisted) {
    driver.send_message(children, from, bytes);
    return;
  }
  for (const std::uint32_t child : children) driver.send_message({child}, from, bytes);
}

}  // namespace

void multicast(multi_send_driver& driver, std::uint32_t rank, const collective_tree& tree,
               const multicast_way& way, std::uint64_t at, std::uint64_t bytes) {
  const std::vector<std::uint32_t>& children = tree.children[rank];
  if (!way.pipelined) {
    if (rank != 0) driver.receive_message(at, bytes);
    pass_on(driver, children, way, at, bytes);
    return;
  }
  std::uint64_t done = 0;
  while (done < bytes) {
    const std::uint64_t packet = rank == 0
                                     ? std::min<std::uint64_t>(driver.packet_bytes(), bytes - done)
                                     : driver.receive(at + done).bytes;
    pass_on(driver, children, way, at + done, packet);
    done += packet;
  }
}

}  // namespace tributary
