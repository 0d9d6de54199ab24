// The requests that a router holds: who asked, where each is, what it waits for.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "messages/address.h"
#include "messages/payload.h"

namespace troupe::serving {

struct RoutedRequest {
  Address client;
  std::uint64_t client_id = 0;  ///< the client's id of it
  std::uint64_t trace = 0;
  Payload payload;              ///< the InferRequest as it came
  std::set<std::string> tried;  ///< endpoints that refused it
  std::string endpoint;         ///< where it is; empty while it waits
  std::uint64_t attempt = 0;    ///< the id under which the endpoint knows it
  std::size_t refusals = 0;     ///< by all endpoints together
  bool has_token = false;       ///< the client has a part of the answer: no second try
};

class OpenRequests {
 public:
  using Key = std::uint64_t;  // in order of arrival

  /// Null if the client has a request of that id already.
  RoutedRequest* add(RoutedRequest request);
  [[nodiscard]] RoutedRequest* find_by_client(const Address& client, std::uint64_t id);
  [[nodiscard]] RoutedRequest* find_by_attempt(std::uint64_t attempt);
  /// Gives the request a new attempt, under an id of its own, at `endpoint`.
  void start_attempt(RoutedRequest& request, const std::string& endpoint);
  /// The attempt is over and the request is nowhere.
  void end_attempt(RoutedRequest& request);
  void erase(const RoutedRequest& request);

  /// Requests that are nowhere, oldest first.
  [[nodiscard]] std::deque<RoutedRequest*> waiting();
  /// Attempts at the endpoint of that address, oldest first.
  [[nodiscard]] std::deque<std::uint64_t> attempts_at(const Address& endpoint) const;
  [[nodiscard]] std::size_t size() const { return open_.size(); }
  [[nodiscard]] std::size_t waiting_count() const { return open_.size() - attempts_.size(); }

 private:
  std::map<Key, RoutedRequest> open_;
  std::map<std::pair<Address, std::uint64_t>, Key> by_client_;
  std::map<std::uint64_t, Key> attempts_;
  Key last_key_ = 0;
  std::uint64_t last_attempt_ = 0;
};

}  // namespace troupe::serving
