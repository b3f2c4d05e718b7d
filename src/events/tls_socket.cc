#include "events/stream_socket.h"
#include "postrider/error.h"

#ifdef POSTRIDER_HAS_TLS
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace postrider::cli {
namespace {

struct FreeTls {
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
  void operator()(SSL* connection) const { SSL_free(connection); }
};
using TlsContextHandle = std::unique_ptr<SSL_CTX, FreeTls>;
using TlsConnection = std::unique_ptr<SSL, FreeTls>;

// The library's own words for what went wrong last.
std::string tls_words() {
  const unsigned long error = ERR_peek_last_error();
  ERR_clear_error();
  if (error == 0) return "the handshake failed";
  const char* const words = ERR_reason_error_string(error);
  return words != nullptr ? words : "error " + std::to_string(error);
}

int copy_password(char* to, int size, int, void* from) {
  const std::string& password = *static_cast<const std::string*>(from);
  const std::size_t count = std::min(password.size(), static_cast<std::size_t>(size));
  std::memcpy(to, password.data(), count);
  return static_cast<int>(count);
}

// The library sees memory alone: bytes go over the socket beneath, which knows about time, signals and a program that shall end.
class TlsSocket : public StreamSocket {
 public:
  TlsSocket(std::unique_ptr<StreamSocket> plain, TlsConnection connection)
      : plain_(std::move(plain)), connection_(std::move(connection)) {
    SSL_set_bio(connection_.get(), BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
    SSL_set_connect_state(connection_.get());
  }

  void shake_hands(SocketDeadline until) {
    drive([&] { return SSL_do_handshake(connection_.get()); }, until);
  }

  void send(const std::string& bytes, SocketDeadline until) override {
    drive(
        [&] { return SSL_write(connection_.get(), bytes.data(), static_cast<int>(bytes.size())); },
        until);
    send_waiting(until);
  }

  std::size_t receive(std::span<char> to, SocketDeadline until) override {
    return static_cast<std::size_t>(
        drive([&] { return SSL_read(connection_.get(), to.data(), static_cast<int>(to.size())); },
              until));
  }

 private:
  // Calls until it succeeds, and carries bytes to and from the socket as the library wants.
  template <class Call>
  int drive(const Call& call, SocketDeadline until) {
    while (true) {
      ERR_clear_error();
      const int done = call();
      if (done > 0) {
        send_waiting(until);
        return done;
      }
      const int why = SSL_get_error(connection_.get(), done);
      if (why == SSL_ERROR_ZERO_RETURN) throw NoAnswer("it has ended the connection");
      if (why != SSL_ERROR_WANT_READ && why != SSL_ERROR_WANT_WRITE) fail(until);
      send_waiting(until);
      if (why == SSL_ERROR_WANT_READ) take(until);
    }
  }

  // Tells the other side why, if that is possible.
  [[noreturn]] void fail(SocketDeadline until) {
    const std::string words = tls_words();
    const long verdict = SSL_get_verify_result(connection_.get());
    try {
      send_waiting(until);
    } catch (const NoAnswer&) {  // it is gone, which is no news
    }
    if (verdict != X509_V_OK)
      throw NotTrusted(std::string("its certificate is not accepted: ") +
                       X509_verify_cert_error_string(verdict));
    throw NoAnswer(words);
  }

  void send_waiting(SocketDeadline until) {
    BIO* const out = SSL_get_wbio(connection_.get());
    std::array<char, 1 << 14> piece{};
    for (int got = 0; (got = BIO_read(out, piece.data(), piece.size())) > 0;)
      plain_->send({piece.data(), static_cast<std::size_t>(got)}, until);
  }

  void take(SocketDeadline until) {
    std::array<char, 1 << 14> piece{};
    const std::size_t got = plain_->receive(piece, until);
    if (BIO_write(SSL_get_rbio(connection_.get()), piece.data(), static_cast<int>(got)) !=
        static_cast<int>(got))
      throw NoAnswer("out of memory");
  }

  std::unique_ptr<StreamSocket> plain_;
  TlsConnection connection_;
};

[[noreturn]] void refuse_file(const char* key, const std::string& path) {
  reject(key, path, "must be a file of PEM: " + tls_words());
}

void trust(SSL_CTX* context, const TlsSettings& settings) {
  SSL_CTX_set_verify(context, settings.is_verified ? SSL_VERIFY_PEER : SSL_VERIFY_NONE, nullptr);
  if (settings.authorities.empty())
    SSL_CTX_set_default_verify_paths(context);
  else if (SSL_CTX_load_verify_locations(context, settings.authorities.c_str(), nullptr) != 1)
    refuse_file("ssl.ca.location", settings.authorities);
}

void present(SSL_CTX* context, TlsSettings& settings) {
  if (settings.certificate.empty() != settings.key.empty())
    reject(settings.key.empty() ? "ssl.certificate.location" : "ssl.key.location",
           settings.certificate + settings.key,
           "must be given with the other one of ssl.certificate.location and ssl.key.location");
  if (settings.certificate.empty()) return;
  if (SSL_CTX_use_certificate_chain_file(context, settings.certificate.c_str()) != 1)
    refuse_file("ssl.certificate.location", settings.certificate);
  SSL_CTX_set_default_passwd_cb(context, &copy_password);
  SSL_CTX_set_default_passwd_cb_userdata(context, &settings.key_password);
  if (SSL_CTX_use_PrivateKey_file(context, settings.key.c_str(), SSL_FILETYPE_PEM) != 1)
    refuse_file("ssl.key.location", settings.key);
}

}  // namespace

struct TlsContext::State {
  TlsSettings settings;
  TlsContextHandle context;
};

TlsContext::TlsContext(const TlsSettings& settings)
    : state_(new State{settings, TlsContextHandle(SSL_CTX_new(TLS_client_method()))}) {
  SSL_CTX* const context = state_->context.get();
  if (context == nullptr) throw NoAnswer("no connection by TLS: " + tls_words());
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  trust(context, state_->settings);
  present(context, state_->settings);
}

TlsContext::~TlsContext() = default;

std::unique_ptr<StreamSocket> TlsContext::secured(std::unique_ptr<StreamSocket> plain,
                                                  const std::string& host,
                                                  SocketDeadline until) const {
  TlsConnection connection(SSL_new(state_->context.get()));
  if (!connection) throw NoAnswer("no connection by TLS: " + tls_words());
  X509_VERIFY_PARAM* const checks = SSL_get0_param(connection.get());
  // A number is looked for among the numbers of a certificate, and no server is asked for by one.
  const bool is_name_verified = state_->settings.is_verified && state_->settings.is_name_verified;
  const bool is_number = X509_VERIFY_PARAM_set1_ip_asc(checks, host.c_str()) == 1;
  if (!is_name_verified) X509_VERIFY_PARAM_set1_ip(checks, nullptr, 0);
  if (!is_number) {
    ERR_clear_error();
    SSL_set_tlsext_host_name(connection.get(), host.c_str());
    if (is_name_verified && SSL_set1_host(connection.get(), host.c_str()) != 1)
      throw NoAnswer("no connection by TLS: " + tls_words());
  }
  auto out = std::make_unique<TlsSocket>(std::move(plain), std::move(connection));
  try {
    out->shake_hands(until);
  } catch (const NoAnswer& trouble) {
    throw NoAnswer(std::string("no connection by TLS: ") + trouble.what());
  }
  return out;
}

}  // namespace postrider::cli

#else

namespace postrider::cli {

struct TlsContext::State {};

TlsContext::TlsContext(const TlsSettings&) {
  reject("--from", "rediss://", "needs a program that was built with OpenSSL (Debian: libssl-dev)");
}
TlsContext::~TlsContext() = default;

std::unique_ptr<StreamSocket> TlsContext::secured(std::unique_ptr<StreamSocket>, const std::string&,
                                                  SocketDeadline) const {
  throw NoAnswer("no connection by TLS");
}

}  // namespace postrider::cli

#endif
