/**
 * The report of a call as one HTML file: no script, nothing that is loaded from elsewhere, readable on paper. Whatever pages, programs and models said stands in
 * it as text and never as markup.
 */
import type { RunView, SessionView } from "@retinue/client";
import type { CaseResult, Evidence, Recording, StepResult, SuiteResult } from "@retinue/protocol/test-case";
import { STYLES } from "./html-styles.ts";
import { formatSeconds, formatSummary, marksOf } from "./summarise.ts";

export type HtmlSources = {
  /** The session of a case, for its tree of agents; null where there is none any more. */
  readonly session: (sessionId: string) => SessionView | null;
  /** A picture as a data URL; null where it is not there any more. */
  readonly picture: (sessionId: string, artifactId: string) => string | null;
  /** A file that was recorded as a data URL; null where it is not there any more, or too large for the page. */
  readonly recording: (file: string) => string | null;
};

export const toHtml = (result: SuiteResult, sources: HtmlSources): string =>
  [
    "<!doctype html>",
    `<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">`,
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">`,
    `<title>${escape(formatSummary(result))}</title><style>${STYLES}</style></head><body>`,
    `<header><h1>${escape(formatSummary(result))}</h1>`,
    `<p>${escape(result.startedAt)} · ${escape(result.model)}${result.environment === null ? "" : ` · ${escape(result.environment)}`} · ${escape(result.id)}</p></header>`,
    toIndex(result.cases),
    ...result.cases.map((one, index) => toCase(one, index, sources)),
    "</body></html>",
    "",
  ].join("\n");

const toIndex = (cases: readonly CaseResult[]): string =>
  [
    `<table class="index"><thead><tr><th>verdict</th><th>case</th><th>file</th><th class="n">time</th><th class="n">tokens</th><th class="n">cost</th></tr></thead><tbody>`,
    ...cases.map(
      (one, index) =>
        `<tr><td>${badge(one.verdict)}${marksOf(one)
          .map((mark) => ` <span class="mark">${mark}</span>`)
          .join(
            "",
          )}</td><td><a href="#case-${index + 1}">${escape(one.title)}</a></td><td><code>${escape(one.file)}</code></td><td class="n">${formatSeconds(one.durationMs)}</td><td class="n">${one.usage.input + one.usage.output}</td><td class="n">${money(one.costUsd)}</td></tr>`,
    ),
    "</tbody></table>",
  ].join("\n");

const toCase = (result: CaseResult, index: number, sources: HtmlSources): string => {
  const { sessionId } = result;
  const session = sessionId === null ? null : sources.session(sessionId);
  return [
    `<section id="case-${index + 1}"><h2>${badge(result.verdict)} ${escape(result.title)}</h2>`,
    `<p class="reason">${escape(result.reason)}</p>`,
    result.summary === "" ? "" : `<p>${escape(result.summary)}</p>`,
    result.healing === undefined
      ? ""
      : `<figure><figcaption>Healed, and ${result.healing.saved ? "saved" : "not saved"}</figcaption><pre>${escape(result.healing.diff.join("\n"))}</pre></figure>`,
    ...result.problems.map((problem) => `<p class="problem">${escape(problem)}</p>`),
    `<p class="facts">${[
      `<code>${escape(result.file)}</code>`,
      formatSeconds(result.durationMs),
      `${result.iterations} turns`,
      `${result.toolCalls} tool calls`,
      `${result.usage.input} tokens in, ${result.usage.output} out`,
      money(result.costUsd),
      ...(result.attempt > 1 ? [`attempt ${result.attempt}`] : []),
      ...(sessionId === null ? [] : [`<code>${escape(sessionId)}</code>`]),
    ].join(" · ")}</p>`,
    result.steps.length === 0
      ? ""
      : `<details${result.verdict === "pass" ? "" : " open"}><summary>${toStepCount(result)}</summary><ol class="steps">${result.steps.map((step) => toStep(step, sessionId, sources)).join("\n")}</ol></details>`,
    ...(result.recordings ?? []).map((one) => toRecording(one, sources)),
    session ? `<details><summary>Agents</summary><ul class="tree">${session.roots.map(toRun).join("")}</ul></details>` : "",
    "</section>",
  ].join("\n");
};

/** What passed is folded away; on paper everything is unfolded. */
const toStepCount = ({ steps }: CaseResult): string => {
  const passed = steps.filter(({ verdict }) => verdict === "pass").length;
  return `${steps.length} ${steps.length === 1 ? "step" : "steps"}, ${passed === steps.length ? "all" : passed} passed`;
};

/** A video is shown; a trace is handed out, for Playwright's viewer. */
const toRecording = ({ kind, file, attempt }: Recording, { recording }: HtmlSources): string => {
  const url = recording(file);
  const name = file.split(/[/\\]/).at(-1) ?? kind;
  const link = url === null ? "" : ` <a download="${escape(name)}" href="${escape(url)}">save</a>`;
  const shown = kind === "video" && url !== null ? `<img alt="Video of attempt ${attempt}" src="${escape(url)}">` : "";
  return `<figure><figcaption>${kind} of attempt ${attempt}: <code>${escape(file)}</code>${link}</figcaption>${shown}</figure>`;
};

const toStep = (step: StepResult, sessionId: string | null, { picture }: HtmlSources): string => {
  const pictures = [...new Set([...step.screenshots, ...step.evidence.flatMap(({ artifact }) => artifact ?? [])])].flatMap(
    (id) => {
      const url = sessionId === null ? null : picture(sessionId, id);
      return url === null ? [] : [`<img alt="Screenshot of step ${step.number}" src="${escape(url)}">`];
    },
  );
  return [
    `<li value="${step.number}"><h3>${badge(step.verdict)} ${escape(step.action)}</h3>`,
    `<dl><dt>expected</dt><dd>${lines(step.expected)}</dd><dt>what came of it</dt><dd>${lines(step.reason)}</dd>`,
    step.said === null
      ? ""
      : `<dt>the agent said</dt><dd>${step.said.toUpperCase()}${step.attempts > 1 ? ` at attempt ${step.attempts}` : ""}</dd>`,
    ...step.healed.map((one) => `<dt>healed</dt><dd>${escape(one)}</dd>`),
    "</dl>",
    step.checks.length === 0
      ? ""
      : `<table class="checks"><thead><tr><th>check</th><th></th><th>seen</th></tr></thead><tbody>${step.checks
          .map(
            ({ check, result }) =>
              `<tr><td>${escape(check)}</td><td>${badge(result.status)}</td><td>${escape(result.observed)}${result.scoped ? "" : ` <span class="mark">whole page</span>`}</td></tr>`,
          )
          .join("")}</tbody></table>`,
    ...step.evidence.filter(({ kind }) => kind !== "check").map(toEvidence),
    ...pictures,
    "</li>",
  ].join("\n");
};

const toEvidence = ({ tool, kind, quote, weak, runId, callId }: Evidence): string =>
  `<figure><figcaption>${escape(kind)} by <code>${escape(tool)}</code>${weak ? ` <span class="mark">weak</span>` : ""} <small>${escape(runId)} ${escape(callId)}</small></figcaption><pre>${escape(quote)}</pre></figure>`;

const toRun = (run: RunView): string => {
  const state = run.state.type === "settled" ? run.state.status : run.state.type;
  const { usage, costUsd, iterations, toolCalls } = run.own;
  return `<li>${badge(state)} <b>${escape(run.agent)}</b> ${iterations} turns · ${toolCalls} calls · ${usage.input + usage.output} tokens · ${money(costUsd)}${
    run.children.length === 0 ? "" : `<ul>${run.children.map(toRun).join("")}</ul>`
  }</li>`;
};

const badge = (word: string): string => `<span class="badge ${/^[a-z_]+$/.test(word) ? word : ""}">${escape(word)}</span>`;

const money = (usd: number | null): string => (usd === null ? "no price" : `$${usd.toFixed(4)}`);

const lines = (text: string): string => escape(text).replaceAll("\n", "<br>");

const escape = (text: string): string =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;");
