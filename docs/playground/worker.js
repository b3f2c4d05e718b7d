// Runs the library. The page puts what emscripten made (loadPostrider) in front of these lines, and sends the library's bytes first.

let ready = null;

async function begin(wasmBinary) {
  const library = await loadPostrider({ wasmBinary });
  return { library, session: library._playground_begin() };
}

function put(library, bytes) {
  const room = library._playground_room(bytes.length + 1);
  if (room === 0) throw new Error("the browser gives no more memory; take fewer rows");
  library.HEAPU8.set(bytes, room);
  library.HEAPU8[room + bytes.length] = 0;
  return room;
}

function run({ library, session }, { command, request, bytes }) {
  const text = new TextEncoder();
  const places = [text.encode(command), text.encode(request), bytes].map((each) => put(library, each));
  const failed = library._playground_run(session, ...places, bytes.length);
  places.forEach((place) => library._playground_give_back(place));
  const from = library._playground_answer(session);
  const answer = library.HEAPU8.slice(from, from + library._playground_answer_size(session));
  if (failed) throw new Error(new TextDecoder().decode(answer));
  return answer;
}

self.onmessage = async ({ data }) => {
  if (data.binary) {
    ready = begin(data.binary);
    ready.catch(() => {});  // told with the first answer
    return;
  }
  try {
    const answer = run(await ready, data);
    postMessage({ id: data.id, answer }, [answer.buffer]);
  } catch (error) {
    postMessage({ id: data.id, error: error.message || String(error) });
  }
};
