// The page from a table to a model: each step shows the next one.

import { showColumns } from "./columns.js";
import { download, element, replace } from "./dom.js";
import { Engine } from "./engine.js";
import { loadLibrary } from "./library.js";
import { showResults } from "./results.js";
import { samples } from "./samples.js";
import { TrainingView } from "./training.js";
import { WhatIf } from "./what_if.js";

const LEVEL = 0.9;
const PROMISE = "Nothing leaves this device: the library runs in this page, which sends nothing and asks for nothing once it is loaded.";

class Page {
  constructor(root, makeWorker) {
    this.root = root;
    this.engine = new Engine(makeWorker);
    this.table = null;
    this.left_out = new Set();
    this.build();
  }

  // --- what is on the page

  build() {
    this.trouble = element("p", { class: "pg-trouble", role: "alert", hidden: true });
    this.parts = {};
    replace(this.root, element("p", { class: "pg-promise" }, PROMISE), this.trouble,
      this.part("table", "1. A table", this.tableStep()), this.part("columns", "2. Its columns"),
      this.part("learn", "3. Learning"), this.part("found", "4. How well it predicts"),
      this.part("what_if", "5. What if"), this.part("keep", "6. Take it along"));
    this.show("table");
  }

  part(name, title, ...inside) {
    const body = element("div", {}, ...inside);
    const section = element("section", { class: "pg-part", id: `pg-${name}`, "aria-label": title, hidden: true }, element("h2", {}, title), body);
    this.parts[name] = { section, body };
    return section;
  }

  // This step and those before it.
  show(last) {
    let is_after = false;
    for (const [name, { section }] of Object.entries(this.parts)) {
      section.hidden = is_after;
      is_after ||= name === last;
    }
  }

  tell(message) {
    this.trouble.textContent = message ?? "";
    this.trouble.hidden = !message;
  }

  async trying(work) {
    this.tell();
    try {
      return await work();
    } catch (error) {
      this.tell(error.message);
      this.trouble.scrollIntoView({ block: "nearest" });
    }
  }

  // --- 1: a table

  tableStep() {
    const choose = this.filePlace("pg-file", "Drop a CSV file here, or choose one", (file) => this.take(file.name, new Uint8Array(file.bytes)));
    const buttons = samples.map((sample) => element("button", { type: "button", class: "pg-sample", onclick: () => this.take(sample.name, new TextEncoder().encode(sample.make())) },
      element("b", {}, sample.title), element("span", {}, sample.about)));
    return element("div", {}, choose, element("p", {}, "Or begin with a table that is made up:"), element("div", { class: "pg-samples" }, ...buttons));
  }

  // A place to drop a file on, which a click, the keyboard and a finger open, too.
  filePlace(id, words, take) {
    const input = element("input", { type: "file", id, accept: ".csv,.tsv,.txt,.gz,text/csv" });
    const place = element("label", { class: "pg-drop", for: id }, element("span", {}, words), input);
    const read = async (file) => this.trying(async () => take({ name: file.name, bytes: await unpacked(file) }));
    input.addEventListener("change", () => input.files.length && read(input.files[0]));
    place.addEventListener("dragover", (event) => { event.preventDefault(); place.classList.add("pg-over"); });
    place.addEventListener("dragleave", () => place.classList.remove("pg-over"));
    place.addEventListener("drop", (event) => {
      event.preventDefault();
      place.classList.remove("pg-over");
      if (event.dataTransfer.files.length) read(event.dataTransfer.files[0]);
    });
    return place;
  }

  take(name, bytes) {
    this.table = { name, bytes, target: "" };
    this.left_out = new Set();
    return this.read();
  }

  // --- 2: its columns

  read() {
    return this.trying(async () => {
      const { bytes, target } = this.table;
      this.found = await this.engine.askJson("read", { target, ignored: [...this.left_out] }, bytes);
      this.table.target = this.found.target;
      showColumns(this.parts.columns.body, this.found, {
        target: (name) => { this.table.target = name; this.left_out.delete(name); this.read(); },
        use: (name, is_used) => { if (is_used) this.left_out.delete(name); else this.left_out.add(name); this.read(); },
      });
      this.learnStep();
      this.show("learn");
    });
  }

  // --- 3: learning

  learnStep() {
    const time = element("select", { id: "pg-time" }, ...[["10", "ten seconds at most"], ["60", "a minute at most"], ["0", "as long as it takes"]]
      .map(([value, words]) => element("option", { value }, words)));
    time.value = "60";
    this.button = element("button", { type: "button", class: "pg-go", id: "pg-learn-button", onclick: () => this.learn(Number(time.value)) }, `Learn ${this.found.target}`);
    this.stop = element("button", { type: "button", hidden: true, onclick: () => this.interrupt() }, "Stop");
    this.view = element("div", {});
    replace(this.parts.learn.body, element("p", { class: "pg-row" }, element("label", { for: "pg-time" }, "It may take "), time, this.button, this.stop),
      element("p", { class: "pg-note" }, "One row in five is held out, at random, to see how well the others predict it."), this.view);
  }

  learn(seconds) {
    return this.trying(async () => {
      const view = new TrainingView(this.view);
      this.engine.progress = (report) => view.hear(report);
      this.button.disabled = true;
      this.stop.hidden = false;
      this.show("learn");
      try {
        const answer = await this.engine.askJson("train", { seconds, level: LEVEL });
        view.end(`Learned ${answer.training.history.at(-1).rows} rows in ${answer.training.seconds.toFixed(1)} s.`);
        this.showFound(answer);
      } finally {
        this.button.disabled = false;
        this.stop.hidden = true;
      }
    });
  }

  async interrupt() {
    this.engine.stop("Training was stopped. With a limit of time it ends with what is best by then.");
    await this.engine.ask("read", { target: this.table.target, ignored: [...this.left_out] }, this.table.bytes);
  }

  // --- 4 to 6: what was learned

  showFound(answer) {
    const results = element("div", {});
    showResults(results, answer, LEVEL);
    replace(this.parts.found.body, results, element("p", { class: "pg-row" },
      element("button", { type: "button", onclick: () => this.report(true) }, "Open the full report"),
      element("button", { type: "button", onclick: () => this.report(false) }, "Keep it as a file")));
    this.what_if = new WhatIf(this.parts.what_if.body, answer.training.columns, answer.training.target, LEVEL,
      (command, request) => this.engine.askJson(command, request));
    this.keepStep();
    this.show("keep");
  }

  report(is_opened) {
    // Opened at once, since browsers let a page open another only where somebody has just clicked.
    const window_of_report = is_opened ? window.open("", "_blank") : null;
    return this.trying(async () => {
      const page = await this.engine.askText("report", { level: LEVEL });
      if (!window_of_report) return download("report.html", page, "text/html");
      window_of_report.location = URL.createObjectURL(new Blob([page], { type: "text/html" }));
    });
  }

  keepStep() {
    const model = `${this.found.target.replace(/[^\w.-]+/g, "_")}.safetensors`;
    const predict = (name, bytes) => this.trying(async () => {
      const text = await this.engine.askText("predict", { level: LEVEL }, bytes);
      const rows = text.trim().split("\n").length - 1;
      this.predicted.textContent = `${rows} rows of ${name} are predicted: predictions.csv`;
      download("predictions.csv", text, "text/csv");
    });
    this.predicted = element("p", { role: "status" });
    replace(this.parts.keep.body,
      this.filePlace("pg-new", "Drop a CSV of new rows here for their predictions, or choose one", (file) => predict(file.name, new Uint8Array(file.bytes))),
      element("p", { class: "pg-row" },
        element("button", { type: "button", id: "pg-predict-same", onclick: () => predict(this.table.name, this.table.bytes) }, "Predict the rows of this table"),
        element("button", { type: "button", id: "pg-model", onclick: () => this.trying(async () => download(model, await this.engine.ask("model"), "application/octet-stream")) }, `Keep the model: ${model}`)),
      this.predicted, element("p", {}, "The program, and Python, go on with the file:"),
      element("pre", {}, element("code", {}, `postrider predict ${model} new.csv -o predictions.csv\npostrider evaluate ${model} test.csv\npostrider update ${model} more.csv`)));
  }
}

// The bytes of a file; the browser unpacks gzip.
async function unpacked(file) {
  const bytes = await file.arrayBuffer();
  const start = new Uint8Array(bytes, 0, Math.min(2, bytes.byteLength));
  if (start[0] !== 0x1f || start[1] !== 0x8b) return bytes;
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}

async function begin(root) {
  if (typeof WebAssembly !== "object") {
    replace(root, element("p", {}, "This browser has no WebAssembly, which the playground needs."));
    return;
  }
  replace(root, element("p", { role: "status" }, "Loading the library..."));
  try {
    new Page(root, await loadLibrary(window.postriderFiles));
  } catch (error) {
    replace(root, element("p", { role: "alert" }, error.message));
  }
}

begin(document.getElementById("playground"));
