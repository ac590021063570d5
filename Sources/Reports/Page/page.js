// SPDX-License-Identifier: Apache-2.0
// Sorts, filters and copies rows, and shows values of timelines and zooms them. It creates its own controls, so pages
// are complete without it.
"use strict";
const make = (name, text, parent) => {
  const made = document.createElement(name);
  if (text) made.textContent = text;
  parent.append(made);
  return made;
};
const controls = (before, label) => {
  const box = document.createElement("div");
  box.className = "controls";
  box.setAttribute("role", "group");
  box.setAttribute("aria-label", label);
  before.before(box);
  return box;
};
const number = text => {
  const found = text.replace(/\s/g, "").match(/^[+-]?\d+(\.\d+)?/);
  return found ? parseFloat(found[0]) : NaN;
};
const compare = (a, b) => {
  const [x, y] = [number(a), number(b)];
  if (!isNaN(x) && !isNaN(y)) return x - y;
  if (isNaN(x) !== isNaN(y)) return isNaN(x) ? 1 : -1;
  return a.localeCompare(b);
};
const sortable = table => {
  const heads = [...table.tHead.rows[0].cells];
  const body = table.tBodies[0];
  heads.forEach((head, column) => {
    const words = head.textContent;
    head.textContent = "";
    const button = make("button", words, head);
    button.type = "button";
    button.addEventListener("click", () => {
      const order = head.getAttribute("aria-sort") === "ascending" ? "descending" : "ascending";
      heads.forEach(other => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", order);
      const sign = order === "ascending" ? 1 : -1;
      const key = row => row.cells[column].textContent;
      [...body.rows].sort((a, b) => sign * compare(key(a), key(b))).forEach(row => body.append(row));
    });
  });
};
const copyable = (before, text) => {
  const button = make("button", "Copy", controls(before, "Copy"));
  button.type = "button";
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(text());
    button.textContent = "Copied";
  });
};
const csv = table => [...table.rows].map(row => [...row.cells].map(cell =>
  '"' + cell.textContent.replace(/"/g, '""') + '"').join(",") + "\n").join("");
const filter = (before, words, entries, text, heads = []) => {
  const box = controls(before, words);
  const label = make("label", words + " ", box);
  const input = make("input", "", label);
  input.type = "search";
  const choices = heads.map(head => {
    const value = entry => entry.cells[head.cellIndex].textContent;
    const select = make("select", "", make("label", head.textContent + " ", box));
    make("option", "all", select).value = "";
    [...new Set(entries.map(value))].filter(Boolean).sort().forEach(text => make("option", text, select));
    return [select, value];
  });
  const count = make("output", "", box);
  const update = () => {
    const wanted = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    const chosen = choices.filter(choice => choice[0].value);
    for (const entry of entries) {
      entry.hidden = !(wanted.every(word => text(entry).toLowerCase().includes(word)) &&
        chosen.every(([select, value]) => value(entry) === select.value));
    }
    const shown = entries.filter(entry => !entry.hidden).length;
    count.textContent = wanted.length || chosen.length ? shown + " of " + entries.length : "";
  };
  input.addEventListener("input", update);
  choices.forEach(choice => choice[0].addEventListener("change", update));
};
const points = path => {
  const numbers = (path.getAttribute("d").match(/-?\d+/g) || []).map(Number);
  const found = [];
  let [x, y] = [0, 0];
  for (let i = 0; i + 1 < numbers.length; i += 2) {
    x += numbers[i];
    y += numbers[i + 1];
    found.push([x, y]);
  }
  return found;
};
const scale = text => text.split(" ").map(Number);
const near = (all, x) => {
  let [low, high] = [0, all.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (all[middle][0] <= x) low = middle; else high = middle - 1;
  }
  return all[low];
};
const read = (plot, x) => {
  const [width, height] = plot.whole.slice(2);
  plot.cursor.setAttribute("d", "M" + x + " 0V" + height);
  const [first, last] = scale(plot.dataset.time);
  const [least, most] = scale(plot.dataset.size);
  const found = plot.lines.filter(line => line[1].length).map(line =>
    line[0] + " " + (most - (near(line[1], x)[1] / height) * (most - least)).toFixed(2) + " MiB");
  plot.output.textContent = (first + (x / width) * (last - first)).toFixed(1) + " ms: " + found.join(", ");
};
const ticks = (axis, time) => {
  const lines = [...axis.querySelectorAll("line")];
  [...axis.querySelectorAll("text")].forEach((text, i, all) => {
    const part = (i + 0.5) / all.length;
    text.setAttribute("x", 100 * part + "%");
    ["x1", "x2"].forEach(name => lines[i].setAttribute(name, 100 * part + "%"));
    text.setAttribute("text-anchor", "middle");
    const [from, to] = [time(0), time(1)];
    text.textContent = time(part).toFixed(to - from < 20 ? 2 : to - from < 200 ? 1 : 0);
  });
};
const zoomable = box => {
  const plots = [...box.querySelectorAll(".plot")];
  const bar = controls(box, "Time of all pictures");
  for (const plot of plots) {
    plot.whole = plot.getAttribute("viewBox").split(" ").map(Number);
    plot.lines = [...plot.querySelectorAll("[data-line]")].map(path => [path.dataset.line, points(path)]);
    plot.cursor = document.createElementNS("http://www.w3.org/2000/svg", "path");
    plot.cursor.setAttribute("class", "cursor");
    plot.append(plot.cursor);
    plot.axis = plot.parentElement.querySelector(".x-axis");
    plot.drawn = plot.axis.innerHTML;
    plot.output = make("output", "", plot.closest("figure"));
  }
  const end = plots[0].whole[2];
  const [first, last] = scale(plots[0].dataset.time);
  let [from, width] = [0, end];
  const show = (start, wide) => {
    width = Math.min(end, Math.max(end / 200, wide));
    from = Math.min(end - width, Math.max(0, start));
    for (const plot of plots) {
      plot.setAttribute("viewBox", from + " 0 " + width + " " + plot.whole[3]);
      plot.parentElement.querySelector(".band-names").style.visibility = width < end ? "hidden" : "";
      if (width < end) ticks(plot.axis, part => first + ((from + part * width) / end) * (last - first));
      else plot.axis.innerHTML = plot.drawn;
    }
  };
  const deeds = {
    "Zoom in": () => show(from + width / 4, width / 2),
    "Zoom out": () => show(from - width / 2, width * 2),
    "Earlier": () => show(from - width / 3, width),
    "Later": () => show(from + width / 3, width),
    "Whole": () => show(0, end),
  };
  for (const [words, deed] of Object.entries(deeds)) {
    const button = make("button", words, bar);
    button.type = "button";
    button.addEventListener("click", deed);
  }
  const slider = make("input", "", make("label", "Read at ", bar));
  slider.type = "range";
  slider.max = 1000;
  slider.addEventListener("input", () => plots.forEach(plot => read(plot, from + (slider.value / 1000) * width)));
  for (const plot of plots) {
    const svg = plot.parentElement;
    const place = event => {
      const bounds = svg.getBoundingClientRect();
      return from + Math.min(1, Math.max(0, (event.clientX - bounds.left) / bounds.width)) * width;
    };
    let start = null;
    svg.addEventListener("pointermove", event => read(plot, place(event)));
    svg.addEventListener("pointerdown", event => { start = event.pointerType === "mouse" ? place(event) : null; });
    svg.addEventListener("pointerup", event => {
      const [low, high] = [start, place(event)].sort((a, b) => a - b);
      if (start !== null && high - low > width / 50) show(low, high - low);
      start = null;
    });
    svg.addEventListener("dblclick", () => show(0, end));
  }
};
for (const table of document.querySelectorAll("table")) {
  if (table.tBodies[0].rows.length < 2) continue;
  sortable(table);
  copyable(table.parentElement, () => csv(table));
  const choices = [...table.querySelectorAll("th.choice")];
  if (table.tBodies[0].rows.length < 8 && !choices.length) continue;
  filter(table.parentElement, "Show rows with", [...table.tBodies[0].rows], row => row.textContent, choices);
}
document.querySelectorAll("pre").forEach(code => copyable(code, () => code.textContent));
for (const box of document.querySelectorAll(".figures")) {
  const figures = [...box.querySelectorAll("figure")];
  if (figures.length > 6) filter(box, "Show pictures of", figures, figure => figure.firstChild.textContent);
}
document.querySelectorAll(".timelines").forEach(zoomable);
