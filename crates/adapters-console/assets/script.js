// Conveniences; every page works without them.
"use strict";
document.addEventListener("submit", (event) => {
  const question = event.submitter && event.submitter.dataset.confirm;
  if (question && !window.confirm(question)) event.preventDefault();
});
const many = document.querySelector("table th.pick");
if (many) {
  const all = document.createElement("input");
  all.type = "checkbox";
  all.setAttribute("aria-label", "Choose all of this page");
  all.addEventListener("change", () => {
    document.querySelectorAll("td.pick input").forEach((box) => { box.checked = all.checked; });
  });
  many.replaceChildren(all);
}
document.addEventListener("keydown", (event) => {
  const within = event.target.closest("input, textarea, select");
  if (event.ctrlKey || event.metaKey || event.altKey || (within && within.type !== "checkbox")) return;
  const links = [...document.querySelectorAll("tbody th a")];
  if (!links.length || (event.key !== "j" && event.key !== "k")) return;
  const at = links.indexOf(document.activeElement);
  const next = event.key === "j" ? Math.min(at + 1, links.length - 1) : Math.max(at - 1, 0);
  links[next].focus();
});
