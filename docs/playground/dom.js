// Elements of a page, made in one call. Texts of tables enter as text and never as markup.

export function element(tag, attributes = {}, ...children) {
  const out = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) out.addEventListener(name.slice(2), value);
    else if (value === true) out.setAttribute(name, "");
    else if (value !== false && value != null) out.setAttribute(name, value);
  }
  out.append(...children.filter((child) => child != null));
  return out;
}

export function replace(node, ...children) {
  node.replaceChildren(...children.filter((child) => child != null));
}

// A number as people read it: four digits that count, and no more than the number has.
export function short(value) {
  if (value === null || value === undefined || Number.isNaN(value)) return "-";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e7 || size < 1e-4) return value.toExponential(2);
  return String(Number(value.toPrecision(4)));
}

// Offers a file to keep. Nothing is sent: the file is made here.
export function download(name, content, type) {
  const address = URL.createObjectURL(new Blob([content], { type }));
  const link = element("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 60000);
}
