/** Where what Retinue itself asks the user meets the screen: each question waits until it is answered, or no longer wanted. */
import type { AskQuestion } from "./question.ts";

export type AskHub = {
  readonly ask: (
    asked: { readonly question: string; readonly options: readonly string[]; readonly by?: string },
    signal: AbortSignal,
  ) => Promise<string | undefined>;
  /** Those that wait, oldest first. */
  readonly open: () => readonly AskQuestion[];
  readonly onChange: (listener: () => void) => void;
};

export const createAskHub = (): AskHub => {
  const open = new Map<string, AskQuestion>();
  let changed: (() => void) | undefined;
  let last = 0;
  return {
    open: () => [...open.values()],
    onChange: (listener) => {
      changed = listener;
    },
    ask: ({ question, options, by }, signal) =>
      new Promise((resolve) => {
        last += 1;
        const id = `ask-${last}`;
        const settle = (answer: string | undefined): void => {
          if (!open.delete(id)) return;
          resolve(answer);
          changed?.();
        };
        open.set(id, { type: "ask", id, text: question, options, settle, ...(by === undefined ? {} : { by }) });
        if (signal.aborted) settle(undefined);
        else signal.addEventListener("abort", () => settle(undefined), { once: true });
        changed?.();
      }),
  };
};
