/** What a reader of an answer has to know about the index that it comes from. */
import { count } from "@retinue/confine";
import type { IndexState } from "./index-request.ts";

export const describeState = ({ waiting, leftOut, isFull }: IndexState): readonly string[] => [
  ...(waiting > 0 ? [`[the index is still being made: ${count(waiting, "file")} not read yet; ask again]`] : []),
  ...(isFull ? ["[there are more source files than are indexed; what is in the others was not found]"] : []),
  ...(leftOut > 0 ? [`[${count(leftOut, "file")} left out: too large, generated or not parsable]`] : []),
];
