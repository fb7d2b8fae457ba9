/** Events that are lines, one JSON document each (NDJSON), read as server-sent events are: whole lines at once, the rest when its end has come. */
import { StringDecoder } from "node:string_decoder";
import { EVENT_CHARS } from "./sse-reader.ts";
import type { SseFault, SseReader } from "./sse-reader.ts";

export const createLineReader = <Stop>(onEvent: (name: string, data: string) => Stop | undefined): SseReader<Stop> => {
  const decoder = new StringDecoder("utf8");
  let rest = "";
  let spoke = false;
  const push = (bytes: Buffer): SseFault | Stop | undefined => {
    const lines = (rest + decoder.write(bytes)).split("\n");
    rest = lines.pop() ?? "";
    spoke = true;
    for (const line of lines) {
      const stop = line.trim() === "" ? undefined : onEvent("", line);
      if (stop !== undefined) return stop;
    }
    return rest.length > EVENT_CHARS ? { type: "too-large" } : undefined;
  };
  return {
    push,
    spoke: () => {
      const said = spoke;
      spoke = false;
      return said;
    },
    rest: () => rest + decoder.end(),
  };
};
