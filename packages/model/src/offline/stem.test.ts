import { expect, it } from "vitest";
import { toStem } from "./stem.ts";

it.each([
  [["handle", "handles", "handled", "handling", "handler", "handlers"], "handl"],
  [["limit", "limits", "limited", "limiting"], "limit"],
  [["query", "queries", "queried", "querying"], "quer"],
  [["stop", "stops", "stopped", "stopping"], "stop"],
  [["cancel", "cancels", "cancelled", "cancelling"], "cancel"],
  [["call", "calls", "called", "calling"], "call"],
  [["class", "classes"], "class"],
  [["configure", "configuration", "configured"], "configur"],
  [["string", "strings"], "string"],
  [["status"], "status"],
])("the forms %j share the stem %s", (words, stem) => {
  expect([...new Set(words.map(toStem))]).toEqual([stem]);
});
