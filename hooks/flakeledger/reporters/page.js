"use strict";
(function () {
  const root = document.documentElement;
  const prefersDark = window.matchMedia("(prefers-color-scheme: dark)");

  // Colours: what the system prefers, until somebody chooses. The choice is kept where the browser lets a page keep it.
  const KEPT = "flakeledger-theme";
  function kept() {
    try { return window.localStorage.getItem(KEPT); } catch { return null; }
  }
  function keep(theme) {
    try { window.localStorage.setItem(KEPT, theme); } catch { /* a page from disk may have no storage */ }
  }
  function isDark() {
    return root.dataset.theme ? root.dataset.theme === "dark" : prefersDark.matches;
  }
  const themeButton = document.getElementById("theme");
  function nameTheme() {
    themeButton.textContent = isDark() ? "Light colours" : "Dark colours";
  }
  const chosen = kept();
  if (chosen === "dark" || chosen === "light") root.dataset.theme = chosen;
  themeButton.addEventListener("click", function () {
    root.dataset.theme = isDark() ? "light" : "dark";
    keep(root.dataset.theme);
    nameTheme();
  });
  prefersDark.addEventListener("change", nameTheme);
  nameTheme();
  themeButton.hidden = false;

  // Sorting: a button in each heading. Rows without a value stand last in either direction; equals keep their order.
  const collator = new Intl.Collator("en", { numeric: true });
  function keyOf(row, column, kind) {
    const cell = row.cells[column];
    if (kind !== "number") return cell.textContent.trim();
    return cell.dataset.key === "" ? null : Number(cell.dataset.key);
  }
  function compared(kind, direction) {
    return function (left, right) {
      if (left.key === null || right.key === null) return (left.key === null) - (right.key === null);
      return direction * (kind === "number" ? left.key - right.key : collator.compare(left.key, right.key));
    };
  }
  function sort(table, heading) {
    const ascending = heading.getAttribute("aria-sort") !== "ascending";
    const kind = heading.dataset.kind;
    const body = table.tBodies[0];
    const rows = Array.from(body.rows, function (row) {
      return { row: row, key: keyOf(row, heading.cellIndex, kind) };
    });
    rows.sort(compared(kind, ascending ? 1 : -1));
    const sorted = document.createDocumentFragment();
    for (const one of rows) sorted.append(one.row);
    body.append(sorted);
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", ascending ? "ascending" : "descending");
  }
  for (const table of document.querySelectorAll("table.sortable")) {
    for (const heading of table.tHead.rows[0].cells) {
      if (!heading.dataset.kind) continue;
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = heading.textContent;
      heading.replaceChildren(button);
      button.addEventListener("click", function () { sort(table, heading); });
    }
  }

  // Filtering: a row stays while it holds every word that is searched, and has every value that is chosen.
  const texts = new WeakMap();
  function textOf(row) {
    if (!texts.has(row)) texts.set(row, row.textContent.toLowerCase());
    return texts.get(row);
  }
  function filter(controls) {
    const rows = document.getElementById(controls.dataset.table).tBodies[0].rows;
    const words = controls.querySelector("input").value.toLowerCase().split(/\s+/).filter(Boolean);
    const selects = Array.from(controls.querySelectorAll("select")).filter(function (one) { return one.value; });
    let shown = 0;
    for (const row of rows) {
      const fits = selects.every(function (one) { return row.dataset[one.dataset.field] === one.value; })
        && words.every(function (word) { return textOf(row).includes(word); });
      row.hidden = !fits;
      shown += fits ? 1 : 0;
    }
    const status = controls.querySelector("[role=status]");
    const noun = rows.length === 1 ? status.dataset.one : status.dataset.many;
    status.textContent = shown.toLocaleString("en") + " of " + rows.length.toLocaleString("en") + " " + noun;
  }
  for (const controls of document.querySelectorAll(".filters")) {
    let waiting = 0;
    controls.addEventListener("input", function () {
      window.clearTimeout(waiting);
      waiting = window.setTimeout(function () { filter(controls); }, 120);
    });
    controls.hidden = false;
    filter(controls);
  }

  root.dataset.ready = "true";
})();
