/** Keys while one moves in the tree of agents: choose, fold, open, stop, speak to. */
import type { Key } from "../input/key-reader.ts";
import { textOf } from "../input/text-editor.ts";
import type { KeyPorts } from "./key-ports.ts";

const PAGE_ROWS = 8;

export const takeTree = (key: Key, { state, acts }: KeyPorts): void => {
  const runs = acts.shownRuns();
  const at = state.selected === undefined ? -1 : runs.indexOf(state.selected);
  const select = (index: number): void => {
    state.selected = runs[Math.max(0, Math.min(runs.length - 1, index))];
    if (state.opened !== undefined) state.opened = state.selected;
    state.openedScroll = 0;
  };
  const fold = (isFolded: boolean): void => {
    if (state.selected !== undefined) state.folds.set(state.selected, isFolded);
  };
  const open = (): void => {
    state.opened = state.opened === undefined ? state.selected : undefined;
    state.openedScroll = 0;
  };
  const scroll = (by: number): void => {
    state.openedScroll = Math.max(0, state.openedScroll + by);
  };
  const leave = (): void => {
    state.inTree = false;
  };
  const meanings: Readonly<Record<string, () => void>> = {
    // The innermost view is left first.
    esc: () => (state.opened === undefined ? leave() : open()),
    tab: leave,
    up: () => select(at - 1),
    k: () => select(at - 1),
    down: () => select(at + 1),
    j: () => select(at + 1),
    left: () => fold(true),
    h: () => fold(true),
    right: () => fold(false),
    l: () => fold(false),
    enter: open,
    "ctrl-o": open,
    "page-up": () => scroll(PAGE_ROWS),
    "page-down": () => scroll(-PAGE_ROWS),
    s: () => {
      state.stopOffer = state.selected === undefined ? undefined : acts.offerStop(state.selected);
    },
    m: () => {
      if (state.selected === undefined) return;
      leave();
      state.input = textOf(`/message ${acts.nameOf(state.selected)} `);
    },
  };
  if (key.type === "key") meanings[key.name]?.();
  else if (key.type === "text") meanings[key.text]?.();
};
