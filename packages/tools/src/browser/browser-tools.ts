/** The tools that work in a browser. */
import type { AnyTool } from "@retinue/runtime";
import type { BrowserToolOptions } from "./browser-tool-options.ts";
import { createBrowserCheck } from "./browser-check.ts";
import { createBrowserClick } from "./browser-click.ts";
import { createBrowserClose } from "./browser-close.ts";
import { createBrowserDialog } from "./browser-dialog.ts";
import { createBrowserDrag } from "./browser-drag.ts";
import { createBrowserHover } from "./browser-hover.ts";
import { createBrowserNavigate } from "./browser-navigate.ts";
import { createBrowserPress } from "./browser-press.ts";
import { createBrowserSelect } from "./browser-select.ts";
import { createBrowserSnapshot } from "./browser-snapshot.ts";
import { createBrowserTabs } from "./browser-tabs.ts";
import { createBrowserTakeScreenshot } from "./browser-take-screenshot.ts";
import { createBrowserType } from "./browser-type.ts";
import { createBrowserUpload } from "./browser-upload.ts";
import { createBrowserWait } from "./browser-wait.ts";

export const createBrowserTools = (options: BrowserToolOptions): readonly AnyTool[] => [
  createBrowserNavigate(options),
  createBrowserClick(options),
  createBrowserType(options),
  createBrowserSelect(options),
  createBrowserPress(options),
  createBrowserHover(options),
  createBrowserDrag(options),
  createBrowserUpload(options),
  createBrowserWait(options),
  createBrowserSnapshot(options),
  createBrowserTakeScreenshot(options),
  createBrowserTabs(options),
  createBrowserDialog(options),
  createBrowserClose(options),
  createBrowserCheck(options),
];
