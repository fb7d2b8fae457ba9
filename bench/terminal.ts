/**
 * `npm run bench:terminal`: what a frame of the terminal interface costs while 10,000 events scroll by: folding, what is written to the scrollback, and the live part
 * drawn anew. Judged by the CPU time of the thread; ends with 1 where a frame in a hundred takes more than 50 ms.
 */
import { createSessionView } from "@retinue/client";
import { generateSession } from "@retinue/client/testing";
import type { RunView } from "@retinue/client";
import { composeFrame } from "../packages/retinue/src/tui/compose-frame.ts";
import { nameRuns } from "../packages/retinue/src/tui/draw/run-names.ts";
import { createLiveScreen } from "../packages/retinue/src/tui/screen/live-screen.ts";
import type { Row } from "../packages/retinue/src/tui/screen/row.ts";
import type { Conversation } from "../packages/retinue/src/tui/session/conversation.ts";
import { createTranscript } from "../packages/retinue/src/tui/session/transcript.ts";
import { createTuiState } from "../packages/retinue/src/tui/tui-state.ts";

const EVENTS = 10_000;
const MOST_MS = 50;
/** 30 frames a second while 3,000 events a second come in. */
const EVENTS_A_FRAME = 100;
const WARM_UP = 5;
const SIZE = { columns: 80, rows: 24 };

const plain = (text: string): string => text;
const store = createSessionView("ses_generated", { keepsLog: false });
const transcript = createTranscript({ width: () => SIZE.columns - 1, secrets: () => [], redact: plain, kind: "conversation" });
const root = (): RunView | undefined => store.view.roots.at(-1);
const feed = {
  sessionId: "ses_generated",
  view: store.view,
  transcript,
  lastEventAt: () => Date.now(),
  root,
  isWorking: () => true,
  close: () => undefined,
} as const;
const nothing = async (): Promise<never> => {
  throw new Error("nothing is started here");
};
const conversation: Conversation = {
  choices: {},
  main: () => feed,
  feeds: () => [feed],
  isWorking: () => true,
  later: () => [],
  say: nothing,
  sayLater: nothing,
  takeBackLater: () => undefined,
  beside: () => undefined,
  watch: () => () => undefined,
  open: nothing,
  startNew: () => undefined,
  stop: nothing,
  close: () => undefined,
};

let bytes = 0;
const screen = createLiveScreen({ write: (text) => void (bytes += text.length), size: () => SIZE, colours: "256" });
const state = createTuiState([]);
const source = generateSession({ runs: 400, turns: Math.ceil(EVENTS / 400 / 4), maxDepth: 5, width: 40, withLive: true });
const frames: number[] = [];
let events = 0;
let rows = 0;
while (events < EVENTS) {
  const from = process.threadCpuUsage();
  const finished: Row[] = [];
  for (let index = 0; index < EVENTS_A_FRAME; index += 1) {
    const { value, done } = source.next();
    if (done === true) throw new Error(`the session has only ${events} events`);
    store.apply(value);
    finished.push(...transcript.take(value, store.view));
    events += 1;
  }
  const frame = composeFrame({
    state,
    conversation,
    shown: undefined,
    diff: undefined,
    rule: undefined,
    waiting: 0,
    names: nameRuns(store.view.roots),
    project: "bench",
    model: "test/model",
    redact: plain,
    now: Date.now(),
    size: SIZE,
  });
  screen.draw({ finished, live: frame.live, cursor: frame.cursor });
  const { user, system } = process.threadCpuUsage(from);
  frames.push((user + system) / 1000);
  rows += finished.length;
}
const sorted = frames.slice(WARM_UP).toSorted((a, b) => a - b);
const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
const worst = at(0.99);
// The clock of a thread ticks coarsely: only their sum tells what a frame takes.
const mean = sorted.reduce((sum, ms) => sum + ms, 0) / sorted.length;
console.log(
  `${events} events in ${frames.length} frames at ${SIZE.columns}x${SIZE.rows}, ${store.view.runs.size} runs, ${rows} rows and ${bytes} bytes written: ` +
    `${mean.toFixed(2)} ms a frame, ${worst.toFixed(1)} ms at worst of a hundred (most: ${MOST_MS} ms)`,
);
process.exitCode = worst > MOST_MS ? 1 : 0;
