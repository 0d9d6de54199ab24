#include "actors/serving/open_requests.h"

#include "messages/assert.h"

namespace troupe::serving {

RoutedRequest* OpenRequests::add(RoutedRequest request) {
  const auto [at, fresh] =
      by_client_.try_emplace({request.client, request.client_id}, last_key_ + 1);
  if (!fresh) return nullptr;
  return &open_.emplace(++last_key_, std::move(request)).first->second;
}

RoutedRequest* OpenRequests::find_by_client(const Address& client, std::uint64_t id) {
  const auto found = by_client_.find({client, id});
  return found == by_client_.end() ? nullptr : &open_.at(found->second);
}

RoutedRequest* OpenRequests::find_by_attempt(std::uint64_t attempt) {
  const auto found = attempts_.find(attempt);
  return found == attempts_.end() ? nullptr : &open_.at(found->second);
}

void OpenRequests::start_attempt(RoutedRequest& request, const std::string& endpoint) {
  TROUPE_ASSERT(request.endpoint.empty(), "a request is at two endpoints");
  request.endpoint = endpoint;
  request.attempt = ++last_attempt_;
  attempts_[request.attempt] = by_client_.at({request.client, request.client_id});
}

void OpenRequests::end_attempt(RoutedRequest& request) {
  attempts_.erase(request.attempt);
  request.endpoint.clear();
}

void OpenRequests::erase(const RoutedRequest& request) {
  if (!request.endpoint.empty()) attempts_.erase(request.attempt);
  const auto found = by_client_.find({request.client, request.client_id});
  const Key key = found->second;
  by_client_.erase(found);
  open_.erase(key);
}

std::deque<RoutedRequest*> OpenRequests::waiting() {
  std::deque<RoutedRequest*> result;
  for (auto& [key, request] : open_) {
    if (request.endpoint.empty()) result.push_back(&request);
  }
  return result;
}

std::deque<std::uint64_t> OpenRequests::attempts_at(const Address& endpoint) const {
  std::deque<std::uint64_t> result;
  for (const auto& [attempt, key] : attempts_) {
    if (address_of(open_.at(key).endpoint).actor == endpoint.actor) result.push_back(attempt);
  }
  return result;
}

}  // namespace troupe::serving
