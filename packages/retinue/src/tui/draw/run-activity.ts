/** What a run is doing at this moment, in a few words, and whether it has been quiet for long and why. */
import type { CallView, RunView } from "@retinue/client";
import { formatHandedOver } from "../../cli/format-transfer.ts";
import { safeName } from "../screen/row.ts";
import { clock } from "./clock.ts";
import { describeCall } from "./describe-call.ts";
import type { RunNames } from "./run-names.ts";

const openCallOf = (run: RunView): CallView | undefined => run.steps.at(-1)?.calls.findLast(({ state }) => state !== "settled");

const firstLine = (text: string): string => safeName(text.trim().split("\n", 1)[0] ?? "");

const taskOf = (run: RunView): string => firstLine(run.task.map((part) => (part.type === "text" ? part.text : "")).join(" "));

/** Of results, the first line that says something. */
export const summaryLine = (run: RunView): string => {
  const { result } = run;
  if (result === null) return "";
  if (result.error && result.status !== "completed") return firstLine(result.error.message);
  const line =
    result.summary.split("\n").find((one) => one.trim() !== "" && !/^#+\s|^\[offline model\b/.test(one)) ?? result.summary;
  return firstLine(line.replace(/^#+\s*/, "").replaceAll(/\*\*|`/g, ""));
};

export const describeActivity = (run: RunView, names: RunNames): string => {
  switch (run.state.type) {
    case "settled":
      return summaryLine(run);
    case "unseen":
    case "requested":
      return taskOf(run);
    case "waiting": {
      const question = run.approvals.find(({ isClosed }) => !isClosed);
      if (question) return `wants to ${describeCall(question.act)}`;
      const waitedFor = run.children.filter(({ state }) => state.type !== "settled");
      const handedOver = formatHandedOver(run);
      if (handedOver !== undefined) return safeName(handedOver);
      const [only] = waitedFor;
      if (only === undefined) return "waits";
      return waitedFor.length === 1
        ? `waits for ${names.get(only.runId) ?? safeName(only.agent)}`
        : `waits for ${waitedFor.length} agents`;
    }
    case "running":
    case "finishing": {
      const step = run.steps.at(-1);
      const call = openCallOf(run);
      if (call)
        return call.progress === ""
          ? describeCall(call)
          : firstLine(`${call.tool}: ${call.progress.trim().split("\n").at(-1) ?? ""}`);
      if (step?.retrying) return `waits for ${safeName(step.retrying.model)}: ${firstLine(step.retrying.error.message)}`;
      if (step?.state === "asked") {
        if (step.toolInput !== "") return "prepares a call";
        if (step.text !== "") return run.state.type === "finishing" ? "hands in" : "writes";
        return step.reasoning === "" ? "asks the model" : "thinks";
      }
      return run.steps.length === 0 ? taskOf(run) : "works";
    }
    default:
      return run.state satisfies never;
  }
};

const RATE_LIMITED = "model_rate_limited";

/** What a run that tells nothing waits for. */
export const quietReason = (run: RunView): "model" | "tool" | "rate limit" | "child" => {
  if (run.children.some(({ state }) => state.type !== "settled")) return "child";
  if (openCallOf(run)) return "tool";
  const code = run.steps.at(-1)?.retrying?.error.code;
  return code === RATE_LIMITED ? "rate limit" : "model";
};

export const QUIET_AFTER_MS = 30_000;

/** `quiet 4:10 (model)`; empty while it is lively, and where a human is waited for. */
export const describeQuiet = (run: RunView, lastEventAt: number | undefined, now: number): string => {
  const { type } = run.state;
  if ((type !== "running" && type !== "finishing" && type !== "waiting") || lastEventAt === undefined) return "";
  if (run.state.type === "waiting" && run.state.on === "approval") return "";
  const quietMs = now - lastEventAt;
  return quietMs < QUIET_AFTER_MS ? "" : `quiet ${clock(quietMs)} (${quietReason(run)})`;
};
