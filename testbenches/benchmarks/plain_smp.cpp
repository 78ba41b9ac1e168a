// SPDX-License-Identifier: Apache-2.0
#include "plain_smp.h"

#include <cmath>
#include <cstddef>
#include <deque>
#include <queue>
#include <random>
#include <vector>

namespace tributary::benchmarks::plain_smp {
namespace {

constexpr std::uint32_t nobody = ~std::uint32_t{0};

enum class duty : std::uint8_t {
  computing,
  waiting,
  resting,
  interrupted,
  serving_own,
  serving_drafted,
  serving_resting,
  resuming
};

enum class what : std::uint8_t {
  asks,       // the program, or ends
  submitted,  // the entry waits for whoever acts
  own_ready,  // the same, and its processor acts
  role_taken,
  handler_begins,
  handler_ends,
  reaches,  // the interrupt
  is_back,
  arrives  // a message
};

enum class step : std::uint8_t { request, serve, reply };

/// An entry of a queue, and a message.
struct entry {
  step at = step::request;
  std::uint32_t node = 0;  // that asks
  std::uint32_t processor = 0;
};

struct event {
  std::uint64_t when = 0;
  std::uint64_t number = 0;  // of events of one time the first goes first
  what kind = what::asks;
  std::uint32_t node = 0;
  std::uint32_t processor = 0;
  std::uint64_t turn = 0;  // of asks: an interrupted computing ends later
  entry about{};
};

struct later {
  bool operator()(const event& x, const event& y) const {
    return x.when != y.when ? x.when > y.when : x.number > y.number;
  }
};

struct processor_state {
  duty at = duty::computing;
  std::uint64_t asked = 0;
  std::uint64_t left = 0;  // requests
  std::uint64_t asks_at = 0;
  std::uint64_t turn = 0;
  std::uint64_t computes = 0;  // cycles that are left when it is back
  bool open = false;
  bool answered = false;
};

struct node_state {
  std::vector<processor_state> all;
  std::deque<entry> queue;
  entry runs{};
  std::uint32_t acting = nobody;
  std::uint32_t previous = nobody;
  std::uint32_t next_drafted = 0;
  bool starting = false;
  bool running = false;
};

bool acts(duty at) {
  return at == duty::serving_own || at == duty::serving_drafted || at == duty::serving_resting;
}

class simulation {
 public:
  explicit simulation(const options& chosen)
      : o_(chosen), nodes_(chosen.nodes), random_(chosen.seed) {
    const bool is_fixed = o_.kind == schedule::fixed;
    const std::uint32_t programs = is_fixed ? o_.processors - 1 : o_.processors;
    const double shortest =
        static_cast<double>(o_.submit + 3 * o_.handler + o_.resume + 2 * o_.network);
    times_ =
        std::exponential_distribution<double>((1 - o_.utilisation) / (shortest * o_.utilisation));
    for (std::uint32_t n = 0; n < o_.nodes; ++n) {
      nodes_[n].all.resize(o_.processors);
      for (std::uint32_t p = 0; p < programs; ++p) {
        nodes_[n].all[p].left = o_.requests / programs + (p < o_.requests % programs ? 1 : 0);
        compute(n, p, 1, drawn());
      }
      if (!is_fixed) continue;
      nodes_[n].acting = o_.processors - 1;
      nodes_[n].all.back().at = duty::serving_resting;
    }
  }

  outcome run() {
    while (!events_.empty()) {
      const event next = events_.top();
      events_.pop();
      now_ = next.when;
      happen(next);
    }
    if (found_.requests != 0) found_.round_trip /= static_cast<double>(found_.requests);
    return found_;
  }

 private:
  void at(std::uint64_t when, what kind, std::uint32_t node, std::uint32_t processor,
          const entry& about = {}) {
    events_.push({when, number_++, kind, node, processor, nodes_[node].all[processor].turn, about});
  }
  std::uint64_t drawn() { return static_cast<std::uint64_t>(std::llround(times_(random_))); }

  void compute(std::uint32_t n, std::uint32_t p, std::uint64_t from, std::uint64_t cycles) {
    processor_state& own = nodes_[n].all[p];
    own.computes = 0;
    own.asks_at = from + cycles;
    ++own.turn;
    at(own.asks_at, what::asks, n, p);
  }

  void happen(const event& next) {
    const std::uint32_t n = next.node;
    const std::uint32_t p = next.processor;
    node_state& node = nodes_[n];
    switch (next.kind) {
      case what::asks:
        if (next.turn == node.all[p].turn) asks(n, p);
        break;
      case what::submitted:
        push(n, {step::request, n, p});
        break;
      case what::own_ready:
        push(n, {step::request, n, p});
        run_next(n, p);
        break;
      case what::role_taken:
        run_next(n, p);
        break;
      case what::handler_begins:
        node.starting = false;
        node.running = true;
        node.runs = node.queue.front();
        node.queue.pop_front();
        at(now_ + o_.handler, what::handler_ends, n, p);
        break;
      case what::handler_ends:
        handler_ends(n, p);
        break;
      case what::reaches:
        reaches(n, p);
        break;
      case what::is_back:
        is_back(n, p);
        break;
      case what::arrives:
        push(n, next.about);
        break;
    }
  }

  void asks(std::uint32_t n, std::uint32_t p) {
    node_state& node = nodes_[n];
    processor_state& own = node.all[p];
    if (own.left == 0) {
      found_.cycles = now_;
      own.at = duty::resting;
      look(n);
      return;
    }
    --own.left;
    own.open = true;
    own.answered = false;
    own.asked = now_;
    if (node.acting == nobody) {
      own.at = duty::serving_own;
      node.acting = p;
      node.starting = true;
      at(now_ + o_.acquire + o_.submit, what::own_ready, n, p);
    } else {
      own.at = duty::waiting;
      at(now_ + o_.submit, what::submitted, n, p);
    }
  }

  void reaches(std::uint32_t n, std::uint32_t p) {
    node_state& node = nodes_[n];
    if (node.all[p].at != duty::interrupted) return;  // it has asked before
    if (node.acting == nobody) {
      node.all[p].at = duty::serving_drafted;
      take_role(n, p);
    } else {
      node.all[p].at = duty::resuming;
      at(now_, what::is_back, n, p);
    }
  }

  void is_back(std::uint32_t n, std::uint32_t p) {
    node_state& node = nodes_[n];
    processor_state& own = node.all[p];
    own.at = duty::computing;
    if (node.acting == p) node.acting = nobody;
    if (own.open) {
      own.open = false;
      ++found_.requests;
      found_.round_trip += static_cast<double>(now_ + 1 - own.asked);
      own.computes = drawn();
    }
    compute(n, p, now_ + 1, own.computes);
    look(n);
  }

  void push(std::uint32_t n, const entry& added) {
    node_state& node = nodes_[n];
    node.queue.push_back(added);
    if (node.acting == nobody) {
      look(n);
    } else if (acts(node.all[node.acting].at) && !node.starting && !node.running) {
      run_next(n, node.acting);
    }
  }

  void look(std::uint32_t n) {
    node_state& node = nodes_[n];
    if (node.queue.empty() || node.acting != nobody) return;
    const std::uint32_t last = node.previous == nobody ? o_.processors - 1 : node.previous;
    if (node.previous != nobody && take_if_idle(n, last)) return;
    for (std::uint32_t i = 1; i <= o_.processors; ++i) {
      if (take_if_idle(n, (last + i) % o_.processors)) return;
    }
    for (const processor_state& each : node.all) {
      if (each.at == duty::interrupted) return;
    }
    for (std::uint32_t i = 0; i < o_.processors; ++i) {
      const std::uint32_t p = (node.next_drafted + i) % o_.processors;
      if (node.all[p].at != duty::computing) continue;
      node.next_drafted = (p + 1) % o_.processors;
      draft(n, p);
      return;
    }
  }

  bool take_if_idle(std::uint32_t n, std::uint32_t p) {
    processor_state& own = nodes_[n].all[p];
    if (own.at != duty::waiting && own.at != duty::resting) return false;
    own.at = own.at == duty::waiting ? duty::serving_own : duty::serving_resting;
    take_role(n, p);
    return true;
  }

  void take_role(std::uint32_t n, std::uint32_t p) {
    nodes_[n].acting = p;
    nodes_[n].starting = true;
    at(now_ + o_.acquire, what::role_taken, n, p);
  }

  void draft(std::uint32_t n, std::uint32_t p) {
    processor_state& own = nodes_[n].all[p];
    own.at = duty::interrupted;
    ++found_.interrupts;
    if (own.asks_at <= now_ + 1) return;  // it asks before it notices
    own.computes = own.asks_at - now_ - 1;
    ++own.turn;
    at(now_ + o_.interrupt, what::reaches, n, p);
  }

  void run_next(std::uint32_t n, std::uint32_t p) {
    node_state& node = nodes_[n];
    node.starting = false;
    if (node.queue.empty()) {
      if (node.all[p].at == duty::serving_drafted) {
        node.acting = nobody;
        node.all[p].at = duty::resuming;
        at(now_, what::is_back, n, p);
      }
      return;
    }
    node.starting = true;
    const bool moved = node.previous != nobody && node.previous != p;
    node.previous = p;
    const std::uint64_t overhead =
        o_.kind == schedule::fixed ? 0 : o_.activation + (moved ? o_.migration : 0);
    at(now_ + overhead, what::handler_begins, n, p);
  }

  void handler_ends(std::uint32_t n, std::uint32_t p) {
    node_state& node = nodes_[n];
    node.running = false;
    const entry done = node.runs;
    switch (done.at) {
      case step::request:
        at(now_ + o_.network, what::arrives, other(n), 0, {step::serve, n, done.processor});
        break;
      case step::serve:
        at(now_ + o_.network, what::arrives, done.node, 0,
           {step::reply, done.node, done.processor});
        break;
      case step::reply:
        node.all[done.processor].answered = true;
        if (done.processor != p && node.all[done.processor].at == duty::waiting) {
          end_request(n, done.processor);
        }
        break;
    }
    if (node.all[p].at == duty::serving_own && node.all[p].answered) {
      end_request(n, p);
    } else {
      run_next(n, p);
    }
  }

  std::uint32_t other(std::uint32_t n) {
    if (o_.nodes == 2) return 1 - n;
    const auto drawn = static_cast<std::uint32_t>(random_() % (o_.nodes - 1));
    return drawn < n ? drawn : drawn + 1;
  }

  /// One that acts keeps the role until it is back.
  void end_request(std::uint32_t n, std::uint32_t p) {
    nodes_[n].all[p].at = duty::resuming;
    at(now_ + o_.resume - 1, what::is_back, n, p);
  }

  options o_;
  std::vector<node_state> nodes_;
  std::priority_queue<event, std::vector<event>, later> events_;
  std::mt19937_64 random_;
  std::exponential_distribution<double> times_;
  std::uint64_t now_ = 0;
  std::uint64_t number_ = 0;
  outcome found_;
};

}  // namespace

outcome run(const options& chosen) { return simulation(chosen).run(); }

}  // namespace tributary::benchmarks::plain_smp
