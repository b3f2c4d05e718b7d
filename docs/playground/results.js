// What was learned, in words and pictures: figures beside those of something simple, and the rows that were held out.

import { heldOutRows, reliability } from "./charts.js";
import { warnings } from "./columns.js";
import { element, replace, short } from "./dom.js";

const AMOUNTS = [
  ["root_mean_square_error", "root mean square error", "lower is better"],
  ["crps", "CRPS", "lower is better"],
  ["log_likelihood", "log-likelihood", "nats per row; higher is better"],
];
const CLASSES = [
  ["accuracy", "accuracy", "higher is better"],
  ["log_loss", "log-loss", "nats per row; lower is better"],
  ["brier", "Brier score", "lower is better"],
];

const estimate = ({ value, standard_error }) => `${short(value)} ± ${Number(standard_error.toPrecision(2))}`;

function figures(evaluation) {
  const rows = evaluation.accuracy ? CLASSES : AMOUNTS;
  const models = [{ name: "this model", ...evaluation }, ...(evaluation.baselines ?? [])];
  return element("div", { class: "pg-scroll", tabindex: "0", role: "region", "aria-label": "figures" },
    element("table", { class: "pg-figures" },
      element("thead", {}, element("tr", {}, element("th", { scope: "col" }, `${evaluation.rows} rows held out`),
        ...models.map((model) => element("th", { scope: "col" }, model.name)), element("th", { scope: "col" }, ""))),
      element("tbody", {}, ...rows.map(([key, name, unit]) =>
        element("tr", {}, element("th", { scope: "row" }, name),
          ...models.map((model) => element("td", {}, model[key] ? estimate(model[key]) : "-")),
          element("td", {}, unit))))));
}

// What one would tell somebody at a door.
export function headline(evaluation, rows, target) {
  if (evaluation.accuracy)
    return `The class of ${target} was right for ${short(100 * evaluation.accuracy.value)} % of the rows held out.`;
  const inside = rows.target.filter((value, i) => value >= rows.low[i] && value <= rows.high[i]).length;
  return `Typically wrong by ${short(evaluation.root_mean_square_error.value)}; ${inside} of ${rows.rows} rows held out lie inside their 90 % interval.`;
}

const LEGEND = "Each bar is a 90 % interval, the dash in it the prediction, the dot what came, and a cross what came outside. About one row in ten should.";
const LEGEND_OF_CLASSES = "A dot above the line: the class came more often than the model thought. Large dots are of many rows.";

export function showResults(place, answer, level) {
  const { training, evaluation, rows } = answer;
  const picture = evaluation.accuracy ? reliability(evaluation.bins) : heldOutRows(rows, training.target, level);
  replace(place,
    element("p", { class: "pg-headline", id: "pg-headline" }, headline(evaluation, rows, training.target)),
    element("figure", {}, picture, element("figcaption", {}, evaluation.accuracy ? LEGEND_OF_CLASSES : LEGEND)),
    figures(evaluation), warnings([...(training.warnings ?? []), ...(evaluation.warnings ?? [])]));
}
