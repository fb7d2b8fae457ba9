// @ts-nocheck -- it runs in a browser, whose types this project does without
/** What the shop does in the browser: saves and deletes without loading the page anew, asks before it deletes, and tells what happened. */
const byId = (id) => document.getElementById(id);

(() => {
  const bugs = new Set(window.shopBugs);
  const TOAST_MS = 1500;
  let hiding;
  const toast = (text) => {
    byId("toast").textContent = text;
    clearTimeout(hiding);
    hiding = setTimeout(() => (byId("toast").textContent = ""), TOAST_MS);
  };
  const show = ({ rows, total, count }) => {
    byId("count").textContent = count;
    byId("rows").innerHTML = rows;
    byId("total").textContent = total;
  };

  const deliver = async () => {
    const response = await fetch("/api/delivery");
    const { text } = await response.json();
    if (!bugs.has("delayed-never")) byId("delivery").textContent = text;
  };

  const save = async (form) => {
    const product = Object.fromEntries(["name", "price", "quantity"].map((field) => [field, form.elements[field].value]));
    const response = await fetch("/api/products", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(product),
    });
    const answer = await response.json();
    for (const field of ["name", "price", "quantity"]) byId(`${field}-error`).textContent = answer.errors?.[field] ?? "";
    if (answer.errors) return;
    if (!response.ok && !bugs.has("save-500")) return toast("The product could not be saved.");
    if (response.ok) show(answer);
    form.reset();
    if (!bugs.has("toast-missing")) toast(`${product.name} was saved.`);
  };

  const remove = async (id, name) => {
    const response = await fetch(`/api/products/${id}`, { method: "DELETE" });
    if (!response.ok) return toast(`${name} could not be deleted.`);
    if (!bugs.has("stale-list")) show(await response.json());
    toast(`${name} was deleted.`);
  };

  let asked;
  const askToDelete = (id, name) => {
    asked = { id, name };
    byId("confirm-title").textContent = `Delete ${name}?`;
    byId("confirm").showModal();
  };
  const answer = (isYes) => {
    byId("confirm").close();
    if (isYes) void remove(asked.id, asked.name);
  };

  const upload = async (form) => {
    const [file] = form.elements.file.files;
    if (!file) return toast("Choose a file first.");
    const response = await fetch(`/api/files?name=${encodeURIComponent(file.name)}`, { method: "POST", body: await file.text() });
    const { files } = await response.json();
    byId("files").innerHTML = files;
    toast(`${file.name} was uploaded.`);
  };

  if (byId("delivery")) void deliver();
  byId("confirm-cancel")?.addEventListener("click", () => answer(bugs.has("cancel-deletes")));
  byId("confirm-delete")?.addEventListener("click", () => answer(true));
  byId("new-product")?.addEventListener("submit", (event) => {
    event.preventDefault();
    void save(event.target);
  });
  byId("upload")?.addEventListener("submit", (event) => {
    event.preventDefault();
    void upload(event.target);
  });
  byId("rows")?.addEventListener("click", ({ target }) => {
    if (target.dataset.delete !== undefined) askToDelete(target.dataset.delete, target.dataset.name);
  });
  if (byId("rows") && bugs.has("console-error")) throw new TypeError("stock.level is not a function");
})();
