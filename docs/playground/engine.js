// The library, in a worker of its own: pages stay alive while it learns. Questions wait for each other.

export class Engine {
  constructor(makeWorker) {
    this.makeWorker = makeWorker;
    this.waiting = new Map();
    this.next = 0;
    this.start();
  }

  start() {
    this.worker = this.makeWorker();
    this.worker.onmessage = ({ data }) => this.hear(data);
    this.worker.onerror = (event) => this.fail(event.message || "the library cannot be loaded");
  }

  hear(data) {
    if (data.progress) return this.progress?.(data.progress);
    const asked = this.waiting.get(data.id);
    if (!asked) return;
    this.waiting.delete(data.id);
    if (data.error !== undefined) asked.reject(new Error(data.error));
    else asked.resolve(data.answer);
  }

  fail(message) {
    for (const asked of this.waiting.values()) asked.reject(new Error(message));
    this.waiting.clear();
  }

  // Bytes in, bytes out.
  ask(command, request = {}, bytes = new Uint8Array()) {
    return new Promise((resolve, reject) => {
      const id = this.next++;
      this.waiting.set(id, { resolve, reject });
      this.worker.postMessage({ id, command, request: JSON.stringify(request), bytes });
    });
  }

  async askText(command, request, bytes) {
    return new TextDecoder().decode(await this.ask(command, request, bytes));
  }

  async askJson(command, request, bytes) {
    return JSON.parse(await this.askText(command, request, bytes));
  }

  // What it was doing is lost, with all that it knows.
  stop(reason) {
    this.worker.terminate();
    this.fail(reason);
    this.start();
  }
}
