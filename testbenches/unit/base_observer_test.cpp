// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <tributary/sim/observer.h>

#include <utility>
#include <vector>

namespace tributary {
namespace {

struct event {
  int number;
};

using log = std::vector<std::pair<char, int>>;

class recorder final : public observer<event> {
 public:
  recorder(char name, log& seen) : name_(name), seen_(seen) {}
  void on_event(const event& happened) override { seen_.emplace_back(name_, happened.number); }

 private:
  char name_;
  log& seen_;
};

TEST(observer, all_are_told_in_the_order_of_attaching) {
  log seen;
  recorder first('a', seen);
  recorder second('b', seen);
  observer_list<event> list;
  EXPECT_TRUE(list.empty());
  list.notify(event{1});
  list.attach(first);
  list.attach(second);
  EXPECT_FALSE(list.empty());
  EXPECT_EQ(list.size(), 2U);
  list.notify(event{2});
  EXPECT_EQ(seen, (log{{'a', 2}, {'b', 2}}));
}

TEST(observer, who_is_detached_hears_nothing_more) {
  log seen;
  recorder first('a', seen);
  recorder second('b', seen);
  observer_list<event> list;
  list.attach(first);
  list.attach(second);
  list.detach(first);
  list.detach(first);
  list.notify(event{3});
  EXPECT_EQ(seen, (log{{'b', 3}}));
}

TEST(observer, attaching_twice_is_refused) {
  log seen;
  recorder only('a', seen);
  observer_list<event> list;
  list.attach(only);
  EXPECT_THROW(list.attach(only), error);
  EXPECT_EQ(list.size(), 1U);
}

}  // namespace
}  // namespace tributary
