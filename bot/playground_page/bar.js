// The bar above simcord's page: the way back, the other places, and keeping what is shown up to date.
const words = JSON.parse(document.querySelector('meta[name="parlour-words"]').content);
const query = new URLSearchParams(location.search);
const bar = document.createElement("nav");
bar.className = "parlour-bar";
bar.innerHTML = '<a></a><select></select><span class="gone" hidden></span><button hidden></button><span class="first" hidden></span>';
document.body.prepend(bar);
const [back, where, gone, reopen, first] = bar.children;
back.textContent = words.back;
back.href = "/";
where.setAttribute("aria-label", words.where);
reopen.textContent = words.reopen;
first.textContent = words.first;
reopen.onclick = () => location.assign(`/open?${query}`);

let standing = null;
let world = null; // in which this page was opened
let changes = -1;
let asked = false;

// Who looks is chosen in simcord's own picker; its entries bear the people's names.
function person() {
  const name = document.getElementById("viewer-picker")?.selectedOptions[0]?.textContent.trim();
  return standing?.people.find((one) => one.name === name)?.id || query.get("person");
}

// A Preview that another tab opened shows first whom that one chose.
function beWhoWasAsked() {
  const picker = document.getElementById("viewer-picker");
  const name = standing.people.find((one) => one.id === query.get("person"))?.name;
  const wanted = [...(picker?.options || [])].find((option) => option.textContent.trim() === name);
  if (!wanted) return false;
  if (!wanted.selected) {
    picker.value = wanted.value;
    picker.dispatchEvent(new Event("change"));
  }
  return true;
}

back.onclick = () => { back.href = `/?person=${person()}`; };
where.onchange = () => location.assign(`/open?channel=${where.value}&person=${person()}`);

// Links to Discord's own site lead to the same place here.
document.addEventListener("click", (event) => {
  const link = event.target instanceof Element ? event.target.closest('a[href^="https://discord.com/channels/"]') : null;
  if (!link || !standing) return;
  event.preventDefault();
  event.stopPropagation();
  const channel = new URL(link.href).pathname.split("/")[3];
  location.assign(`/open?channel=${channel}&person=${person()}`);
}, true);

function fill(select, entries, chosen) {
  const wanted = JSON.stringify([entries, chosen]);
  if (select.dataset.shows === wanted || document.activeElement === select) return;
  select.dataset.shows = wanted;
  select.replaceChildren(...entries.map(([value, label]) => new Option(label, value, false, value === chosen)));
  if (chosen === null) select.selectedIndex = -1; // so that each of them can be chosen
}

function atRest() {
  // Never under somebody's fingers: not while a dialog is open, nor while they type or choose.
  if (document.querySelector("dialog[open], [role=dialog]:not([hidden])")) return false;
  const active = document.activeElement;
  if (active && active.matches("input, textarea, [contenteditable=true], [role=textbox], [role=combobox], [role=option]")) {
    return !(active.value || active.textContent || "").trim();
  }
  return true;
}

// Why what is shown below is not so any more, or "" where it is; whether it can be opened again.
function tell(why, again) {
  gone.textContent = why;
  gone.hidden = !why;
  reopen.hidden = !again;
  if (why) first.hidden = true;
}

async function look() {
  let fresh;
  try {
    fresh = await (await fetch(`/playground/state?person=${person()}`, { cache: "no-store" })).json();
  } catch {
    tell(words.silent, false);
    return;
  }
  standing = fresh;
  world ??= standing.world;
  asked ||= beWhoWasAsked();
  const signs = { channel: "#", thread: "↳", direct: "@" };
  const seen = (place) => sessionStorage.getItem(`seen:${standing.person}:${place.id}`) || "";
  const anew = standing.world !== world;
  const here = standing.places.find((place) => place.id === query.get("channel"));
  if (here && !anew) sessionStorage.setItem(`seen:${standing.person}:${here.id}`, here.mark);
  fill(where, standing.places.map((place) => [place.id,
    `${signs[place.kind]} ${place.label}${place.mark && seen(place) !== place.mark ? ` ● ${words.unread}` : ""}`]),
    anew ? null : query.get("channel"));
  const closed = anew || standing.shown !== query.get("channel");
  first.hidden = Boolean(here?.mark) || here?.kind === "direct";
  if (anew) tell(words.anew, false);
  else if (closed) tell(standing.shown === "0" ? words.ended : words.gone, true);
  else tell("", false);
  if (!closed && standing.changes !== changes && atRest()) {
    if (changes >= 0) document.getElementById("refresh")?.click();
    changes = standing.changes;
  }
}

// simcord shows one place at a time: whichever tab somebody comes to shows its own again.
window.addEventListener("focus", async () => {
  await look();
  if (!reopen.hidden) reopen.onclick();
});

look();
setInterval(look, 1000);
