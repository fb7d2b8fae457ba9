/** Where the page begins. A token in the address is taken for a cookie and leaves the address at once. */
import { createRoot } from "react-dom/client";
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/parts.css";
import "./styles/text.css";
import "./styles/shell.css";
import "./styles/tree.css";
import "./styles/screens.css";
import "./styles/views.css";
import { call } from "./server/call.ts";
import { App } from "./shell/app.tsx";
import { applyTheme } from "./shell/theme.ts";

const takeToken = async (): Promise<void> => {
  const token = new URLSearchParams(location.hash.slice(1)).get("token");
  if (token === null) return;
  history.replaceState(null, "", location.pathname + location.search);
  // A wrong token leads to the screen that asks for one.
  await call("signIn", { body: { token } }).catch(() => undefined);
};

applyTheme();
const page = document.querySelector("#page");
if (page === null) throw new Error("The page has no place to be drawn in.");
await takeToken();
createRoot(page).render(<App />);
