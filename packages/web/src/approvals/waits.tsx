/** How long a question has waited, by the one clock of the page. */
import { clock } from "../parts/amounts.ts";
import { useNow } from "../parts/clock.ts";

export const Waits = ({ since }: { readonly since: string }) => (
  <span className="elapsed">waits {clock(useNow() - Date.parse(since))}</span>
);
