/**
 * What a person did as a test case: fields that were filled in and the click that followed are one step, and what the page showed after it that it had not shown before is
 * what the step expects. A person reads it over, and says what really matters.
 */
import type { Check, PersonAct, RecordedMoment } from "@retinue/protocol/test-case";
import { Document, isNode } from "yaml";

export type CaseHead = { readonly title: string; readonly baseUrl: string };

type Seen = RecordedMoment["seen"];

type Step = {
  readonly action: string;
  readonly expected: Check | readonly Check[];
  /** What is expected was so before the step, too. */
  readonly isVague: boolean;
};

const VAGUE = " The page showed nothing new that could be told, and this was so before: say what has to be seen here.";

const HEAD = "# Recorded by retinue test record. Read over what each step expects: it is what the page showed that was new.\n";

export const toCaseYaml = (moments: readonly RecordedMoment[], { title, baseUrl }: CaseHead): string => {
  const steps: Step[] = [];
  let before: Seen | null = null;
  let held: RecordedMoment[] = [];
  const flush = (): void => {
    const last = held.at(-1);
    if (!last) return;
    const expected = toExpected(held, before);
    steps.push({
      action: toSentence(held.map(({ act }) => describeAct(act, baseUrl))),
      expected,
      isVague: isVague(expected, before),
    });
    before = last.seen;
    held = [];
  };
  for (const moment of moments) {
    if (moment.act.kind === "navigate") flush();
    const [last] = held.slice(-1);
    // A field that was filled in again holds what was typed last.
    if (last && isSameField(last.act, moment.act)) held.pop();
    held.push(moment);
    if (moment.act.kind !== "type") flush();
  }
  flush();
  const references = moments.flatMap(({ act }) =>
    [...act.value.matchAll(/\{\{(?:secret|totp):([^}]+)\}\}/g)].map(([, name = ""]) => name),
  );
  const secrets = [...new Set(references)];
  const document = new Document({
    title,
    variables: { baseUrl },
    ...(secrets.length === 0 ? {} : { secrets }),
    steps: steps.map(({ action, expected }) => ({ action, expected })),
  });
  for (const [index, step] of steps.entries()) {
    const node = step.isVague ? document.getIn(["steps", index], true) : undefined;
    if (isNode(node)) node.commentBefore = VAGUE;
  }
  return `${HEAD}${document.toString({ lineWidth: 0 })}`;
};

const isVague = (expected: Step["expected"], before: Seen | null): boolean =>
  before !== null && [expected].flat().every((one) => one.check === "url" && one.contains === pathOf(before.url));

const isSameField = (one: PersonAct, other: PersonAct): boolean =>
  one.kind === "type" && other.kind === "type" && one.role === other.role && one.name === other.name && one.place === other.place;

const toSentence = (acts: readonly string[]): string => {
  const [last = "", ...others] = acts.toReversed();
  const text = others.length === 0 ? last : `${others.toReversed().join(", ")} and ${last}`;
  return text.charAt(0).toUpperCase() + text.slice(1);
};

const WORDS: Readonly<Record<string, string>> = {
  textbox: "field",
  searchbox: "field",
  spinbutton: "field",
  combobox: "dropdown",
  listbox: "dropdown",
  menuitem: "menu item",
};

const describeAct = ({ kind, role, name, place, value }: PersonAct, baseUrl: string): string => {
  const word = WORDS[role] ?? (role === "generic" ? "" : role);
  const element = `the ${[...(name === "" ? [] : [JSON.stringify(name)]), ...(word === "" ? [] : [word])].join(" ")}${place === null ? "" : ` in the ${JSON.stringify(place)} row`}`;
  switch (kind) {
    case "navigate":
      return `navigate to ${value.startsWith(`${baseUrl}/`) || value === baseUrl ? `\${baseUrl}${escape(value.slice(baseUrl.length))}` : escape(value)}`;
    case "click":
      return `click ${element}`;
    case "type":
      return `type ${quote(value)} into ${element}`;
    case "select":
      return `select ${quote(value)} in ${element}`;
    case "press":
      return `press ${quote(value)}`;
    case "upload":
      return `upload ${quote(value)} with ${element}`;
    default:
      return kind satisfies never;
  }
};

/** `${` is what variables begin with. */
const escape = (text: string): string => text.replaceAll("${", "$${");
const quote = (text: string): string => `"${escape(text)}"`;

const toExpected = (held: readonly RecordedMoment[], before: Seen | null): Check | readonly Check[] => {
  const last = held.at(-1);
  if (!last) return [];
  const checks = toChecks(last.seen, before);
  const own = held.flatMap(({ act }) => toOwnCheck(act) ?? []);
  // A field holds what was typed as long as nothing was sent; where the page told something new, that is what came of it.
  const isQuiet = checks.every(({ check }) => check === "url") && pathOf(last.seen.url) === pathOf(before?.url ?? "");
  const isField = last.act.kind === "type" || last.act.kind === "select" || last.act.state !== null;
  return oneOrAll(isQuiet && isField && own.length > 0 ? own : checks);
};

/** What a field holds after it was filled in. */
const toOwnCheck = ({ kind, role, name, place, value, state }: PersonAct): Check | null => {
  if (name === "" || place !== null || value.includes("{{")) return null;
  const of = { role, name: escape(name) };
  if (kind === "type") return { check: "value", of, equals: escape(value) };
  if (kind === "select" && state !== null && state !== "") return { check: "value", of, equals: escape(state) };
  return kind === "click" && (state === "checked" || state === "unchecked") ? { check: "state", of, is: state } : null;
};

const oneOrAll = (checks: readonly Check[]): Check | readonly Check[] => (checks.length === 1 && checks[0] ? checks[0] : checks);

const toChecks = (seen: Seen, before: Seen | null): readonly Check[] => {
  const known = new Set((before?.told ?? []).map(keyOf));
  const news = seen.told.filter((one) => !known.has(keyOf(one)) && !`${one.name}${one.text}`.includes("{{"));
  const shown = new Set(seen.told.map(keyOf));
  const closed = (before?.told ?? []).find((one) => one.role.endsWith("dialog") && one.name !== "" && !shown.has(keyOf(one)));
  const named = news.find(({ role, name }) => (role === "heading" || role.endsWith("dialog")) && name !== "");
  const said = news.find(({ role, text }) => (role === "alert" || role === "status") && text !== "");
  const checks: Check[] = [
    ...(named ? [{ check: "visible" as const, element: { role: named.role, name: escape(named.name) } }] : []),
    ...(closed ? [{ check: "absent" as const, element: { role: closed.role, name: escape(closed.name) } }] : []),
    ...(said ? [{ check: "text" as const, in: { role: said.role }, contains: escape(said.text), during: true }] : []),
  ];
  const isElsewhere = pathOf(seen.url) !== pathOf(before?.url ?? "");
  return isElsewhere || checks.length === 0 ? [{ check: "url", contains: pathOf(seen.url) }, ...checks] : checks;
};

const keyOf = ({ role, name, text }: { readonly role: string; readonly name: string; readonly text: string }): string =>
  `${role} ${name} ${role === "heading" || role.endsWith("dialog") ? "" : text}`;

/** Without what was sent in it: queries hold what was typed. */
const pathOf = (address: string): string => escape(URL.parse(address)?.pathname ?? "/");
