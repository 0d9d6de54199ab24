#include "actors/kubelet/parked_mail.h"

#include <set>
#include <utility>

namespace troupe::kubelet {
namespace {

/// Passes everything on, and remembers which timers were cancelled.
class Remembering final : public Context {
 public:
  explicit Remembering(Context& context) : context_(context) {}

  [[nodiscard]] SimTime now() const override { return context_.now(); }
  [[nodiscard]] const Address& self() const override { return context_.self(); }
  [[nodiscard]] const std::string& path() const override { return context_.path(); }
  void send(const Address& to, Payload what, const Via& via) override {
    context_.send(to, std::move(what), via);
  }
  TimerId set_timer(Duration delay, Payload what) override {
    return context_.set_timer(delay, std::move(what));
  }
  void cancel_timer(TimerId timer) override {
    cancelled_.insert(timer);
    context_.cancel_timer(timer);
  }
  Address spawn(const std::string& path, std::unique_ptr<Actor> actor) override {
    return context_.spawn(path, std::move(actor));
  }
  void stop(const Address& actor) override { context_.stop(actor); }
  void persist(const std::string& key, std::string bytes) override {
    context_.persist(key, std::move(bytes));
  }
  void emit(Payload fact) override { context_.emit(std::move(fact)); }
  [[nodiscard]] std::uint64_t random(std::string_view purpose, std::uint64_t index) const override {
    return context_.random(purpose, index);
  }
  [[nodiscard]] bool cancelled(TimerId timer) const { return cancelled_.contains(timer); }

 private:
  Context& context_;
  std::set<TimerId> cancelled_;
};

}  // namespace

void ParkedMail::deliver(Context& context, const Handler& handler) {
  Remembering remembering(context);
  for (const Delivery& delivery : std::exchange(mail_, {})) {
    if (delivery.timer != 0 && remembering.cancelled(delivery.timer)) continue;
    handler(remembering, delivery);
  }
}

}  // namespace troupe::kubelet
