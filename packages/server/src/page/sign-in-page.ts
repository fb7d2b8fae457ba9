/** What somebody without a key sees: a page that takes the token from the link, or asks for it, and nothing of what the server holds. */

export const SIGN_IN_HTML = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Retinue</title>
    <link rel="stylesheet" href="/sign-in.css" />
    <script type="module" src="/sign-in.js"></script>
  </head>
  <body>
    <main>
      <h1>Retinue</h1>
      <p id="what" role="status">Open the link that <code>retinue serve</code> printed, or enter its token or the password.</p>
      <form id="form">
        <label for="key">Token or password</label>
        <input id="key" type="password" autocomplete="current-password" required />
        <button type="submit">Sign in</button>
      </form>
    </main>
  </body>
</html>
`;

/** The token is in the part of the link that browsers send to nobody; it is taken out of the address at once. */
export const SIGN_IN_SCRIPT = `const what = document.querySelector("#what");
const signIn = async (keys) => {
  const answer = await fetch("/api/sign-in", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(keys),
  });
  if (answer.ok) return location.reload();
  const told = await answer.json().catch(() => undefined);
  what.textContent = [told?.error?.message, told?.error?.hint].filter(Boolean).join(" ") || "The server did not answer.";
};
const token = new URLSearchParams(location.hash.slice(1)).get("token");
if (token) {
  history.replaceState(null, "", location.pathname + location.search);
  await signIn({ token });
} else if ((await fetch("/api/status")).ok) location.reload();
document.querySelector("#form").addEventListener("submit", async (event) => {
  event.preventDefault();
  const key = document.querySelector("#key").value.trim();
  await signIn(key.length === 43 ? { token: key } : { password: key });
});
`;

export const SIGN_IN_STYLE = `:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; }
main { width: min(26rem, calc(100vw - 2rem)); }
form { display: grid; gap: 0.5rem; }
input, button { font: inherit; padding: 0.5rem 0.75rem; }
`;

/** The same as the page's own icon. */
export const FAVICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#1b1c1e"/><circle cx="10" cy="9" r="3.6" fill="#fff"/><circle cx="22.5" cy="16" r="2.8" fill="#6ea8fe"/><circle cx="22.5" cy="24.5" r="2.8" fill="#57c785"/><path d="M10 12.5v8.500a3.500 3.500 0 0 0 3.500 3.500h6M10 12.500a3.500 3.500 0 0 0 3.500 3.500h6" fill="none" stroke="#fff" stroke-opacity=".55" stroke-width="1.600"/></svg>`;

/** Stands in for the page where it was not built. */
export const UNBUILT_HTML = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Retinue</title>
    <link rel="stylesheet" href="/sign-in.css" />
  </head>
  <body>
    <main>
      <h1>Retinue</h1>
      <p>The server works, but its page is not built here.</p>
      <p>In a checkout, <code>npm start</code> builds it and starts again. The routes are described at <a href="/api/openapi.json">/api/openapi.json</a>.</p>
    </main>
  </body>
</html>
`;
