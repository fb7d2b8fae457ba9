/** A script that runs in every page that a person is recorded in, and tells what the person does: clicks, typed fields, choices, files, Enter. Elements are told as they are perceived: by role and name. */

export const RECORD = "__retinueRecord";

export const RECORD_SCRIPT = `(() => {
  const tell = window[${JSON.stringify(RECORD)}];
  if (!tell) return;
  delete window[${JSON.stringify(RECORD)}];
  const clean = (text) => (text || "").replace(/\\s+/g, " ").trim().slice(0, 120);
  const INPUTS = { checkbox: "checkbox", radio: "radio", range: "slider", number: "spinbutton", search: "searchbox", button: "button", submit: "button", reset: "button", image: "button", file: "button" };
  const roleOf = (element) => {
    const given = element.getAttribute("role");
    if (given) return given.trim().split(" ")[0];
    const tag = element.localName;
    if (tag === "input") return INPUTS[element.type] || "textbox";
    if (tag === "textarea" || element.isContentEditable) return "textbox";
    if (tag === "select") return element.multiple || element.size > 1 ? "listbox" : "combobox";
    if (tag === "a") return "link";
    if (tag === "summary" || tag === "button") return "button";
    return "generic";
  };
  const byIds = (element) => (element.getAttribute("aria-labelledby") || "").split(" ").map((id) => document.getElementById(id)?.textContent || "").join(" ");
  const nameOf = (element) => {
    const labels = [...(element.labels || [])].map((label) => {
      const copy = label.cloneNode(true);
      for (const inner of copy.querySelectorAll("input,select,textarea")) inner.remove();
      return copy.textContent;
    }).join(" ");
    const isField = /^(input|select|textarea)$/.test(element.localName);
    const shown = isField ? (/^(button|submit|reset)$/.test(element.type) ? element.value || element.type : "") : element.innerText || element.querySelector("img[alt]")?.alt;
    return [byIds(element), element.getAttribute("aria-label"), labels, shown, element.alt, element.placeholder, element.title].map(clean).find((name) => name !== "") || "";
  };
  const ACTS = "button,a[href],input,select,textarea,summary,[role=button],[role=link],[role=tab],[role=menuitem],[role=option],[role=checkbox],[role=radio],[role=switch],[contenteditable=''],[contenteditable=true]";
  /** Where it is, if that is what tells it from its like. */
  const placeOf = (element, role, name) => {
    const like = [...document.querySelectorAll(ACTS)].filter((one) => roleOf(one) === role && nameOf(one) === name && one.getClientRects().length > 0);
    const around = like.length > 1 ? element.closest("tr,li,[role=row],[role=listitem],[role=dialog],dialog,fieldset,section[aria-label]") : null;
    if (!around) return null;
    const head = around.getAttribute("aria-label") || around.querySelector("th,td,h1,h2,h3,h4,legend,strong,a")?.textContent || around.textContent;
    return clean(head).slice(0, 60) || null;
  };
  const describe = (element) => {
    const role = roleOf(element);
    const name = nameOf(element);
    return { role, name, place: placeOf(element, role, name) };
  };
  const isText = (element) => element.localName === "textarea" || element.isContentEditable || (element.localName === "input" && !/^(checkbox|radio|button|submit|reset|image|file|range|color)$/.test(element.type));
  const CODE = /one-?time|otp|totp|2fa|verification.?code/i;
  const SECRET = /(^|[^a-z])(pin|cvc|cvv|passcode|passphrase|security.?code)([^a-z]|$)/i;
  const typed = new WeakMap();
  const secrecyOf = (element) => {
    const about = [element.name, element.id, element.autocomplete, nameOf(element)].join(" ");
    if (CODE.test(about)) return "code";
    return element.type === "password" || /password|cc-(number|csc)/.test(element.autocomplete || "") || SECRET.test(about) ? "secret" : "none";
  };
  const tellTyped = (element) => {
    const value = element.isContentEditable ? element.innerText : element.value;
    if ((typed.get(element) ?? "") === value) return;
    typed.set(element, value);
    const secrecy = secrecyOf(element);
    tell({ kind: "type", ...describe(element), value, secrecy });
  };
  const origin = (event) => event.composedPath().find((one) => one.nodeType === 1);
  addEventListener("change", (event) => {
    const element = origin(event);
    if (!element) return;
    if (element.localName === "select") tell({ kind: "select", ...describe(element), value: clean(element.selectedOptions[0]?.label), state: element.multiple ? null : element.value, secrecy: "none" });
    else if (element.type === "file") tell({ kind: "upload", ...describe(element), value: [...element.files].map(({ name }) => name).join(", "), secrecy: "none" });
    else if (isText(element)) tellTyped(element);
  }, true);
  // A window may be closed without the field having been left. What is secret is told only when it is whole.
  let pause;
  addEventListener("input", (event) => {
    const element = origin(event);
    clearTimeout(pause);
    if (element && isText(element) && secrecyOf(element) === "none") pause = setTimeout(() => tellTyped(element), 250);
  }, true);
  addEventListener("keydown", (event) => {
    const element = origin(event);
    if (!event.isTrusted || event.key !== "Enter" || !element || !isText(element) || element.localName === "textarea" || element.isContentEditable) return;
    tellTyped(element);
    // Where the form has a button, the browser clicks it, which is told by itself.
    if (!element.form?.querySelector("button:not([type=button]):not([type=reset]),input[type=submit],input[type=image]")) tell({ kind: "press", ...describe(element), value: "Enter", secrecy: "none" });
  }, true);
  addEventListener("click", (event) => {
    const element = origin(event)?.closest(ACTS) || origin(event);
    if (!event.isTrusted || !element || isText(element) || element.localName === "select" || element.localName === "option" || element.type === "file") return;
    // A label hands its click on to its field.
    if (element.localName === "label" || (element.closest("label")?.control && element.closest("label").control !== element && !element.matches(ACTS))) return;
    if (document.activeElement && isText(document.activeElement)) tellTyped(document.activeElement);
    const state = /^(checkbox|radio)$/.test(element.type || "") ? (element.checked ? "checked" : "unchecked") : null;
    tell({ kind: "click", ...describe(element), value: "", state, secrecy: "none" });
  }, true);
})()`;
