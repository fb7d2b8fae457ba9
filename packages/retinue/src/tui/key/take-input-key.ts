/** Keys while a text is typed: suggestions first, then what sends, moves or leaves, then the text itself. */
import type { Key, KeyName } from "../input/key-reader.ts";
import { EMPTY_TEXT, moveLine, textOf } from "../input/text-editor.ts";
import { deleteMark, toImagePaths } from "../input/pasted-images.ts";
import { editWith } from "./edit-with-key.ts";
import type { KeyPorts } from "./key-ports.ts";

/** Whether the suggestions have taken the key. */
export const takeSuggestion = (key: Key, { state, acts }: KeyPorts): boolean => {
  const { completion } = state;
  if (!completion || completion.suggestions.length === 0 || key.type !== "key") return false;
  const { suggestions, from } = completion;
  const { name } = key;
  if (name === "up" || name === "down" || name === "shift-tab") {
    const count = suggestions.length;
    state.suggested = (state.suggested + count + (name === "down" ? 1 : -1)) % count;
    return true;
  }
  if (name === "esc") {
    state.completion = undefined;
    return true;
  }
  if (name !== "tab" && name !== "enter") return false;
  const { text } = suggestions[state.suggested] ?? suggestions[0] ?? { text: "" };
  const typed = state.input.text.slice(from, state.input.cursor);
  // What is whole already is sent, and so is an argument: it may be any.
  const isArgument = !typed.startsWith("/") && !typed.startsWith("@");
  if (name === "enter" && (isArgument || typed === text.trim())) return false;
  const head = state.input.text.slice(0, from) + text;
  state.input = { text: head + state.input.text.slice(state.input.cursor), cursor: head.length };
  state.completion = undefined;
  acts.complete();
  return true;
};

const enterTree = ({ state, acts }: KeyPorts, isOpened: boolean): void => {
  const [first] = acts.shownRuns();
  state.inTree = first !== undefined;
  if (first === undefined) state.notice = "No agent works now; the tree is here while a turn runs.";
  state.selected ??= first;
  if (isOpened) state.opened = state.selected;
};

const MEANINGS: Partial<Record<KeyName, (ports: KeyPorts) => void>> = {
  enter: (ports) => send(ports, "now"),
  "alt-enter": (ports) => send(ports, "after"),
  // Text is never lost by Esc; with no view to leave, the turn in view can be stopped.
  esc: ({ state, acts }) => {
    if (state.opened === undefined) state.stopOffer = acts.offerStop();
    else state.opened = undefined;
  },
  "ctrl-d": ({ state, acts }) => {
    if (state.input.text === "") acts.leave();
  },
  tab: (ports) => {
    if (ports.state.input.text === "") enterTree(ports, false);
    else ports.acts.complete();
  },
  "ctrl-o": (ports) => enterTree(ports, true),
  up: (ports) => moveVertically(-1, ports),
  down: (ports) => moveVertically(1, ports),
};

export const takeInput = (key: Key, ports: KeyPorts): void => {
  const { state, acts } = ports;
  const meaning = key.type === "key" ? MEANINGS[key.name] : undefined;
  if (meaning) return meaning(ports);
  const paths = key.type === "paste" ? toImagePaths(key.text) : undefined;
  if (key.type === "paste" && paths) return acts.attach(paths, key.text);
  const unmarked = key.type === "key" && key.name === "backspace" ? deleteMark(state.input, state.images) : undefined;
  const edited = unmarked ?? editWith(state.input, key);
  if (!edited) return;
  state.input = edited;
  state.historyAt = 0;
  acts.complete();
};

const moveVertically = (by: -1 | 1, { state, acts }: KeyPorts): void => {
  const moved = moveLine(state.input, by);
  if (moved) {
    state.input = moved;
    return;
  }
  if (by === -1 && state.input.text === "" && state.historyAt === 0 && acts.takeBackLater()) return;
  const at = state.historyAt - by;
  if (at < 0 || at > state.history.length) return;
  if (state.historyAt === 0) state.beforeHistory = state.input;
  state.historyAt = at;
  state.input = at === 0 ? state.beforeHistory : textOf(state.history[at - 1] ?? "");
  state.completion = undefined;
};

const send = ({ state, acts }: KeyPorts, how: "now" | "after"): void => {
  const { text, cursor } = state.input;
  if (how === "now" && text.endsWith("\\") && cursor === text.length) {
    state.input = textOf(`${text.slice(0, -1)}\n`);
    return;
  }
  if (text.trim() === "") return;
  state.input = EMPTY_TEXT;
  state.historyAt = 0;
  state.completion = undefined;
  if (state.history[0] !== text) state.history = [text, ...state.history];
  acts.submit(text, how);
};
