/** Divides what a project's settings say into what narrows, what needs trust, and what no trust gives. */
import type { Limits } from "@retinue/protocol";
import type { NarrowContext, Rule } from "./narrower.ts";
import { NARROWER } from "./narrower.ts";
import type { Raw, RawMap } from "./layer.ts";
import { isRawMap } from "./layer.ts";
import type { SettingsPath } from "./schema-walk.ts";

export type Left = { readonly path: SettingsPath; readonly wanted: Raw; readonly below: Raw | undefined };

export type NarrowedProject = {
  /** What holds without trust. */
  readonly kept: RawMap;
  /** What holds with it: what is kept, and what is asked for. */
  readonly trusted: RawMap;
  /** What trust would add. */
  readonly asked: RawMap;
  /** Limits that hold without trust where nobody else says one: at most these. */
  readonly ceilings: Limits;
  readonly leftOut: readonly Left[];
  /** What would widen something that only a person widens. */
  readonly refused: readonly Left[];
};

type Section = { readonly [key: string]: Rule | Section };

/** `wanted` was checked against the schema; `below` is what holds without the project. */
export const narrowProject = (wanted: RawMap, below: RawMap, context: NarrowContext): NarrowedProject => {
  const leftOut: Left[] = [];
  const refused: Left[] = [];
  const ceilings: [string, number][] = [];
  const walk = (
    rules: Section,
    tree: RawMap,
    under: RawMap,
    path: SettingsPath,
  ): Pick<NarrowedProject, "kept" | "trusted" | "asked"> => {
    const kept: [string, Raw][] = [];
    const trusted: [string, Raw][] = [];
    const asked: [string, Raw][] = [];
    for (const [key, value] of Object.entries(tree)) {
      const rule = Object.hasOwn(rules, key) ? rules[key] : undefined;
      const held = Object.hasOwn(under, key) ? under[key] : undefined;
      const here = { path: [...path, key], wanted: value, below: held };
      if (rule === undefined) continue;
      if (!isRule(rule)) {
        if (!isRawMap(value)) continue;
        const inner = walk(rule, value, isRawMap(held) ? held : {}, here.path);
        kept.push([key, inner.kept]);
        trusted.push([key, inner.trusted]);
        if (Object.keys(inner.asked).length > 0) asked.push([key, inner.asked]);
        continue;
      }
      const narrowed = rule.narrow(value, held, context);
      if (narrowed.kept !== undefined) kept.push([key, narrowed.kept]);
      if (rule.add) trusted.push([key, rule.add(value, held)]);
      else if (narrowed.kept !== undefined) trusted.push([key, narrowed.kept]);
      if (narrowed.ceiling !== undefined) ceilings.push([key, Number(narrowed.ceiling)]);
      if (narrowed.asked === undefined) continue;
      if (rule.add) {
        asked.push([key, narrowed.asked]);
        if (narrowed.ceiling === undefined) leftOut.push(here);
      } else refused.push(here);
    }
    return { kept: Object.fromEntries(kept), trusted: Object.fromEntries(trusted), asked: Object.fromEntries(asked) };
  };
  const walked = walk(NARROWER, wanted, below, []);
  // Only limits have ceilings, by the rules.
  return { ...walked, ceilings: Object.fromEntries(ceilings), leftOut, refused };
};

const isRule = (rule: Rule | Section): rule is Rule => rule["type"] === "rule" && typeof rule["narrow"] === "function";
