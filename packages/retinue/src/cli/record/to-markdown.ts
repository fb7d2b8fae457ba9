/**
 * A session as a Markdown document that needs nothing else to be read: the tree of runs, every turn with its calls, their arguments,
 * outputs and diffs, the results, and at the end the full texts behind shortened outputs.
 */
import { planToMarkdown } from "@retinue/runtime";
import { formatPlanEvent } from "../format-plan-event.ts";
import { type CallView, foldSession, type RunView } from "@retinue/client";
import type { EventOf, RecordedEvent, UserPart } from "@retinue/protocol";
import type { SessionExport } from "@retinue/store";
import { count, duration, localTime, money } from "../amounts.ts";
import { formatHandedOver } from "../format-transfer.ts";
import { formatWholeBill, showInput } from "../progress-renderer.ts";
import { formatSpent } from "../tree-bill.ts";
import { fenced, quoteMarkdown } from "./quote-markdown.ts";

export const toMarkdown = ({ session, events, artifacts, damage }: SessionExport): string => {
  const { roots, spent } = foldSession(session.sessionId, events);
  const forkedFrom = roots[0]?.requested?.forkedFrom;
  return [
    `# ${oneLine(session.title) || session.sessionId}`,
    [
      `- session: ${code(session.sessionId)}`,
      `- status: ${session.status}`,
      `- model: ${code(session.model)}`,
      `- folder: ${code(session.workspace)}`,
      `- from ${localTime(session.createdAt)} to ${localTime(session.updatedAt)}, ${count(session.headSeq, "event")}`,
      `- ${formatSpent(spent)}`,
      ...(forkedFrom ? [`- forked from ${code(forkedFrom.sessionId)} at event #${forkedFrom.seq}`] : []),
      ...(damage === null
        ? []
        : [
            `- **damaged**${damage.seq === null ? "" : ` at event #${damage.seq}`}: ${oneLine(damage.what)}. What follows verified.`,
          ]),
    ].join("\n"),
    "## Runs",
    roots.map((root) => toTree(root, 0)).join("\n"),
    ...roots.flatMap((root, index) => [`## Turn ${index + 1}`, ...toRun(root)]),
    ...(artifacts.length === 0 ? [] : ["## Artifacts", ...artifacts.flatMap(toArtifact)]),
  ]
    .join("\n\n")
    .concat("\n");
};

const oneLine = (text: string): string => quoteMarkdown(text.replace(/\s+/g, " ").trim()).slice(2);

const code = (text: string): string => {
  const ticks = "`".repeat(1 + Math.max(0, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length)));
  return `${ticks}${text.replace(/\s+/g, " ")}${ticks}`;
};

const seqOf = ({ requested }: RunView): string => (requested === null ? "its request is missing" : `#${requested.seq}`);

const toTree = (run: RunView, level: number): string => {
  const bill = run.result === null ? "not ended" : formatWholeBill(run.result, run);
  const handedOver = formatHandedOver(run);
  return [
    `${"  ".repeat(level)}- **${oneLine(run.agent)}** (${seqOf(run)}): ${bill}${handedOver === undefined ? "" : `; ${oneLine(handedOver)}`}`,
    ...run.children.map((child) => toTree(child, level + 1)),
  ].join("\n");
};

const DEEPEST_HEADING = 6;

const heading = ({ depth }: RunView, text: string): string => `${"#".repeat(Math.min(DEEPEST_HEADING, 3 + depth))} ${text}`;

const toRun = (run: RunView): readonly string[] => {
  const { agent, task, log, calls, children } = run;
  const told = new Set<RunView>();
  const blocks = [
    heading(run, `${oneLine(agent)}: task (${seqOf(run)})`),
    ...(task.length === 0 ? ["(goes on without a word)"] : [quoteMarkdown(toText(task))]),
  ];
  for (const event of log) {
    const call = event.type === "tool.settled" ? calls.get(event.callId) : undefined;
    if (event.type === "tool.settled" && call) blocks.push(...toCall({ run, event, call, told }));
    else blocks.push(...toBlocks(run, event));
  }
  for (const event of log) {
    const call = event.type === "tool.started" ? calls.get(event.callId) : undefined;
    if (call?.state === "running")
      blocks.push(heading(run, `${oneLine(call.tool)}: under way where the record ends (#${event.seq})`), toInput(call));
  }
  // Started by code, or not yet settled where the record ends.
  for (const child of children) if (!told.has(child)) blocks.push(...toRun(child));
  return blocks;
};

type ToldCall = {
  readonly run: RunView;
  readonly event: EventOf<"tool.settled">;
  readonly call: CallView;
  /** Runs that stand in the document already. */
  readonly told: Set<RunView>;
};

/** A call with its input, the runs that were its body, and its output. */
const toCall = ({ run, event, call, told }: ToldCall): readonly string[] => {
  const below = call.children.flatMap((child) => {
    told.add(child);
    return toRun(child);
  });
  return [
    heading(run, `${oneLine(event.tool)}: ${event.outcome} (#${event.seq})`),
    toInput(call),
    ...(event.transferred === undefined
      ? []
      : [
          `**Handed the conversation over** to ${oneLine(event.transferred.agent)}, whose answer is the answer of ${oneLine(run.agent)}`,
        ]),
    ...(below.length === 0 ? [] : [...below, heading(run, `${oneLine(event.tool)}: result (#${event.seq})`)]),
    ...toOutput(event),
  ];
};

const toBlocks = (run: RunView, event: RecordedEvent): readonly string[] => {
  switch (event.type) {
    case "model.answered": {
      const { usage, costUsd, model, step, seq, content } = event;
      const said = content.flatMap((part) => {
        if (part.type === "tool-call" || part.text === "") return [];
        return [part.type === "reasoning" ? `*Thoughts:*\n\n${quoteMarkdown(part.text)}` : quoteMarkdown(part.text)];
      });
      const bill = `${usage.input} tokens in, ${usage.output} out, ${money(costUsd)}`;
      return [heading(run, `${oneLine(event.agent)}: step ${step} (#${seq})`), `*${oneLine(model)}, ${bill}*`, ...said];
    }
    case "model.failed":
      return [`**${oneLine(event.model)} failed** (#${event.seq}): ${event.error.code}: ${oneLine(event.error.message)}`];
    case "approval.requested":
      return [`**Asked** (#${event.seq}): ${code(`${event.act.tool} ${showInput(event.act.input)}`)}`];
    case "approval.answered": {
      if (event.text !== undefined) return [`**Answered** (#${event.seq}):`, quoteMarkdown(event.text)];
      const why = event.reason === undefined ? "" : `: ${oneLine(event.reason)}`;
      return [`**${event.allowed ? `Allowed, ${event.scope}` : "Denied"}** (#${event.seq})${why}`];
    }
    case "message.received":
      return [`**Heard from ${code(event.from)}** (#${event.seq}):`, quoteMarkdown(toText(event.content))];
    case "message.withdrawn":
      return [`**A message was taken back** (#${event.seq})`];
    case "turn.queued":
      return [`**Queued for the next turn** (#${event.seq}):`, quoteMarkdown(toText(event.task))];
    case "turn.withdrawn":
      return [`**A queued turn was taken back** (#${event.seq})`];
    case "context.fitted": {
      const what = `${event.beforeTokens} to ${event.afterTokens} tokens`;
      return [`**Context fitted** (#${event.seq}): ${what}`, ...(event.summary ? [quoteMarkdown(event.summary.text)] : [])];
    }
    case "limit.reached":
      return [`**Limit reached** (#${event.seq}): ${event.limit}, ${event.used} of ${event.max}`];
    case "result.rejected":
      return [`**Result not accepted** (#${event.seq}): ${oneLine(event.reason)}`];
    case "guardrail.refused":
      return [`**Refused by the guardrail ${event.guardrail}** (#${event.seq}): ${oneLine(event.reason)}`];
    case "worktree.made":
      return [`**Worktree made** (#${event.seq}) from ${event.base}`];
    case "worktree.refused":
      return [`**No worktree** (#${event.seq}): ${oneLine(event.error.message)}`];
    case "worktree.merged": {
      const files = [...event.created, ...event.modified, ...event.deleted];
      return [
        `**Worktree merged** (#${event.seq}): ${files.length === 0 ? "nothing" : files.map(code).join(", ")}`,
        ...event.conflicts.map(({ path, reason }) => `- not merged: ${code(path)}: ${oneLine(reason)}`),
        ...(event.ref === null ? [] : [`- kept as ${code(event.ref)}`]),
      ];
    }
    case "cancel.requested": {
      const why = event.reason === undefined ? "" : `: ${oneLine(event.reason)}`;
      return [`**Asked to ${event.finish === true ? "finish" : "stop"}** (#${event.seq})${why}`];
    }
    case "plan.made":
      return [`**Plan** (#${event.seq}):`, planToMarkdown(event.plan)];
    case "plan.step":
    case "plan.decided":
    case "plan.settled":
      return [`**Plan** (#${event.seq}): ${oneLine(formatPlanEvent(event))}`];
    case "run.parked":
      return [`**Parked** (#${event.seq})`];
    case "run.finishing":
      return [`**Finishing** (#${event.seq})`];
    case "message.delivered":
    case "worktree.merging":
      return [];
    case "run.started":
      return event.resumed ? [`**Resumed** (#${event.seq})`] : [];
    case "run.settled":
      return toResult(run, event);
    case "run.requested":
    case "model.requested":
    case "tool.started":
    case "tool.settled":
      return [];
    default:
      return event satisfies never;
  }
};

const toResult = (run: RunView, { result, seq }: EventOf<"run.settled">): readonly string[] => {
  const list = (title: string, items: readonly string[]): readonly string[] =>
    items.length === 0 ? [] : [`- ${title}: ${items.map(oneLine).join("; ")}`];
  const facts = [
    ...list("files modified", result.filesModified.map(code)),
    ...list("files created", result.filesCreated.map(code)),
    ...(result.testsRun > 0 ? [`- tests: ${result.testsPassed} of ${result.testsRun} passed`] : []),
    ...list("warnings", result.warnings),
    ...list("claimed, but not found in the record", result.unverified),
    ...list("suggestions", result.suggestions),
    ...(result.error ? [`- error: ${result.error.code}: ${oneLine(result.error.message)}`] : []),
  ];
  return [
    heading(run, `${oneLine(run.agent)}: ${result.status} (#${seq})`),
    `*${formatWholeBill(result, run)}*`,
    ...(facts.length === 0 ? [] : [facts.join("\n")]),
    ...(result.output === undefined ? [] : [fenced(JSON.stringify(result.output, null, 2), "json")]),
  ];
};

/** What was executed; of a call that was not, what the model wrote. */
const toInput = ({ input, arguments: written }: CallView): string => {
  if (input === undefined) return fenced(written ?? "");
  if (typeof input !== "object" || input === null || Array.isArray(input)) return fenced(JSON.stringify(input, null, 2), "json");
  // Texts of several lines are shown as texts, the rest as JSON.
  const texts = Object.entries(input).filter((entry): entry is [string, string] => isLongText(entry[1]));
  const rest = Object.fromEntries(Object.entries(input).filter(([, value]) => !isLongText(value)));
  return [
    ...(Object.keys(rest).length > 0 || texts.length === 0 ? [fenced(JSON.stringify(rest, null, 2), "json")] : []),
    ...texts.map(([key, text]) => `${code(key)}:\n\n${fenced(text, isDiff(text) ? "diff" : "")}`),
  ].join("\n\n");
};

const isLongText = (value: unknown): boolean => typeof value === "string" && value.includes("\n");

const isDiff = (text: string): boolean => /^--- .*\n\+\+\+ .*\n@@ /m.test(text);

const toOutput = (event: EventOf<"tool.settled">): readonly string[] => {
  const blocks: string[] = [];
  for (const part of event.content)
    blocks.push(part.type === "text" ? fenced(part.text, isDiff(part.text) ? "diff" : "") : toImage(part));
  if (event.error) blocks.push(`**${event.error.code}**: ${oneLine(event.error.message)}`);
  if (event.artifact)
    blocks.push(`The full output (${count(event.artifact.lines, "line")}) is ${code(event.artifact.artifactId)} below.`);
  const { modified = [], created = [] } = event.files ?? {};
  if (modified.length > 0) blocks.push(`Files modified: ${modified.map(code).join(", ")}`);
  if (created.length > 0) blocks.push(`Files created: ${created.map(code).join(", ")}`);
  blocks.push(`*${duration(event.activeMs)} into the run*`);
  return blocks;
};

/** In the document itself. Nothing but an image gets in this way. */
const toImage = ({ mediaType, data }: UserPart & { readonly type: "image" }): string =>
  /^image\/[\w.+-]+$/.test(mediaType) && /^[A-Za-z0-9+/=\s]*$/.test(data)
    ? `![image](data:${mediaType};base64,${data.replace(/\s+/g, "")})`
    : `(an image of type ${oneLine(mediaType)})`;

const toText = (parts: readonly UserPart[]): string =>
  parts.map((part) => (part.type === "text" ? part.text : `(an image of type ${part.mediaType})`)).join("\n");

const toArtifact = (artifact: SessionExport["artifacts"][number]): readonly string[] => {
  const { artifactId, mediaType = "application/octet-stream" } = artifact;
  return [
    `### ${code(artifactId)}`,
    "text" in artifact ? fenced(artifact.text) : toImage({ type: "image", mediaType, data: artifact.base64 }),
  ];
};
