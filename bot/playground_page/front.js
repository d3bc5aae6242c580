// Keeps the list of places fresh, and marks what this person has not opened since it changed.
const person = new URLSearchParams(location.search).get("person") || "";
const key = (id) => `seen:${person}:${id}`;

function mark() {
  for (const link of document.querySelectorAll("#places a")) {
    const seen = sessionStorage.getItem(key(link.dataset.id)) || "";
    link.parentElement.classList.toggle("fresh", Boolean(link.dataset.mark) && seen !== link.dataset.mark);
    link.onclick = () => sessionStorage.setItem(key(link.dataset.id), link.dataset.mark);
  }
}

async function refresh() {
  const silent = document.getElementById("silent");
  let text;
  try {
    const answer = await fetch(location.href, { cache: "no-store" });
    if (!answer.ok) throw new Error(answer.statusText);
    text = await answer.text();
  } catch {
    silent.hidden = false;
    return;
  }
  silent.hidden = true;
  const fresh = new DOMParser().parseFromString(text, "text/html");
  document.getElementById("anew").hidden = fresh.body.dataset.world === document.body.dataset.world;
  for (const id of ["places", "time"]) {
    const old = document.getElementById(id);
    const next = fresh.getElementById(id);
    if (old.innerHTML !== next.innerHTML && !old.contains(document.activeElement)) old.innerHTML = next.innerHTML;
  }
  mark();
}

mark();
setInterval(refresh, 2000);
