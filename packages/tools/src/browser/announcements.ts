/** A script that runs in every page and tells what the page announces to its users (status, alert, live regions), also what is gone again a moment later. */

export const ANNOUNCE = "__retinueAnnounce";

export const ANNOUNCE_SCRIPT = `(() => {
  const tell = window[${JSON.stringify(ANNOUNCE)}];
  if (!tell) return;
  delete window[${JSON.stringify(ANNOUNCE)}];
  const LIVE = "[role=status],[role=alert],[role=log],[aria-live=polite],[aria-live=assertive],output";
  const last = new WeakMap();
  const look = (element) => {
    const text = (element.innerText || "").replace(/\\s+/g, " ").trim().slice(0, 300);
    if (last.get(element) === text) return;
    last.set(element, text);
    if (text !== "") tell(text).catch(() => {});
  };
  const seen = (node) => {
    const element = node.nodeType === 1 ? node : node.parentElement;
    if (!element) return;
    const live = element.closest(LIVE);
    if (live) look(live);
    else if (node.nodeType === 1) for (const inner of element.querySelectorAll(LIVE)) look(inner);
  };
  new MutationObserver((changes) => {
    for (const { type, target, addedNodes } of changes) {
      if (type !== "childList" || target.closest?.(LIVE)) seen(target);
      else for (const node of addedNodes) seen(node);
    }
  }).observe(document, { subtree: true, childList: true, characterData: true, attributes: true, attributeFilter: ["class", "style", "hidden", "open"] });
})()`;
