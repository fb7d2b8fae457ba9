/** Writes what came of test cases: to the terminal, as JUnit XML and as one HTML file. */
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import type { ArtifactId, SessionId } from "@retinue/protocol";
import type { SessionView } from "@retinue/client";
import { foldSession } from "@retinue/client";
import type { SuiteResult } from "@retinue/protocol/test-case";
import { formatCaseDetails, formatCaseLine, formatSummary, toHtml, toJunit } from "@retinue/qa";
import type { RetinueStore } from "../../open-record.ts";
import { toJsonLine } from "../../terminal/json-line.ts";
import { toPrintable } from "../../terminal/printable.ts";
import type { Surroundings } from "../surroundings.ts";
import type { TestOptions } from "./test-options.ts";

export type ReportRecord = Pick<RetinueStore, "read" | "readArtifactBytes">;

const MOST_PICTURES = 200;
const MOST_PICTURE_BYTES = 5 * 1024 * 1024;
const MOST_RECORDED_BYTES = 20 * 1024 * 1024;

export const writeReports = async (
  result: SuiteResult,
  record: ReportRecord,
  options: Pick<TestOptions, "json" | "junit" | "html">,
  surroundings: Surroundings,
): Promise<void> => {
  const { stdout, stderr, redact } = surroundings;
  if (options.junit !== undefined) await writeFile(path.resolve(options.junit), redact(toJunit(result)));
  if (options.html !== undefined) await writeFile(path.resolve(options.html), await toReport(result, record, redact));
  if (options.json === true) {
    await stdout.write(`${toJsonLine(result, redact)}\n`);
    return;
  }
  const lines = [...result.cases.flatMap((one) => [formatCaseLine(one), ...formatCaseDetails(one)]), "", formatSummary(result)];
  await stdout.write(`${toPrintable(redact(lines.join("\n")), "prose")}\n`);
  for (const [name, file] of [
    ["JUnit", options.junit],
    ["HTML", options.html],
  ])
    if (file !== undefined) await stderr.write(`retinue: ${name ?? ""} report in ${file}\n`);
  await stderr.write(`retinue: retinue test report ${result.id} shows this again.\n`);
};

/** Sessions and pictures are read before the page is made. */
const toReport = async (result: SuiteResult, record: ReportRecord, redact: Surroundings["redact"]): Promise<string> => {
  const sessions = new Map<string, SessionView>();
  const pictures = new Map<string, string>();
  for (const { sessionId, steps } of result.cases) {
    if (sessionId === null) continue;
    const events = await record.read(sessionId);
    if (events.length > 0) sessions.set(sessionId, foldSession(sessionId, events));
    const wanted = steps.flatMap((step) => [...step.screenshots, ...step.evidence.flatMap(({ artifact }) => artifact ?? [])]);
    for (const artifactId of new Set(wanted)) {
      if (pictures.size >= MOST_PICTURES) break;
      const url = await readPicture(record, sessionId, artifactId);
      if (url !== null) pictures.set(`${sessionId} ${artifactId}`, url);
    }
  }
  const recorded = new Map<string, string>();
  for (const { kind, file } of result.cases.flatMap(({ recordings = [] }) => recordings)) {
    const data = await readFile(file).catch(() => null);
    if (data && data.length <= MOST_RECORDED_BYTES)
      recorded.set(file, `data:${kind === "video" ? "image/apng" : "application/zip"};base64,${data.toString("base64")}`);
  }
  return toHtml(redactAll(result, redact), {
    session: (sessionId) => sessions.get(sessionId) ?? null,
    recording: (file) => recorded.get(file) ?? null,
    picture: (sessionId, artifactId) => pictures.get(`${sessionId} ${artifactId}`) ?? null,
  });
};

const redactAll = (result: SuiteResult, redact: Surroundings["redact"]): SuiteResult =>
  JSON.parse(JSON.stringify(result), (_, value: unknown) => (typeof value === "string" ? redact(value) : value)) as SuiteResult;

const readPicture = async (record: ReportRecord, sessionId: SessionId, artifactId: string): Promise<string | null> => {
  const found = await record.readArtifactBytes(sessionId, artifactId as ArtifactId);
  if (!found || found.mediaType?.startsWith("image/") !== true || found.bytes.byteLength > MOST_PICTURE_BYTES) return null;
  return `data:${found.mediaType};base64,${Buffer.from(found.bytes).toString("base64")}`;
};
