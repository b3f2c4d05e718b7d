// Pictures as SVG. Each has a title and a text that says what it shows, and tells nothing by colour alone.

import { short } from "./dom.js";

const SPACE = "http://www.w3.org/2000/svg";
const WIDTH = 640, HEIGHT = 300;
const EDGE = { left: 62, right: 14, top: 12, bottom: 44 };

function shape(tag, attributes, text) {
  const out = document.createElementNS(SPACE, tag);
  for (const [name, value] of Object.entries(attributes)) out.setAttribute(name, value);
  if (text !== undefined) out.textContent = text;
  return out;
}

// Least and largest of what is finite, with a little air.
export function range(numbers, air = 0.06) {
  let least = Infinity, largest = -Infinity;
  for (const number of numbers) {
    if (!Number.isFinite(number)) continue;
    least = Math.min(least, number);
    largest = Math.max(largest, number);
  }
  if (least > largest) return [0, 1];
  const room = (largest - least || Math.abs(least) || 1) * air;
  return [least - room, largest + room];
}

// Round numbers that lie in a range.
export function ticks([low, high], wanted = 5) {
  const rough = (high - low) / wanted;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((k) => k * power).find((s) => s >= rough);
  const out = [];
  for (let k = Math.ceil(low / step); k * step <= high; ++k) out.push(Number((k * step).toPrecision(12)));
  return out;
}

class Frame {
  constructor(x, y, title, text, labels) {
    this.x = x;
    this.y = y;
    this.node = shape("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", class: "pg-chart" });
    this.node.append(shape("title", {}, title), shape("desc", {}, text));
    const bottom = HEIGHT - EDGE.bottom;
    for (const value of ticks(y)) {
      this.add("line", { x1: EDGE.left, x2: WIDTH - EDGE.right, y1: this.down(value), y2: this.down(value), class: "pg-grid" });
      this.add("text", { x: EDGE.left - 7, y: this.down(value) + 4, class: "pg-tick", "text-anchor": "end" }, short(value));
    }
    for (const value of labels.ticks ?? ticks(x))
      this.add("text", { x: this.right(value), y: bottom + 17, class: "pg-tick", "text-anchor": "middle" }, labels.names ? labels.names[value] : short(value));
    this.add("line", { x1: EDGE.left, x2: WIDTH - EDGE.right, y1: bottom, y2: bottom, class: "pg-axis" });
    this.add("text", { x: (EDGE.left + WIDTH - EDGE.right) / 2, y: HEIGHT - 6, class: "pg-name", "text-anchor": "middle" }, labels.x);
    this.add("text", { x: 14, y: (EDGE.top + bottom) / 2, class: "pg-name", "text-anchor": "middle", transform: `rotate(-90 14 ${(EDGE.top + bottom) / 2})` }, labels.y);
  }

  right(value) { return EDGE.left + (WIDTH - EDGE.left - EDGE.right) * (value - this.x[0]) / (this.x[1] - this.x[0]); }
  down(value) { return HEIGHT - EDGE.bottom - (HEIGHT - EDGE.top - EDGE.bottom) * (value - this.y[0]) / (this.y[1] - this.y[0]); }
  add(tag, attributes, text) { this.node.append(shape(tag, attributes, text)); }
  at(x, y) { return `${this.right(x).toFixed(1)},${this.down(y).toFixed(1)}`; }

  line(xs, ys, kind) { this.add("polyline", { points: xs.map((x, i) => this.at(x, ys[i])).join(" "), class: kind }); }
  band(xs, low, high, kind) {
    const up = xs.map((x, i) => this.at(x, high[i]));
    const back = xs.map((x, i) => this.at(x, low[i])).reverse();
    this.add("polygon", { points: up.concat(back).join(" "), class: kind });
  }
  dot(x, y, kind, radius = 2.6) { this.add("circle", { cx: this.right(x), cy: this.down(y), r: radius, class: kind }); }
  bar(x, low, high, kind) { this.add("line", { x1: this.right(x), x2: this.right(x), y1: this.down(low), y2: this.down(high), class: kind }); }
}

// How well rows that were left out are predicted, after each epoch; the first networks' scores are far below the others and would press them together.
export function trainingCurve(points) {
  const scores = points.map((point) => point.score);
  const sorted = [...scores].sort((a, b) => a - b);
  const floor = sorted[Math.floor(sorted.length * 0.1)] ?? 0;
  const frame = new Frame([0, Math.max(10, ...points.map((point) => point.epoch))], range(sorted.filter((score) => score >= floor)),
    "Score after each epoch", `The last score is ${short(scores.at(-1))} nats per row.`,
    { x: "epoch", y: "log-likelihood of rows left out" });
  const shown = points.filter((point) => point.score >= frame.y[0]);
  frame.line(shown.map((point) => point.epoch), shown.map((point) => point.score), "pg-line");
  const last = shown.at(-1);
  if (last) frame.dot(last.epoch, last.score, "pg-dot", 4);
  return frame.node;
}

const MOST_ROWS = 120;  // more would touch each other

// Rows that were held out, in the order of their predictions: what came, and the interval.
export function heldOutRows(rows, name, level) {
  const order = rows.mean.map((_, i) => i).sort((a, b) => rows.mean[a] - rows.mean[b]);
  const step = Math.max(1, order.length / MOST_ROWS);
  const shown = [];
  for (let k = 0; k < order.length; k += step) shown.push(order[Math.floor(k)]);
  const inside = order.filter((i) => rows.target[i] >= rows.low[i] && rows.target[i] <= rows.high[i]).length;
  const frame = new Frame([-1, shown.length],
    range(shown.flatMap((i) => [rows.target[i], rows.low[i], rows.high[i]])), "Rows held out, with their intervals",
    `${inside} of ${order.length} rows lie inside their ${Math.round(100 * level)} % interval.`,
    { x: `rows held out, by their prediction${shown.length < order.length ? ` (${shown.length} of ${order.length})` : ""}`, y: name, ticks: [] });
  shown.forEach((i, at) => {
    const out = rows.target[i] < rows.low[i] || rows.target[i] > rows.high[i];
    frame.bar(at, rows.low[i], rows.high[i], "pg-bar");
    frame.add("rect", { x: frame.right(at) - 3, y: frame.down(rows.mean[i]) - 0.8, width: 6, height: 1.6, class: "pg-mean" });
    if (out) frame.add("path", { d: cross(frame.right(at), frame.down(rows.target[i])), class: "pg-out" });
    else frame.dot(at, rows.target[i], "pg-in", 2.3);
  });
  return frame.node;
}

function cross(x, y, size = 3.4) {
  return `M${x - size},${y - size}L${x + size},${y + size}M${x - size},${y + size}L${x + size},${y - size}`;
}

// Of classes: how often what was called so likely came.
export function reliability(bins) {
  const used = bins.filter((bin) => bin.rows > 0);
  const frame = new Frame([0, 1], [0, 1], "How often the class came that was called so likely",
    used.map((bin) => `${short(bin.confidence)}: ${short(bin.accuracy)}`).join("; "),
    { x: "probability of the class that was chosen", y: "share that was right" });
  frame.line([0, 1], [0, 1], "pg-ideal");
  const most = Math.max(...used.map((bin) => bin.rows));
  for (const bin of used) frame.dot(bin.confidence, bin.accuracy, "pg-dot", 3 + 7 * Math.sqrt(bin.rows / most));
  return frame.node;
}

// How the prediction goes along one input while the others stay.
export function response(xs, rows, { input, target, level, at, names }) {
  const frame = new Frame(names ? [-0.5, names.length - 0.5] : range(xs, 0), range([...rows.low, ...rows.high]),
    `${target} along ${input}`, `With a ${Math.round(100 * level)} % interval.`,
    { x: input, y: target, ...(names ? { ticks: names.map((_, i) => i), names } : {}) });
  if (names) {
    xs.forEach((x, i) => {
      frame.bar(x, rows.low[i], rows.high[i], "pg-bar pg-wide");
      frame.dot(x, rows.mean[i], "pg-dot", 4);
    });
  } else {
    frame.band(xs, rows.low, rows.high, "pg-band");
    frame.line(xs, rows.mean, "pg-line");
  }
  if (at !== null) frame.add("line", { x1: frame.right(at), x2: frame.right(at), y1: EDGE.top, y2: HEIGHT - EDGE.bottom, class: "pg-here" });
  return frame.node;
}

// The same of the probability of one class.
export function classResponse(xs, probabilities, { input, target, at, names }) {
  const frame = new Frame(names ? [-0.5, names.length - 0.5] : range(xs, 0), [0, 1], `${target} along ${input}`, "", {
    x: input, y: `probability of ${target}`, ...(names ? { ticks: names.map((_, i) => i), names } : {}) });
  if (names) xs.forEach((x, i) => frame.dot(x, probabilities[i], "pg-dot", 5));
  else frame.line(xs, probabilities, "pg-line");
  if (at !== null) frame.add("line", { x1: frame.right(at), x2: frame.right(at), y1: EDGE.top, y2: HEIGHT - EDGE.bottom, class: "pg-here" });
  return frame.node;
}
