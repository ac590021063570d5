// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hashing

/// The script of pages: sorts and filters rows, and shows values of timelines and zooms them.
///
/// It creates its own controls, so pages are complete without it.
enum HTMLScript {
    static let text = "\n\"use strict\";\n" + tables + figures + zoom + start

    /// The hash of the only script that the page's policy allows.
    static let hash: String = {
        let bytes = Array(text.utf8)
        let digest = bytes.withUnsafeBytes { SHA256.digest(of: $0) }
        return "sha256-" + Data(digest).base64EncodedString()
    }()

    private static let tables = #"""
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

        """#

    private static let figures = #"""
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
        const readable = (plot, output) => {
          const [width, height] = plot.getAttribute("viewBox").split(" ").slice(2).map(Number);
          const [first, last] = scale(plot.dataset.time);
          const [least, most] = scale(plot.dataset.size);
          const lines = [...plot.querySelectorAll("[data-line]")].map(path => [path.dataset.line, points(path)]);
          const cursor = document.createElementNS("http://www.w3.org/2000/svg", "path");
          cursor.setAttribute("class", "cursor");
          plot.append(cursor);
          return x => {
            cursor.setAttribute("d", "M" + x + " 0V" + height);
            const time = first + (x / width) * (last - first);
            const read = lines.filter(line => line[1].length).map(line =>
              line[0] + " " + (most - (near(line[1], x)[1] / height) * (most - least)).toFixed(2) + " MiB");
            output.textContent = time.toFixed(1) + " ms: " + read.join(", ");
          };
        };

        """#
}
