// Conveniences; every page works without them.
"use strict";
const all = (selector) => [...document.querySelectorAll(selector)];
const boxes = all("td.pick input"), rows = all("tbody th a"), keys = document.querySelector("#keys");

const help = document.querySelector("#show-keys");
if (help) {
  help.hidden = false;
  help.addEventListener("click", () => keys.showModal());
}
document.addEventListener("submit", (event) => {
  const question = event.submitter && event.submitter.dataset.confirm;
  if (question && !window.confirm(question)) event.preventDefault();
});

// Shows how many rows are chosen, and adds a box that chooses all.
const count = () => {
  const chosen = boxes.filter((box) => box.checked).length;
  all("output.chosen").forEach((output) => { output.textContent = `${chosen} chosen`; });
};
all("table th.pick").forEach((heading) => {
  const whole = document.createElement("input");
  whole.type = "checkbox";
  whole.setAttribute("aria-label", "Choose all of this page");
  whole.addEventListener("change", () => { boxes.forEach((box) => { box.checked = whole.checked; }); });
  heading.replaceChildren(whole);
  document.addEventListener("change", count);
  count();
});

// Finds the focused row again after a decision.
const box = () => document.activeElement.closest("tr")?.querySelector("td.pick input");
const place = sessionStorage.getItem("row");
sessionStorage.removeItem("row");
if (place && document.querySelector(".notice[role=status]")) rows[Math.min(place, rows.length - 1)]?.focus();

document.addEventListener("keydown", (event) => {
  const within = event.target.closest("input, textarea, select, dialog");
  if (event.ctrlKey || event.metaKey || event.altKey || (within && within.type !== "checkbox")) return;
  const row = document.activeElement.closest("tbody tr");
  const at = rows.findIndex((link) => row?.contains(link));
  const step = { j: 1, k: -1, ...(row && { ArrowDown: 1, ArrowUp: -1 }) }[event.key];
  const target = /^[a-z/]$/.test(event.key) && document.querySelector(`[data-key="${event.key}"]`);
  if (step) rows[Math.max(0, Math.min(at + step, rows.length - 1))]?.focus();
  else if (event.key === "?") keys?.showModal();
  else if (event.key === "x" && box()) box().click();
  else if (!target) return;
  else {
    if ((event.key === "a" || event.key === "r") && boxes.length) {
      if (!boxes.some((one) => one.checked)) box()?.click();
      if (!boxes.some((one) => one.checked)) return;
      if (at >= 0) sessionStorage.setItem("row", at);
    }
    if (target.matches("input")) { target.focus(); target.select(); }
    else if (target.matches("select")) target.focus();
    else target.click();
  }
  event.preventDefault();
});
