// SPDX-License-Identifier: Apache-2.0

extension HTMLScript {
    /// The functions that zoom and pan timelines, and show values under the pointer or by arrow keys.
    static let zoom = #"""
        const ticks = (svg, from, to) => {
          const axis = svg.querySelector(".x-axis");
          const texts = [...axis.querySelectorAll("text")];
          const lines = [...axis.querySelectorAll("line")];
          const plot = svg.querySelector(".plot");
          const [left, width] = [plot.x.baseVal.value, plot.width.baseVal.value];
          texts.forEach((text, i) => {
            const part = (i + 0.5) / texts.length;
            const x = left + part * width;
            text.setAttribute("x", x);
            lines[i].setAttribute("x1", x);
            lines[i].setAttribute("x2", x);
            text.textContent = (from + part * (to - from)).toFixed(to - from < 20 ? 2 : to - from < 200 ? 1 : 0);
          });
        };
        const zoomable = figure => {
          const svg = figure.querySelector("svg");
          const plot = svg.querySelector(".plot");
          const box = controls(figure.lastElementChild, "Time of " + figure.dataset.name);
          const whole = plot.getAttribute("viewBox").split(" ").map(Number);
          const [first, last] = scale(plot.dataset.time);
          const axis = svg.querySelector(".x-axis");
          const asDrawn = axis.innerHTML;
          let [from, width, at] = [0, whole[2], null];
          const show = () => {
            width = Math.min(whole[2], Math.max(whole[2] / 200, width));
            from = Math.min(whole[2] - width, Math.max(0, from));
            plot.setAttribute("viewBox", from + " 0 " + width + " " + whole[3]);
            const isWhole = width >= whole[2];
            svg.querySelector(".band-names").style.visibility = isWhole ? "" : "hidden";
            const time = x => first + (x / whole[2]) * (last - first);
            if (isWhole) axis.innerHTML = asDrawn; else ticks(svg, time(from), time(from + width));
          };
          const zoomTo = (factor, around) => {
            const middle = around ?? at ?? from + width / 2;
            const part = (middle - from) / width;
            width *= factor;
            width = Math.min(whole[2], width);
            from = middle - part * width;
            show();
          };
          const deeds = {
            "Zoom in": () => zoomTo(0.5),
            "Zoom out": () => zoomTo(2),
            "Earlier": () => { from -= width / 3; show(); },
            "Later": () => { from += width / 3; show(); },
            "Whole": () => { from = 0; width = whole[2]; show(); },
            "◀ read": () => step(-1),
            "read ▶": () => step(1),
          };
          for (const [words, deed] of Object.entries(deeds)) {
            const button = make("button", words, box);
            button.type = "button";
            button.addEventListener("click", deed);
          }
          const output = make("output", "", box);
          const read = readable(plot, output);
          const step = sign => {
            at = Math.min(from + width, Math.max(from, (at ?? from + width / 2) + (sign * width) / 50));
            read(at);
          };
          const place = event => {
            const bounds = plot.getBoundingClientRect();
            const frame = svg.getBoundingClientRect();
            const unit = frame.width / svg.viewBox.baseVal.width;
            const left = frame.left + plot.x.baseVal.value * unit;
            return from + ((event.clientX - left) / (plot.width.baseVal.value * unit)) * width;
          };
          svg.addEventListener("pointermove", event => {
            const x = place(event);
            if (x < from || x > from + width) return;
            at = x;
            read(x);
          });
          svg.addEventListener("wheel", event => {
            if (!event.ctrlKey) return;
            event.preventDefault();
            zoomTo(event.deltaY < 0 ? 0.8 : 1.25, place(event));
          }, { passive: false });
          svg.addEventListener("dblclick", event => zoomTo(0.5, place(event)));
        };

        """#

    /// The code that runs when the page is loaded.
    static let start = #"""
        for (const table of document.querySelectorAll("table")) {
          if (table.tBodies[0].rows.length < 2) continue;
          sortable(table);
          const choices = [...table.querySelectorAll("th.choice")];
          if (table.tBodies[0].rows.length < 8 && !choices.length) continue;
          filter(table.parentElement, "Show rows with", [...table.tBodies[0].rows], row => row.textContent, choices);
        }
        for (const section of document.querySelectorAll("section")) {
          const figures = [...section.querySelectorAll("figure")];
          if (figures.length < 4) continue;
          filter(figures[0], "Show pictures of", figures, figure => figure.dataset.name);
        }
        document.querySelectorAll("figure.zoomable").forEach(zoomable);

        """#
}
