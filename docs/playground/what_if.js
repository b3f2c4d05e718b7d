// One row, input by input, and what is predicted of it; and how the prediction goes along one of the inputs.

import { classResponse, response } from "./charts.js";
import { element, replace, short } from "./dom.js";

const STEPS = 200;       // of a slider
const POINTS = 61;       // of a curve

// What can be moved: numbers between the least and the largest that were seen, and categories.
export function movable(columns) {
  return columns.filter((column) => !column.target && column.kind !== "ignored" && (typeof column.least === "number" || column.categories));
}

// Where a row begins: at the mean of numbers, and at the first of the categories.
export function middle(columns) {
  const row = {};
  for (const column of movable(columns)) row[column.name] = column.categories ? column.categories[0] : column.mean;
  return row;
}

function along(column) {
  if (column.categories) return column.categories.slice(0, 40);
  return Array.from({ length: POINTS }, (_, i) => column.least + (column.largest - column.least) * i / (POINTS - 1));
}

// A date's cells are left as they were: missing.
export class WhatIf {
  constructor(place, columns, target, level, ask) {
    this.columns = movable(columns);
    this.row = middle(columns);
    this.target = target;
    this.level = level;
    this.ask = ask;
    this.said = element("p", { class: "pg-answer", role: "status" });
    this.picture = element("figure", {});
    this.input = element("select", { id: "pg-along" }, ...this.columns.map((column) => element("option", {}, column.name)));
    this.input.addEventListener("change", () => this.refresh());
    replace(place, element("div", { class: "pg-sliders" }, ...this.columns.map((column) => this.control(column))), this.said,
      element("p", { class: "pg-row" }, element("label", { for: "pg-along" }, "Picture along "), this.input), this.picture);
    this.refresh();
  }

  control(column) {
    const id = `pg-input-${this.columns.indexOf(column)}`;
    const label = element("label", { for: id }, column.name);
    if (column.categories) {
      const choice = element("select", { id }, ...column.categories.map((name) => element("option", {}, name)));
      choice.addEventListener("change", () => this.set(column, choice.value));
      return element("div", {}, label, choice);
    }
    const told = element("output", { for: id }, short(this.row[column.name]));
    const slider = element("input", { id, type: "range", min: column.least, max: column.largest, step: (column.largest - column.least) / STEPS || 1 });
    slider.value = this.row[column.name];
    slider.addEventListener("input", () => {
      told.textContent = short(Number(slider.value));
      this.set(column, Number(slider.value));
    });
    return element("div", {}, label, told, slider);
  }

  set(column, value) {
    this.row[column.name] = value;
    this.input.value = column.name;
    this.refresh();
  }

  // One question at a time; what is asked meanwhile is asked once, afterwards.
  async refresh() {
    if (this.busy) {
      this.again = true;
      return;
    }
    this.busy = true;
    do {
      this.again = false;
      await this.show();
    } while (this.again);
    this.busy = false;
  }

  async show() {
    const column = this.columns.find((each) => each.name === this.input.value);
    if (!column) return;
    const cells = along(column);
    const at = column.categories ? cells.indexOf(this.row[column.name]) : this.row[column.name];
    const rows = [this.row, ...cells.map((cell) => ({ ...this.row, [column.name]: cell }))];
    let answer;
    try {
      answer = await this.ask("rows", { level: this.level, rows });
    } catch (error) {
      this.said.textContent = error.message;
      return;
    }
    const xs = column.categories ? cells.map((_, i) => i) : cells;
    const about = { input: column.name, target: this.target, level: this.level, at: at < 0 ? null : at, names: column.categories ? cells : null };
    if (answer.classes) this.showClasses(answer, xs, about);
    else this.showAmount(answer, xs, about);
  }

  showAmount(answer, xs, about) {
    const percent = Math.round(100 * this.level);
    this.said.textContent = `${this.target}: ${short(answer.mean[0])}, with ${percent} % between ${short(answer.low[0])} and ${short(answer.high[0])}; ` +
      `of the standard deviation ${short(answer.std[0])}, noise is ${short(answer.noise_std[0])}`;
    const rest = Object.fromEntries(["mean", "low", "high"].map((key) => [key, answer[key].slice(1)]));
    replace(this.picture, response(xs, rest, about),
      element("figcaption", {}, `The prediction and its ${percent} % interval while ${about.input} moves and the other inputs stay.`));
  }

  // Of two classes the second, of more the one that is likeliest here.
  showClasses(answer, xs, about) {
    const count = answer.classes.length;
    const here = answer.probabilities.slice(0, count);
    this.said.textContent = answer.classes.map((name, k) => `${name}: ${(100 * here[k]).toFixed(1)} %`).join("; ");
    const shown = count === 2 ? 1 : here.indexOf(Math.max(...here));
    const curve = xs.map((_, i) => answer.probabilities[(i + 1) * count + shown]);
    replace(this.picture, classResponse(xs, curve, { ...about, target: answer.classes[shown] }),
      element("figcaption", {}, `The probability of ${answer.classes[shown]} while ${about.input} moves and the other inputs stay.`));
  }
}
