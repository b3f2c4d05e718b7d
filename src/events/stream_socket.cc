#include "events/stream_socket.h"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "events/rotated_files.h"

namespace postrider::cli {
namespace {

using Milliseconds = std::chrono::milliseconds;

constexpr Milliseconds kConnectPatience{5000};
constexpr Milliseconds kSignalLook{100};  // between two looks whether the program shall end

struct FreeAddresses {
  void operator()(addrinfo* list) const { freeaddrinfo(list); }
};

// Waits until the socket can be read or written.
void await(int descriptor, short what, SocketDeadline until, const Stops& stops) {
  while (true) {
    if (stops && stops()) throw NoAnswer("the program is ending");
    const auto left =
        std::chrono::duration_cast<Milliseconds>(until - std::chrono::steady_clock::now());
    if (left.count() <= 0) throw NoAnswer("it does not answer");
    pollfd wanted{descriptor, what, 0};
    if (poll(&wanted, 1, static_cast<int>(std::min(left, kSignalLook).count())) > 0) return;
  }
}

class PlainSocket : public StreamSocket {
 public:
  PlainSocket(OpenFile socket, const Stops& stops) : socket_(std::move(socket)), stops_(stops) {}

  void send(const std::string& bytes, SocketDeadline until) override {
    for (std::size_t done = 0; done < bytes.size();) {
      await(socket_.descriptor(), POLLOUT, until, stops_);
      const ssize_t sent =
          ::send(socket_.descriptor(), bytes.data() + done, bytes.size() - done, MSG_NOSIGNAL);
      if (sent < 0 && errno != EAGAIN && errno != EINTR) throw NoAnswer(std::strerror(errno));
      done += static_cast<std::size_t>(std::max<ssize_t>(sent, 0));
    }
  }

  std::size_t receive(std::span<char> to, SocketDeadline until) override {
    while (true) {
      await(socket_.descriptor(), POLLIN, until, stops_);
      const ssize_t got = recv(socket_.descriptor(), to.data(), to.size(), 0);
      if (got > 0) return static_cast<std::size_t>(got);
      if (got == 0) throw NoAnswer("it has ended the connection");
      if (errno != EAGAIN && errno != EINTR) throw NoAnswer(std::strerror(errno));
    }
  }

 private:
  OpenFile socket_;
  Stops stops_;
};

OpenFile connected(const addrinfo& to, SocketDeadline until, const Stops& stops) {
  OpenFile out(socket(to.ai_family, to.ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC, to.ai_protocol));
  if (!out) throw NoAnswer(std::strerror(errno));
  if (connect(out.descriptor(), to.ai_addr, to.ai_addrlen) != 0) {
    if (errno != EINPROGRESS) throw NoAnswer(std::strerror(errno));
    await(out.descriptor(), POLLOUT, until, stops);
    int trouble = 0;
    socklen_t size = sizeof trouble;
    getsockopt(out.descriptor(), SOL_SOCKET, SO_ERROR, &trouble, &size);
    if (trouble != 0) throw NoAnswer(std::strerror(trouble));
  }
  const int yes = 1;
  setsockopt(out.descriptor(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  return out;
}

}  // namespace

std::unique_ptr<StreamSocket> connect_to(const SocketAddress& address, const Stops& stops) {
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int trouble = getaddrinfo(address.host.c_str(), address.port.c_str(), &wanted, &found);
  if (trouble != 0) throw NoAnswer(address.host + ": " + gai_strerror(trouble));
  const std::unique_ptr<addrinfo, FreeAddresses> list(found);
  const SocketDeadline until = std::chrono::steady_clock::now() + kConnectPatience;
  for (const addrinfo* each = found;; each = each->ai_next) {
    try {
      return std::make_unique<PlainSocket>(connected(*each, until, stops), stops);
    } catch (const NoAnswer&) {
      if (each->ai_next == nullptr) throw;
    }
  }
}

}  // namespace postrider::cli
