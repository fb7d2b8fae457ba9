/** A page with a form of two buttons, on a free port, whose second button can be named, marked and moved otherwise while it runs: what healing is about. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export type NotesPage = {
  /** The name of the button that saves. */
  readonly button: string;
  readonly attributes: string;
  /** What stands before the buttons. */
  readonly before: string;
  /** What saving says. */
  readonly result: string;
  /** When the form shows its buttons; at once by default. */
  readonly lateMs?: number;
};

export const RECORDED: NotesPage = { button: "Save", attributes: 'data-testid="save" id="save"', before: "", result: "Saved" };

/** One in which the button can be found neither by its name, nor by its attributes, nor by its place. */
export const REBUILT: NotesPage = { button: "Store", attributes: "", before: "<button>Help</button>", result: "Saved" };

export const NOTES_CASE = (expected = "Saved"): string => `title: It saves
browser: { waitMs: 1500 }
steps:
  - action: Navigate to \${baseUrl}/
    expected: { check: visible, element: 'heading "Notes"', withinMs: 500 }
  - action: Click the Save button
    expected: { check: text, in: status, equals: ${expected}, withinMs: 500 }
`;

export type NotesApp = {
  readonly url: string;
  readonly show: (page: NotesPage) => void;
  /** The paths that were asked for. */
  readonly asked: readonly string[];
  readonly close: () => Promise<void>;
};

/** At `/saved` it looks as if it had been saved. */
export const startNotes = async (): Promise<NotesApp> => {
  let page = RECORDED;
  const asked: string[] = [];
  const server = createServer(({ url = "/" }, answer) => {
    asked.push(url);
    const { button, attributes, before, result, lateMs } = page;
    const form = `${before}<button>Cancel</button><button ${attributes} onclick="document.querySelector('[role=status]').textContent = '${result}'">${button}</button>`;
    const late =
      lateMs === undefined
        ? ""
        : `<script>const all = [...document.forms[0].children]; document.forms[0].replaceChildren(); setTimeout(() => document.forms[0].append(...all), ${lateMs})</script>`;
    answer.setHeader("content-type", "text/html");
    answer.end(
      `<title>Notes</title><h1>Notes</h1><form aria-label="Note" onsubmit="return false">${form}</form><p role=status>${url === "/saved" ? "Saved" : ""}</p>${late}`,
    );
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    show: (next) => void (page = next),
    asked,
    close: async () => void server.close(),
  };
};
