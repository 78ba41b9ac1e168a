// SPDX-License-Identifier: Apache-2.0
#include "cluster_engine.h"

#include <algorithm>
#include <utility>

#include <tributary/network/switching/channel_network.h>

#ifdef TRIBUTARY_WITH_SYSTEMC
#include "cluster_platform.h"
#endif

namespace tributary {
namespace {

/// A plain loop, from one cycle in which something happens to the next.
class cluster_loop final : public cluster_engine {
 public:
  cluster_loop(std::unique_ptr<message_network> network, traffic_kernel& kernel,
               const endpoint_in_front& in_front)
      : network_(std::move(network)), run_(*network_, kernel, in_front) {
    if (auto* const loses = dynamic_cast<channel_network*>(network_.get())) {
      loses->on_discard([this](const network_transfer& packet, cycle_t) { run_.lost(packet); });
    }
  }

  message_network& network() override { return *network_; }
  traffic_run& traffic() override { return run_; }
  cycle_t now() const override { return run_.now(); }

  void run_until(cycle_t last, const std::function<void(cycle_t)>& tell) override {
    if (!tell) {
      run_.run_until(last);
      return;
    }
    while (now() < last && !run_.finished()) {
      run_.run_until(std::min(last, run_.next_wakeup()));
      tell(now());
    }
  }
  void reset_statistics() override { run_.reset_statistics(); }

 private:
  std::unique_ptr<message_network> network_;
  traffic_run run_;
};

}  // namespace

std::unique_ptr<cluster_engine> make_cluster_engine(engine_kind engine,
                                                    std::unique_ptr<message_network> network,
                                                    traffic_kernel& kernel,
                                                    const endpoint_in_front& in_front) {
  require_engine(engine);
#ifdef TRIBUTARY_WITH_SYSTEMC
  if (engine == engine_kind::systemc) {
    return std::make_unique<cluster_platform>(std::move(network), kernel, in_front);
  }
#endif
  return std::make_unique<cluster_loop>(std::move(network), kernel, in_front);
}

}  // namespace tributary
