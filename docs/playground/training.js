// How far training is: a bar, a sentence and a curve, redrawn a few times a second at most.

import { trainingCurve } from "./charts.js";
import { element, replace, short } from "./dom.js";

const BETWEEN = 150;  // milliseconds

export class TrainingView {
  constructor(place) {
    this.bar = element("progress", { max: "1", value: "0", "aria-label": "training" });
    this.said = element("p", { role: "status" });
    this.curve = element("figure", {});
    this.points = [];
    this.drawn = 0;
    replace(place, this.bar, this.said, this.curve);
  }

  // Members report after each of their epochs with the score of all; one point for each epoch is enough.
  hear(report) {
    if (report.stage === "warning") return this.curve.before(element("p", { class: "pg-warning" }, report.text));
    if (report.stage === "choosing") {
      this.bar.value = 0.5 * report.epochs / Math.max(1, report.most_epochs);
      this.said.textContent = `${report.ways} ways to prepare the columns race: ${report.epochs} epochs so far`;
      return;
    }
    const last = this.points.at(-1);
    if (last && last.epoch === report.epoch) last.score = report.score;
    else this.points.push({ epoch: report.epoch, score: report.score });
    this.bar.value = 0.5 + 0.5 * report.epoch / Math.max(report.epoch, report.max_epochs);
    const now = performance.now();
    if (now - this.drawn < BETWEEN) return;
    this.drawn = now;
    this.draw();
    this.said.textContent = `${report.members} networks, epoch ${report.epoch} of ${report.max_epochs} at most: ` +
      `${short(report.score)} nats per row, best at epoch ${report.best_epoch}`;
  }

  draw() {
    if (this.points.length > 1) replace(this.curve, trainingCurve(this.points), element("figcaption", {}, "How well networks predict rows that they have not learned."));
  }

  end(words) {
    this.bar.value = 1;
    this.draw();
    this.said.textContent = words;
  }
}
