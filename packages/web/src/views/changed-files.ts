/** The files that the runs of a session changed, from what their calls were given, in the order of the calls. */
import type { RunView, SessionView } from "@retinue/client";
import type { FileDiff } from "../parts/file-diff.ts";
import { isWithin, type TimeRange } from "../session/time-range.ts";
import { diffsOf } from "../tree/call-diffs.ts";

export type FileChange = { readonly run: RunView; readonly callId: string; readonly at: string; readonly diff: FileDiff };

/** By path; one of several changes is by one call. With a range, only those that were made within it. */
export const readChangedFiles = (
  view: SessionView,
  range: TimeRange | null = null,
): ReadonlyMap<string, readonly FileChange[]> => {
  const files = new Map<string, FileChange[]>();
  for (const run of view.runs.values())
    for (const call of run.calls.values()) {
      if (call.outcome !== "ok" || (call.tool !== "edit" && call.tool !== "write")) continue;
      if (range !== null && !isWithin(call.settledAt, range)) continue;
      for (const diff of diffsOf(call)) {
        const changes = files.get(diff.path) ?? [];
        changes.push({ run, callId: call.callId, at: call.settledAt ?? "", diff });
        files.set(diff.path, changes);
      }
    }
  for (const changes of files.values()) changes.sort((a, b) => (a.at < b.at ? -1 : 1));
  return files;
};
