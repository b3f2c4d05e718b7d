// The columns as the library understood them: which is predicted, which are left out, and what is odd about them.

import { element, replace, short } from "./dom.js";

const KINDS = { numeric: "number", categorical: "category", date: "date", ignored: "left out" };

function values(column) {
  if (column.least !== undefined) {
    const text = (value) => (typeof value === "number" ? short(value) : value);
    return `${text(column.least)} to ${text(column.largest)}`;
  }
  const names = column.categories ?? [];
  if (!names.length) return "";
  const first = names.slice(0, 4).join(", ");
  return `${names.length}: ${first}${names.length > 4 ? ", ..." : ""}`;
}

function row(column, change) {
  const chosen = element("input", { type: "checkbox", "aria-label": `learn from ${column.name}` });
  chosen.checked = column.kind !== "ignored" && !column.target;
  chosen.disabled = column.target;
  chosen.addEventListener("change", () => change.use(column.name, chosen.checked));
  const kind = column.target ? (column.kind === "categorical" ? "predicted: classes" : "predicted: a number") : KINDS[column.kind];
  return element("tr", { class: column.target ? "pg-target" : null },
    element("td", {}, chosen), element("th", { scope: "row" }, column.name), element("td", {}, kind),
    element("td", {}, values(column)), element("td", {}, column.missing ? String(column.missing) : ""),
    element("td", {}, column.note ?? ""));
}

const HEADS = ["use", "column", "kind", "values", "missing", "remark"];

// `change` has target(name) and use(name, whether).
export function showColumns(place, found, change) {
  const target = element("select", { id: "pg-target" },
    ...found.columns.map((column) => element("option", { value: column.name }, column.name)));
  target.value = found.target;
  target.addEventListener("change", () => change.target(target.value));
  const inputs = found.columns.filter((column) => !column.target && column.kind !== "ignored").length;
  const facts = `${found.rows} rows, ${inputs} inputs; ${found.task}.` +
    (found.copies ? ` ${found.copies} rows are exact copies of others.` : "");
  replace(place,
    element("p", { class: "pg-row" }, element("label", { for: "pg-target" }, "Predict the column "), target),
    element("p", {}, facts),
    element("div", { class: "pg-scroll", tabindex: "0", role: "region", "aria-label": "columns as understood" },
      element("table", { class: "pg-columns" },
        element("thead", {}, element("tr", {}, ...HEADS.map((head) => element("th", { scope: "col" }, head)))),
        element("tbody", {}, ...found.columns.map((column) => row(column, change))))),
    warnings(found.warnings));
}

export function warnings(all) {
  if (!all?.length) return null;
  return element("ul", { class: "pg-warnings" },
    ...all.map((warning) => element("li", {}, [warning.text, warning.remedy].filter(Boolean).join(" "))));
}
