/**
 * Writes `docs/events.md` from the schemas of events; with `--check` it writes nothing and fails when they differ. What stands above the
 * mark in the document is written by hand and stays.
 */
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { z } from "zod";
import { envelopeFields } from "../packages/protocol/src/schemas/envelope.ts";
import { EVENT_SCHEMAS, EVENT_VERSION, RECORDED_SCHEMAS } from "../packages/protocol/src/schemas/event-schemas.ts";
import { INPUT_SCHEMAS } from "../packages/protocol/src/schemas/input-events.ts";
import { LIVE_SCHEMAS } from "../packages/protocol/src/schemas/live-events.ts";
import { collectValues, toCell, toFieldRows, toTable, toValueSection } from "./schema-to-markdown.ts";

export const MARK = "<!-- From here on written by `npm run events-doc` from packages/protocol/src/schemas. -->";

type Schemas = Readonly<Record<string, z.ZodObject>>;

const ENVELOPE: ReadonlySet<string> = new Set(["type", ...Object.keys(envelopeFields)]);

const toEvents = (schemas: Schemas): readonly string[] =>
  Object.entries(schemas).map(([type, schema]) => {
    const { description = "" } = schema.meta() ?? {};
    return `### \`${type}\`\n\n${toCell(description)}\n\n${toTable(toFieldRows(schema, ENVELOPE))}`;
  });

const isInputType = (type: string): boolean => Object.hasOwn(INPUT_SCHEMAS, type);

/** The part of the document below the mark. */
export const toEventsReference = (): string => {
  const driven = Object.fromEntries(Object.entries(RECORDED_SCHEMAS).filter(([type]) => !isInputType(type)));
  return [
    `## What every event carries\n\nThis is version ${EVENT_VERSION} of the event format; events of older versions are read as well (\`readEvent\` of \`@retinue/protocol/schemas\`). A field with a \`?\` may be absent.\n`,
    toTable([{ name: "type", type: "string", meaning: "What happened." }, ...toFieldRows(z.object(envelopeFields))]),
    "## Recorded\n",
    ...toEvents(driven),
    "## Inputs\n\nRecorded too. Anybody who may reach the session can append them to a run, without its lease.\n",
    ...toEvents(INPUT_SCHEMAS),
    "## Live\n",
    ...toEvents(LIVE_SCHEMAS),
    "## Values\n",
    ...[...collectValues(Object.values(EVENT_SCHEMAS))].map(([name, schema]) => toValueSection(name, schema)),
  ]
    .join("\n")
    .trimEnd()
    .concat("\n");
};

/** The document anew: what stands above its mark, the mark, and the reference. */
export const toEventsDocument = (document: string): string => {
  const at = document.indexOf(MARK);
  if (at === -1) throw new Error("docs/events.md has lost its mark; put it back below the part that is written by hand");
  return `${document.slice(0, at)}${MARK}\n\n${toEventsReference()}`;
};

if (import.meta.main) {
  const file = path.join(path.dirname(import.meta.dirname), "docs/events.md");
  const found = readFileSync(file, "utf8");
  const wanted = toEventsDocument(found);
  if (!process.argv.includes("--check")) writeFileSync(file, wanted);
  else if (found !== wanted) {
    console.error("docs/events.md differs from packages/protocol/src/schemas; `npm run events-doc` writes it anew.");
    process.exitCode = 1;
  }
}
