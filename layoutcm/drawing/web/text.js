// Numbers as text, colours and elements: what the matrix, the page viewer and the report have in common.
// These are plain functions without import and export: the report holds them in a classic script, the dashboard in a module.
// Labels and names are inserted as text, never as markup.
function make(tag, attributes = {}, ...children) {
  const is_svg = ["svg", "rect", "text", "line", "circle", "g"].includes(tag);
  const element = is_svg ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

// A pattern such as "{gt} in A, {pred} in B" with its names replaced by texts.
const filled = (pattern, texts) => pattern.replace(/\{(\w+)\}/g, (_, name) => texts[name]);

// Numbers as text, as layoutcm.wording writes them; a test compares both.
// `toFixed` rounds a half up; Python rounds it to the even digit.
function fixed(v, n) {
  const exact = v.toFixed(n + 30), cut = exact.slice(0, -30).replace(/\.$/, "");
  return exact.endsWith("5" + "0".repeat(29)) && "02468".includes(cut.at(-1)) ? cut : v.toFixed(n);
}
const is_whole = (v) => Math.abs(v - Math.round(v)) <= 1e-9 * Math.max(Math.abs(v), 1);
function thin_spaced(v) {
  const [whole, ...part] = fixed(v, is_whole(v) ? 0 : Math.abs(v) >= 1 ? 1 : 2).split(".");
  return [whole.replace(/\B(?=(\d{3})+$)/g, "\u202f"), ...part].join(".");
}
const significant = (v, n) => String(+fixed(v, Math.min(Math.max(n - 1 - Math.floor(Math.log10(v)), 0), 70)));
function percent(v) {
  if (v === null || v === 0) return v === null ? "–" : "0 %";
  const digits = +significant(100 * v, 3), p = v < 1 ? Math.min(digits, 99.9) : digits;
  return p < 0.001 ? "<0.001 %" : `${fixed(p, Math.max(2 - Math.floor(Math.log10(p)), 0))} %`;
}
const plain_percent = (v, n = 6) => `${significant(100 * v, n)} %`;
function score_text(v, n) {
  if (v < 0) return score_text(-v, n).replace(/^<?/, (less) => (less ? ">-" : "-"));
  const step = 10 ** -n;
  if (v > 0 && v < 1 && +fixed(v, n) === 0) return `<${fixed(step, n)}`;
  return fixed(v < 1 ? Math.min(v, 1 - step) : v, n);
}
function percent_brief(v) {
  const p = 100 * v;
  if (p < 0.05) return "<0.1";
  if (p >= 99.5 && p < 100) return fixed(Math.min(p, 99.9), 1);
  return fixed(p, p < 9.95 ? 1 : 0);
}
function pixels_brief(v) {
  if (v < 9.95 && !Number.isInteger(v)) return v >= 0.01 ? significant(v, 2) : "<0.01";
  if (v < 999.5) return fixed(v, 0);
  const power = [0, 1, 2, 3].filter((k) => v >= 999.5 * 1000 ** k).length, scaled = v / 1000 ** power;
  return fixed(scaled, scaled < 9.95 ? 1 : 0) + " kMGT"[power];
}
function short(text, most) {
  const letters = [...text];
  if (letters.length <= most) return text;
  const tail = Math.floor((most - 1) / 3);
  return letters.slice(0, most - 1 - tail).join("") + "…" + letters.slice(letters.length - tail).join("");
}
function cell_text(value, kind) {
  if (value === null) return kind === "text" ? "" : "–";
  return kind === "text" ? String(value) : kind === "share" || kind === "number" ? score_text(value, 4) : thin_spaced(value);
}

// Colours: one scale for correct cells and one for all others; zero is not coloured.
const channels = (colour) => [1, 3, 5].map((k) => parseInt(colour.slice(k, k + 2), 16));
function colour_at(scale, place) {
  for (let k = 1; k < scale.length; k++) {
    const [low, from] = scale[k - 1], [high, to] = scale[k];
    if (place <= high || k === scale.length - 1) {
      const part = Math.min(Math.max((place - low) / (high - low), 0), 1), a = channels(from), b = channels(to);
      return a.map((v, c) => Math.round(v + (b[c] - v) * part));
    }
  }
}
const css = (c) => `rgb(${c.join(",")})`;
function readable(c) {
  const [r, g, b] = c.map((v) => (v <= 10 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.179 ? "#000000" : "#ffffff";
}
