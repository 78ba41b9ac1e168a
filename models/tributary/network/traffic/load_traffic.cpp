// SPDX-License-Identifier: Apache-2.0
#include <tributary/network/traffic/load_traffic.h>

#include <string>
#include <utility>

#include <tributary/sim/error.h>
#include <tributary/sim/state_archive.h>

namespace tributary {
namespace {

const load_traffic::options& checked_load(const load_traffic::options& wanted) {
  if (wanted.long_share >= 0 && wanted.long_share <= 1) return wanted;
  throw configuration_error({"traffic.long_share", "",
                             std::to_string(wanted.long_share) + " is no share", "0 to 1",
                             "choose a value in the range"});
}

}  // namespace

double load_traffic::options::mean_bytes() const {
  return (1 - long_share) * static_cast<double>(bytes) +
         long_share * static_cast<double>(long_bytes);
}

load_traffic::load_traffic(const options& wanted, destination_pattern destinations)
    : options_(checked_load(wanted)),
      destinations_(std::move(destinations)),
      gaps_(wanted.load / wanted.mean_bytes()),
      long_share_(probability_threshold(wanted.long_share)) {}

void load_traffic::begin(traffic_hosts& hosts) {
  senders_.clear();
  posted_bytes_ = 0;
  for (std::uint32_t h = 0; h < hosts.count(); ++h) {
    const node_id here{h};
    senders_.push_back({random_stream(options_.seed, here, purpose::arrival),
                        random_stream(options_.seed, here, purpose::traffic)});
    if (!destinations_.sends(here)) continue;
    hosts.call(here, first_traffic_cycle - 1 + gaps_.draw(senders_[h].gaps));
  }
}

void load_traffic::called(traffic_hosts& hosts, node_id host, cycle_t now) {
  sender& from = senders_[index(host)];
  const node_id to = destinations_.draw(host, from.messages);
  const bool is_long = from.messages.bernoulli(long_share_);
  const std::uint64_t bytes = is_long ? options_.long_bytes : options_.bytes;
  posted_bytes_ += bytes;
  hosts.host(host).post(to, bytes, now);
  hosts.call(host, now + gaps_.draw(from.gaps));
}

std::string load_traffic::save() const { return save_state(senders_, posted_bytes_); }
void load_traffic::restore(const std::string& state) {
  restore_state(state, senders_, posted_bytes_);
}

}  // namespace tributary
