#include "messages/dns_names.h"

#include <gtest/gtest.h>

#include <string>

namespace troupe {
namespace {

TEST(DnsNames, FollowRfc1123) {
  EXPECT_TRUE(is_dns_subdomain("gpu-a-17.example.com"));
  EXPECT_TRUE(is_dns_label("a"));
  for (const char* bad : {"", "-a", "a-", "A", "a_b", "a..b", ".a", "a."}) {
    EXPECT_FALSE(is_dns_subdomain(bad)) << bad;
  }
  EXPECT_FALSE(is_dns_label(std::string(64, 'a')));
  EXPECT_TRUE(is_dns_subdomain(std::string(64, 'a')));
  EXPECT_FALSE(is_dns_subdomain(std::string(254, 'a')));
}

}  // namespace
}  // namespace troupe
