// SPDX-License-Identifier: Apache-2.0
// An expression: what a reader of the page cannot see or read at the width of its window, a line each.
(() => {
  const width = document.documentElement.clientWidth;
  const faults = [];
  if (document.documentElement.scrollWidth > width) {
    faults.push(`the page is ${document.documentElement.scrollWidth} px wide, and its window ${width} px`);
  }
  document.querySelectorAll("details").forEach(details => { details.open = true; });
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode;
    const parent = node.parentElement;
    if (!node.data.trim() || parent.closest("title,desc,script,style,option") || !parent.checkVisibility()) continue;
    // A picture that is scaled shows its text in another size than its style says.
    const scale = parent.getScreenCTM ? parent.getScreenCTM().a : 1;
    const size = parseFloat(getComputedStyle(parent).fontSize) * scale;
    if (size < 11.99) faults.push(`${size.toFixed(1)} px: ${node.data}`);
    // Text in a scrolling box can be reached there; a block of an icicle has its words as a tooltip, too.
    if (parent.closest(".scroll,pre,.block")) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const place = parent.closest("svg") ? parent.getBoundingClientRect() : range.getBoundingClientRect();
    if (place.left < -0.5 || place.right > width + 0.5) {
      faults.push(`from ${place.left.toFixed()} to ${place.right.toFixed()} of ${width} px: ${node.data}`);
    }
  }
  for (const element of document.querySelectorAll("main *")) {
    const style = getComputedStyle(element);
    if (style.overflowX !== "hidden" || element.closest("svg")) continue;
    if (element.scrollWidth > element.clientWidth + 1) faults.push(`cut: ${element.textContent.slice(0, 80)}`);
  }
  // Words of one picture that lie on each other.
  for (const chart of document.querySelectorAll("svg.chart")) {
    const texts = [...chart.querySelectorAll("text")].filter(text => text.checkVisibility() && !text.closest(".block"))
      .map(text => [text, text.getBoundingClientRect()]).filter(entry => entry[1].width > 0);
    texts.forEach(([text, a], index) => {
      for (const [other, b] of texts.slice(index + 1)) {
        const [across, down] = [Math.min(a.right, b.right) - Math.max(a.left, b.left),
          Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top)];
        if (across > 2 && down > 5) faults.push(`on each other: ${text.textContent} / ${other.textContent}`);
      }
    });
  }
  return faults;
})()
