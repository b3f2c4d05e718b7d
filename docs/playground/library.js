// The library's files, fetched once: a worker that is begun anew later needs no network.

async function fetched(name, kind) {
  const answer = await fetch(new URL(name, import.meta.url));
  if (!answer.ok) throw new Error(`this site was built without the playground's library (${name} is not there)`);
  return answer[kind]();
}

// What `embedded` holds, if the page carries its files inside: { script, worker, binary }.
export async function loadLibrary(embedded) {
  const { script, worker, binary } = embedded ?? {
    script: await fetched("postrider.js", "text"),
    worker: await fetched("worker.js", "text"),
    binary: await fetched("postrider.wasm", "arrayBuffer"),
  };
  const address = URL.createObjectURL(new Blob([script, "\n", worker], { type: "text/javascript" }));
  return () => {
    const out = new Worker(address);
    out.postMessage({ binary });
    return out;
  };
}
