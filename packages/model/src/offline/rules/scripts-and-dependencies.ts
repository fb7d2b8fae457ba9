/** Scripts, dependencies and what a project needs, as its manifests name them. */
import type { Dependency } from "../project/project.ts";
import { clip, count } from "../wording.ts";
import { isOnlyAbout, leftOver } from "./asked.ts";
import type { Project } from "./look-at-project.ts";
import { bullets, lookAtProject } from "./look-at-project.ts";
import type { Rule, Turn } from "./rule.ts";
import { answer } from "./rule.ts";

const SCRIPTS = /\b(?:npm scripts?|scripts?|make targets?|targets?|tasks?|recipes?|commands?)\b/;

export const listScripts: Rule = ({ plain }) => {
  if (!isOnlyAbout(plain, SCRIPTS, /\b(?:available|defined|run|npm|makefile|package\.json)\b/)) return undefined;
  return { agent: "code-search", work: (at) => lookAtProject(at, { report: reportScripts }) };
};

const reportScripts = ({ manifests }: Project): Turn => {
  const commands = manifests.flatMap((manifest) => manifest.commands ?? []);
  const written = commands.filter(({ isWritten }) => isWritten);
  const shown = written.length > 0 ? written : commands;
  if (shown.length === 0) return answer(`No manifest here defines scripts. ${found(manifests.map(({ path }) => path))}`);
  return answer(
    written.length > 0
      ? `${count(written.length, "command")} defined here:`
      : "No scripts are defined; these are the usual commands of its tools:",
    bullets(
      shown.map(({ command, where, does }) => `- \`${command}\` (${where})${does === undefined ? "" : `: ${clip(does, 100)}`}`),
      25,
      "commands",
    ),
  );
};

const found = (paths: readonly string[]): string =>
  paths.length === 0 ? "No manifest was found." : `Read: ${paths.join(", ")}.`;

const DEPENDENCIES =
  /\b(?:dependenc(?:y|ies)|depends?|depending|libraries|third[- ]party|packages|external|modules|requirements?|imports?|crates|gems)\b/;
const NEEDS =
  /\b(?:node|nodejs|node\.js|python|go|golang|rust|java|php|ruby)? ?version(?:s)?\b|\bversion of (?:node|python|go|rust|java|php|ruby)\b/;

export const listDependencies: Rule = ({ plain, text }) => {
  if (
    /\bversions?\b/.test(plain) &&
    /\b(?:node|nodejs|node\.js|python|go|golang|rust|java|php|ruby)\b/.test(plain) &&
    leftOver(plain, NEEDS, /\b(?:required?|requires|minimum|support\w*|run|node|nodejs|python|go|golang|rust|java|php|ruby)\b/)
      .length === 0
  )
    return { agent: "code-search", work: (at) => lookAtProject(at, { report: reportNeeds }) };
  const [, one] = /\b(?:depends? on|which version of|what version of|dependency on)\s+([@\w./-]*\w)/i.exec(text) ?? [];
  if (one !== undefined && leftOver(plain, DEPENDENCIES, /\bversions?\b/).length <= 1 && leftOver(one.toLowerCase()).length > 0)
    return { agent: "code-search", work: (at) => lookAtProject(at, { report: (project) => reportOne(one, project) }) };
  if (
    !isOnlyAbout(
      plain,
      DEPENDENCIES,
      /\b(?:versions?|required?|installed?|runtime|dev|development|direct|rely|relies|built|based)\b/,
    )
  )
    return undefined;
  return { agent: "code-search", work: (at) => lookAtProject(at, { report: reportDependencies }) };
};

const reportDependencies = ({ manifests, listing }: Project): Turn => {
  const all = manifests.flatMap((manifest) => manifest.dependencies ?? []);
  const paths = manifests.map(({ path }) => path);
  if (all.length === 0) {
    const made = madeBy(manifests);
    if (made !== "") return answer(`${made} No other dependencies are declared.`);
    const rest =
      paths.length === 0
        ? "No manifest was found that could name any."
        : `${paths.join(" and ")} name none: it needs nothing but its language.`;
    return answer(`No dependencies are declared. ${listing.files.length === 0 ? "The folder is empty." : rest}`);
  }
  // The stable sort keeps the order of the manifests.
  const groups = [...Map.groupBy(all, ({ group }) => group)].toSorted(([a], [b]) => Number(isToRun(b)) - Number(isToRun(a)));
  return answer(
    `${sumUp(all, manifests)} Declared in ${[...new Set(all.map(({ where }) => where.replace(/:\d+$/, "")))].join(", ")}:`,
    ...groups.map(
      ([group, list]) =>
        `${toTitle(group)} (${list.length}):\n${bullets(list.map(toRow), isToRun(group) ? 20 : MOST_OF_A_GROUP, "dependencies")}`,
    ),
    needsOf(manifests),
  );
};

/** A peer is needed at run time, too; only somebody else installs it. */
const isToRun = (group: string): boolean => /^(?:to run|peer)\b/.test(group);

const namesOf = (list: readonly Dependency[]): Set<string> =>
  new Set(list.map(({ name }) => name.toLowerCase().replace(/\[.*$/, "")));

/** Counts each name once, whichever groups it is in. */
const sumUp = (all: readonly Dependency[], manifests: Project["manifests"]): string => {
  const toRun = namesOf(all.filter(({ group }) => isToRun(group)));
  const others = all.filter(({ group }) => !isToRun(group));
  const more = namesOf(others).difference(toRun).size;
  const groups = [...new Set(others.map(({ group }) => group))];
  const rest = `${more === 1 ? "serves" : "serve"} other purposes, in ${count(groups.length, "group")} (${groups.join(", ")})`;
  const many = count(more, "dependency", "dependencies");
  if (toRun.size > 0) {
    const needed = `It needs ${count(toRun.size, "dependency", "dependencies")} at run time`;
    return groups.length === 0 ? `${needed}.` : `${needed}; ${more} more ${rest}.`;
  }
  return `${madeBy(manifests) || "It needs nothing at run time but its language."} ${many} ${rest}.`;
};

const madeBy = (manifests: Project["manifests"]): string => {
  const made = manifests.flatMap(({ madeByBuild }) => madeByBuild ?? []);
  return made.length === 0 ? "" : `The build decides what it needs at run time (${made.join(", ")}).`;
};

const MOST_OF_A_GROUP = 10;

/** A name that the project gave is left as it is. */
const toTitle = (group: string): string =>
  /^(?:to |peer|optional|indirect)/.test(group) ? group.charAt(0).toUpperCase() + group.slice(1) : `Group ${group}`;

const toRow = ({ name, version, where }: Dependency): string => `- ${name}${version === "" ? "" : ` ${version}`} (${where})`;

const needsOf = (manifests: Project["manifests"]): string => {
  const needs = manifests.flatMap((manifest) => manifest.needs ?? []);
  return needs.length === 0 ? "" : `It needs ${needs.map(({ text, where }) => `${text} (${where})`).join(", ")}.`;
};

const reportNeeds = ({ manifests }: Project): Turn =>
  answer(needsOf(manifests) || `No manifest names a version. Read: ${manifests.map(({ path }) => path).join(", ") || "none"}.`);

const reportOne = (name: string, { manifests }: Project): Turn => {
  const all = manifests.flatMap((manifest) => manifest.dependencies ?? []);
  const wanted = name.toLowerCase();
  const fitting = all.filter((each) => each.name.toLowerCase().includes(wanted));
  return fitting.length > 0
    ? answer(`Yes, it depends on ${name}:`, fitting.map((each) => `${toRow(each)}, ${each.group}`).join("\n"))
    : answer(
        `No, none of the ${all.length} declared dependencies is named like "${name}".`,
        all.length === 0
          ? ""
          : `Declared: ${all
              .slice(0, 20)
              .map((each) => each.name)
              .join(", ")}.`,
      );
};
