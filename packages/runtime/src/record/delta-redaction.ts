/** The streamed pieces of one turn without secrets, also where a secret lies across several of them. */
import type { EventOf } from "@retinue/protocol";
import type { Redactor, TextStream } from "./redactor.ts";

type Kind = EventOf<"model.delta">["kind"];

export type DeltaRedaction = {
  /** Empty where all of it is held back. */
  readonly push: (kind: Kind, text: string) => string;
  /** What was held back, in the order of the kinds. */
  readonly end: () => readonly { readonly kind: Kind; readonly text: string }[];
  /** What came so far is void. */
  readonly reset: () => void;
};

export const createDeltaRedaction = (redactor: Redactor): DeltaRedaction => {
  const streams = new Map<Kind, TextStream>();
  return {
    push: (kind, text) => {
      let stream = streams.get(kind);
      if (!stream) streams.set(kind, (stream = redactor.stream()));
      return stream.push(text);
    },
    end: () =>
      [...streams].flatMap(([kind, stream]) => {
        const text = stream.end();
        return text === "" ? [] : [{ kind, text }];
      }),
    reset: () => streams.clear(),
  };
};
