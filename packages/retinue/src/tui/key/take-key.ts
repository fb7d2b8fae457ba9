/**
 * What a key does. Who may take it is decided in one order: a stop that is offered, a reason that is typed, a question that is open, the tree, the suggestions,
 * and at last the input; so that one key never means two things.
 */
import type { Key } from "../input/key-reader.ts";
import { EMPTY_TEXT } from "../input/text-editor.ts";
import { hasFreeKeys } from "../tui-state.ts";
import type { KeyPorts } from "./key-ports.ts";
import { takeInput, takeSuggestion } from "./take-input-key.ts";
import { openQuestion, takeQuestion, takeReason, takeRemark } from "./take-question-key.ts";
import { takeTree } from "./take-tree-key.ts";

/** Two presses of Ctrl-C within this time leave. */
const TWICE_MS = 2000;

export const takeKey = (key: Key, ports: KeyPorts): void => {
  const { state, queue } = ports;
  if (key.type === "focus") {
    state.hasFocus = key.hasFocus;
    queue.focused();
    return;
  }
  state.notice = undefined;
  if (key.type === "key" && key.name === "ctrl-c") return interrupt(ports);
  if (key.type === "key" && key.name === "ctrl-l") return ports.acts.redraw();
  if (state.stopOffer) {
    queue.typed();
    return takeStop(key, ports);
  }
  const shown = queue.shown(hasFreeKeys(state));
  if (shown?.reason !== undefined) return takeReason(key, shown, ports);
  if (shown?.isOpen === true && takeRemark(key, shown.question, ports)) return;
  if (key.type === "key" && key.name === "ctrl-g") return openQuestion(shown, ports);
  if (shown?.isOpen === true && takeQuestion(key, shown, ports)) return;
  // Whoever presses keys for something else is not answering a moment later.
  queue.typed();
  if (state.inTree) return takeTree(key, ports);
  if (key.type === "key" && key.name === "page-up") return ports.acts.page(1);
  if (key.type === "key" && key.name === "page-down") return ports.acts.page(-1);
  if (takeSuggestion(key, ports)) return;
  takeInput(key, ports);
};

const interrupt = ({ state, acts, now }: KeyPorts): void => {
  const isTwice = now() - state.interruptedAt < TWICE_MS;
  state.interruptedAt = now();
  if (isTwice) return acts.leave();
  state.stopOffer = undefined;
  if (state.input.text !== "") {
    // What was typed is one ↑ away.
    state.history = [state.input.text, ...state.history];
    state.input = EMPTY_TEXT;
    state.historyAt = 0;
    state.notice = "↑ brings the text back; Ctrl-C again leaves.";
    return;
  }
  state.notice = acts.stopTurn() ? "Stopping the turn; Ctrl-C again leaves." : "Ctrl-C again leaves.";
};

const takeStop = (key: Key, { state, acts }: KeyPorts): void => {
  const offer = state.stopOffer;
  if (!offer) return;
  if (key.type === "text" && (key.text === "f" || key.text === "n")) {
    state.stopOffer = undefined;
    acts.stop(offer.runId, key.text === "f");
  } else if (key.type === "key" && key.name === "esc") state.stopOffer = undefined;
};
