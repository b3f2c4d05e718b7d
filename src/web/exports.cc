// The functions that the page's worker calls, in WebAssembly alone. Texts and bytes lie in memory that it reads and writes; a call gives 0, or 1
// if the answer is a message about a mistake.
#include <emscripten.h>

#include <cstddef>
#include <cstdlib>
#include <exception>
#include <string>

#include "web/playground.h"

namespace {

// The worker that runs this hands it on to the page.
EM_JS(void, tell_page, (const char* json),
      { postMessage({progress : JSON.parse(UTF8ToString(json))}); });

struct Session {
  postrider::cli::Playground playground{[](const std::string& json) { tell_page(json.c_str()); }};
  std::string answer;
};

}  // namespace

extern "C" {

EMSCRIPTEN_KEEPALIVE Session* playground_begin() { return new Session; }

EMSCRIPTEN_KEEPALIVE void* playground_room(std::size_t bytes) { return std::malloc(bytes); }
EMSCRIPTEN_KEEPALIVE void playground_give_back(void* room) { std::free(room); }

EMSCRIPTEN_KEEPALIVE int playground_run(Session* session, const char* command, const char* request,
                                        const char* bytes, std::size_t count) {
  try {
    session->answer = session->playground.answer(command, request, {bytes, count});
    return 0;
  } catch (const std::bad_alloc&) {
    session->answer = "the browser gives no more memory; take fewer rows";
  } catch (const std::exception& error) {
    session->answer = error.what();
  }
  return 1;
}

EMSCRIPTEN_KEEPALIVE const char* playground_answer(const Session* session) {
  return session->answer.data();
}
EMSCRIPTEN_KEEPALIVE std::size_t playground_answer_size(const Session* session) {
  return session->answer.size();
}

}  // extern "C"
