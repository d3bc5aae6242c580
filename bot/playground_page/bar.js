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
gone.textContent = words.gone;
reopen.textContent = words.reopen;
first.textContent = words.first;
reopen.onclick = () => location.assign(`/open?${query}`);

let standing = null;
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

async function look() {
  try {
    const answer = await fetch(`/playground/state?person=${person()}`, { cache: "no-store" });
    standing = await answer.json();
    asked ||= beWhoWasAsked();
    const signs = { channel: "#", thread: "↳", direct: "@" };
    const seen = (place) => sessionStorage.getItem(`seen:${standing.person}:${place.id}`) || "";
    const here = standing.places.find((place) => place.id === query.get("channel"));
    if (here) sessionStorage.setItem(`seen:${standing.person}:${here.id}`, here.mark);
    fill(where, standing.places.map((place) => [place.id,
      `${signs[place.kind]} ${place.label}${place.mark && seen(place) !== place.mark ? ` ● ${words.unread}` : ""}`]),
      query.get("channel"));
    const closed = standing.shown !== query.get("channel");
    gone.hidden = reopen.hidden = !closed;
    first.hidden = closed || Boolean(here?.mark) || here?.kind === "direct";
    if (!closed && standing.changes !== changes && atRest()) {
      if (changes >= 0) document.getElementById("refresh")?.click();
      changes = standing.changes;
    }
  } catch (error) {
    console.warn("The playground does not answer.", error);
  }
}

// simcord shows one place at a time: whichever tab somebody comes to shows its own again.
window.addEventListener("focus", async () => {
  await look();
  if (!reopen.hidden) reopen.onclick();
});

look();
setInterval(look, 1000);
