// Brings the newest message into view: when the page opens, when another person looks, whenever one comes, and when
// it is another one after somebody has pressed something on it.
// simcord's own page stays at the bottom only where it was there before, and puts itself back where it was while
// it redraws; so the bottom is held for a moment, unless somebody scrolls meanwhile.
{
  const HOLD = 1500; // milliseconds, in which simcord has redrawn and pictures have their height
  const ANSWER = 4000; // the same, with the bot's answer before
  const timeline = document.getElementById("channel-timeline");
  const list = document.getElementById("channel-message-list");
  let newest = 0n;
  let until = 0;

  function hold() {
    if (performance.now() >= until) return;
    timeline.scrollTop = timeline.scrollHeight;
    requestAnimationFrame(hold);
  }

  function bring(milliseconds) {
    const held = performance.now() < until;
    until = performance.now() + milliseconds;
    if (!held) hold();
  }

  function look() {
    const last = [...list.querySelectorAll("[data-message-id]")].at(-1);
    const id = last ? BigInt(last.dataset.messageId) : 0n;
    if (id > newest) bring(HOLD);
    newest = id; // where the newest was deleted, what comes next is new too
  }

  if (timeline && list) {
    new MutationObserver(look).observe(list, { childList: true });
    for (const scrolls of ["wheel", "touchmove", "keydown", "pointerdown"]) {
      timeline.addEventListener(scrolls, () => { until = 0; }, { passive: true });
    }
    document.getElementById("viewer-picker")?.addEventListener("change", () => bring(HOLD));
    list.addEventListener("click", (event) => {
      if (event.target.closest("[data-message-id]")?.dataset.messageId === String(newest)) bring(ANSWER);
    });
    look();
  }
}
