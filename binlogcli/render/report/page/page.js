// What the page adds where scripts run: lists that fold, filter and sort; commands that copy; a timeline that narrows.
"use strict";
(() => {
  const SHOWN = 10;
  const all = (within, what) => Array.from(within.querySelectorAll(what));
  const make = (name, attributes, text) => {
    const element = Object.assign(document.createElement(name), attributes);
    if (text) element.textContent = text;
    return element;
  };

  // A list is a table or the list of problems; its units are what is folded and sorted: bodies, rows or items.
  const unitsOf = (list) =>
    list.matches(".entries") ? Array.from(list.tBodies) : Array.from(list.tBodies ? list.tBodies[0].rows : list.children);

  const setUp = (list) => {
    const units = unitsOf(list);
    const folds = units.length > SHOWN && !list.matches(".whole");
    const state = { open: false, words: "" };
    const count = make("span", { role: "status" });
    const more = make("button", { type: "button" });
    const show = () => {
      let found = 0;
      for (const unit of unitsOf(list)) {
        const fits = unit.textContent.toLowerCase().includes(state.words);
        if (fits) found += 1;
        unit.classList.toggle("folded", !fits || (!state.open && found > SHOWN));
      }
      const shown = state.open ? found : Math.min(found, SHOWN);
      count.textContent = `${shown.toLocaleString("en")} of ${units.length.toLocaleString("en")} shown`;
      more.hidden = found <= SHOWN;
      more.textContent = state.open ? `Show the first ${SHOWN}` : `Show all ${found.toLocaleString("en")}`;
      more.setAttribute("aria-expanded", String(state.open));
    };
    if (folds) {
      const row = make("div", { className: "bar-row" });
      const box = make("input", { type: "search", placeholder: "Filter" });
      box.setAttribute("aria-label", `Filter ${list.caption ? list.caption.textContent : list.id.replace(/^t-/, "")}`);
      box.addEventListener("input", () => { state.words = box.value.trim().toLowerCase(); show(); });
      more.addEventListener("click", () => { state.open = !state.open; show(); });
      row.append(box, count, more);
      (list.closest(".scroll") || list).before(row);
      show();
    }
    if (list.tHead) all(list, "thead th").forEach((head) => addSorting(list, head, show, folds));
  };

  const addSorting = (list, head, show, folds) => {
    const button = make("button", { type: "button" }, head.textContent);
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") !== "descending";
      const number = head.classList.contains("n");
      const key = (unit) => {
        const cell = (unit.rows ? unit.rows[0] : unit).cells[head.cellIndex];
        const raw = cell.dataset.v ?? cell.textContent;
        return number ? (raw === "" ? -Infinity : Number(raw)) : raw;
      };
      const keyed = unitsOf(list).map((unit) => [key(unit), unit]);
      keyed.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0) * (down ? -1 : 1));
      const place = list.matches(".entries") ? list : list.tBodies[0];
      place.append(...keyed.map(([, unit]) => unit));
      for (const other of all(list, "th")) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      if (folds) show();
    });
  };

  const addCopying = (block) => {
    const code = block.querySelector("code");
    const button = make("button", { type: "button" }, "Copy");
    button.setAttribute("aria-label", "Copy the command");
    button.addEventListener("click", () => {
      getSelection().selectAllChildren(code); // where the clipboard is closed to pages, it is marked to be copied
      const done = () => { button.textContent = "Copied"; setTimeout(() => { button.textContent = "Copy"; }, 1500); };
      if (navigator.clipboard) navigator.clipboard.writeText(code.textContent).then(done, () => {});
    });
    block.append(button);
  };

  const setUpPlot = (plot) => {
    const count = Number(plot.dataset.count);
    const views = all(plot, "svg.view");
    const axis = plot.querySelector("svg.axis");
    const ticks = axis.innerHTML;
    const boxes = all(plot, ".boxes rect").map((box) => {
      const title = box.querySelector("title");
      const found = { box, at: Number(box.getAttribute("x")), time: box.dataset.t, text: title.textContent };
      title.remove(); // the tip tells it
      return found;
    });
    const template = plot.parentElement.dataset.stretch;
    const tip = make("div", { className: "tip", hidden: true });
    const brush = make("div", { className: "brush", hidden: true });
    const tools = make("div", { className: "plot-tools" });
    const status = make("span", { role: "status" }, "Drag over a period, or click a bar, to zoom in.");
    const reset = make("button", { type: "button", hidden: true }, "Show all");
    const command = make("div", { className: "cmd", hidden: true });
    command.append(make("code"));
    addCopying(command);
    tools.append(status, reset, command);
    plot.append(tip, brush);
    plot.after(tools);
    plot.classList.add("live");
    plot.tabIndex = 0;
    plot.setAttribute("role", "group");
    plot.setAttribute("aria-label", "Timeline. Arrow keys move between bars, Enter zooms in, Escape shows all.");
    let from = 0, to = count, current = -1, start = null;

    const slot = (event) => {
      const area = plot.getBoundingClientRect();
      return from + Math.min(Math.max((event.clientX - area.left) / area.width, 0), 0.9999) * (to - from);
    };
    const left = (at) => (100 * (at - from)) / (to - from);
    const point = (at) => {
      if (boxes[current]) boxes[current].box.classList.remove("at");
      current = at;
      tip.hidden = at < 0;
      if (at < 0) return;
      boxes[at].box.classList.add("at");
      tip.textContent = boxes[at].text;
      const share = left(boxes[at].at + 0.5);
      tip.style.left = share < 50 ? `calc(${share}% + 1rem)` : "auto";
      tip.style.right = share < 50 ? "auto" : `calc(${100 - share}% + 1rem)`;
    };
    const label = (box) => { // short where all bars are of one day
      const [day, clock] = box.time.split("T");
      return boxes[0].time.startsWith(day) && boxes.at(-1).time.startsWith(day) ? clock.replace(/(Z|[-+]\d\d:\d\d)$/, "") : `${day} ${clock.slice(0, 5)}`;
    };
    const narrow = (low, high) => {
      from = Math.max(0, Math.floor(low));
      to = Math.min(count, Math.max(Math.ceil(high), from + 1));
      const whole = from === 0 && to === count;
      for (const view of views) view.setAttribute("viewBox", `${from} 0 ${to - from} 1000`);
      const inside = boxes.filter((box) => box.at >= from && box.at < to);
      if (whole) axis.innerHTML = ticks;
      else {
        const step = Math.max(1, Math.ceil(inside.length / (plot.clientWidth < 640 ? 3 : 6)));
        axis.replaceChildren(...inside.filter((_, at) => at % step === 0).map((box) => {
          const text = document.createElementNS("http://www.w3.org/2000/svg", "text");
          text.setAttribute("x", `${left(box.at)}%`);
          text.setAttribute("y", "17");
          if (left(box.at) > 85) text.setAttribute("text-anchor", "end");
          text.textContent = label(box);
          return text;
        }));
      }
      reset.hidden = whole;
      command.hidden = whole || !template || !inside.length;
      status.textContent = "Drag over a period, or click a bar, to zoom in.";
      if (whole || !inside.length) return;
      const next = boxes.find((box) => box.at >= to);
      const since = inside[0].time, until = next ? next.time : plot.dataset.end;
      status.textContent = `${since} to ${until}`;
      if (template) command.querySelector("code").textContent = template.replace("{since}", since).replace("{until}", until);
    };

    plot.addEventListener("pointerdown", (event) => {
      if (event.button === 0) { start = slot(event); plot.setPointerCapture(event.pointerId); }
    });
    plot.addEventListener("pointermove", (event) => {
      const at = slot(event);
      point(boxes.findIndex((box) => box.at === Math.floor(at)));
      brush.hidden = start === null;
      if (start === null) return;
      brush.style.left = `${left(Math.min(start, at))}%`;
      brush.style.width = `${Math.abs(left(at) - left(start))}%`;
    });
    plot.addEventListener("pointerup", (event) => {
      if (start === null) return;
      const end = slot(event), wide = to - from;
      brush.hidden = true;
      if (Math.abs(end - start) > wide / 100) narrow(Math.min(start, end), Math.max(start, end));
      else narrow(end - wide / 6, end + wide / 6);
      start = null;
      point(-1);
    });
    plot.addEventListener("pointercancel", () => { start = null; brush.hidden = true; });
    plot.addEventListener("pointerleave", () => { if (start === null) point(-1); });
    plot.addEventListener("keydown", (event) => {
      const inside = boxes.map((_, at) => at).filter((at) => boxes[at].at >= from && boxes[at].at < to);
      const place = inside.indexOf(current), wide = to - from;
      if (event.key === "ArrowRight") point(inside[Math.min(place + 1, inside.length - 1)]);
      else if (event.key === "ArrowLeft") point(inside[place < 0 ? inside.length - 1 : Math.max(place - 1, 0)]);
      else if (event.key === "Enter" && current >= 0) narrow(boxes[current].at + 0.5 - wide / 6, boxes[current].at + 0.5 + wide / 6);
      else if (event.key === "Escape") { narrow(0, count); point(-1); }
      else return;
      if (current >= 0 && event.key.startsWith("Arrow")) status.textContent = boxes[current].text;
      event.preventDefault();
    });
    plot.addEventListener("blur", () => point(-1));
    reset.addEventListener("click", () => { narrow(0, count); plot.focus(); });
  };

  const followSections = () => {
    const links = new Map(all(document, "nav a").map((link) => [link.hash.slice(1), link]));
    const seen = new Set();
    const watch = new IntersectionObserver((changes) => {
      for (const change of changes) seen[change.isIntersecting ? "add" : "delete"](change.target.id);
      const first = [...links.keys()].find((name) => seen.has(name));
      if (!first) return;
      for (const [name, link] of links) {
        if (name === first) {
          link.setAttribute("aria-current", "true");
          link.parentElement.scrollLeft = link.offsetLeft - 60; // a narrow window has no room for all
        }
        else link.removeAttribute("aria-current");
      }
    }, { rootMargin: "-10% 0px -60% 0px" });
    all(document, "main > section").forEach((section) => watch.observe(section));
  };

  all(document, ".list").forEach(setUp);
  all(document, ".cmd").forEach(addCopying);
  const plot = document.getElementById("plot");
  if (plot) setUpPlot(plot);
  followSections();
})();
