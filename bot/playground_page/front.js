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
  try {
    const answer = await fetch(location.href, { cache: "no-store" });
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
    for (const id of ["places", "time"]) {
      const old = document.getElementById(id);
      const next = fresh.getElementById(id);
      if (old && next && old.innerHTML !== next.innerHTML && !old.contains(document.activeElement)) {
        old.innerHTML = next.innerHTML;
      }
    }
    mark();
  } catch (error) {
    console.warn("The playground does not answer.", error);
  }
}

mark();
setInterval(refresh, 2000);
