/**
 * The tools of an agent that heals a step: those that the recording has used, those that look, and on a page those that act on its elements. So it can take no short cut that the
 * recording did not take, such as an address or a command that a user would not type.
 */
import type { GivenCall } from "@retinue/protocol";

const LOOKING: readonly string[] = ["browser_snapshot", "browser_take_screenshot", "screenshot"];

const ON_PAGES: readonly string[] = [
  "browser_click",
  "browser_type",
  "browser_select",
  "browser_press",
  "browser_hover",
  "browser_drag",
  "browser_wait",
  "browser_tabs",
  "browser_dialog",
];

export const healTools = (recorded: readonly Pick<GivenCall, "tool">[]): readonly string[] => {
  const used = recorded.map(({ tool }) => tool);
  const isOnPages = used.some((tool) => tool.startsWith("browser_"));
  return [...new Set([...LOOKING, ...(isOnPages ? ON_PAGES : []), ...used])];
};
