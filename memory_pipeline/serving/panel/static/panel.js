"use strict";
// Lists that follow what is typed, and keys to move in them. Without this script every page works by links and forms.

const PAUSE_MS = 120;

function live(form) {
  const list = document.getElementById(form.dataset.live);
  let waiting = 0;
  let asked = null;

  function address(part) {
    const given = new URLSearchParams();
    for (const [name, value] of new FormData(form)) {
      if (value) given.set(name, value);
    }
    if (part) given.set("part", "list");
    return `${form.action}?${given}`;
  }

  async function refresh() {
    if (asked) asked.abort();
    asked = new AbortController();
    const mine = asked;
    list.setAttribute("aria-busy", "true");
    try {
      const answer = await fetch(address(true), { signal: mine.signal, headers: { Accept: "text/html" } });
      if (!answer.ok || answer.redirected) {
        window.location.assign(address(false));
        return;
      }
      const text = await answer.text();
      if (mine !== asked) return;
      list.replaceChildren(...new DOMParser().parseFromString(text, "text/html").body.childNodes);
      window.history.replaceState(null, "", address(false));
    } catch (error) {
      if (error.name !== "AbortError") window.location.assign(address(false));
      return;
    }
    list.setAttribute("aria-busy", "false");
  }

  function soon() {
    window.clearTimeout(waiting);
    waiting = window.setTimeout(refresh, PAUSE_MS);
  }

  form.addEventListener("input", soon);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    window.clearTimeout(waiting);
    refresh();
  });
}

function narrow(form) {
  const rows = [...document.querySelectorAll("[data-row]")];
  form.addEventListener("input", () => {
    const wanted = form.querySelector("[data-search]").value.trim().toLowerCase();
    for (const row of rows) row.hidden = !row.dataset.row.includes(wanted);
  });
}

function move(event, step) {
  const search = document.querySelector("[data-search]");
  const items = [...document.querySelectorAll("[data-item]")];
  const at = items.indexOf(document.activeElement);
  if (at < 0 && (document.activeElement !== search || step < 0)) return;
  event.preventDefault();
  const next = at + step;
  if (next < 0) search.focus();
  else if (next < items.length) items[next].focus();
}

function typing(target) {
  return target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const search = document.querySelector("[data-search]");
  if (!search) return;
  if (event.key === "/" && !typing(event.target)) {
    event.preventDefault();
    search.focus();
    search.select();
  } else if (event.key === "ArrowDown") {
    if (event.target.tagName !== "SELECT" && event.target.tagName !== "TEXTAREA") move(event, 1);
  } else if (event.key === "ArrowUp") {
    if (event.target.tagName !== "SELECT" && event.target.tagName !== "TEXTAREA") move(event, -1);
  }
});

for (const form of document.querySelectorAll("form[data-live]")) live(form);
for (const form of document.querySelectorAll("form[data-rows]")) narrow(form);
