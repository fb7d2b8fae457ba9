/** All rules, the first that fits decides. What changes something comes first, what asks for single things before what asks for the whole. */
import { aboutProject } from "./about-project.ts";
import type { Asked } from "./asked.ts";
import { toAsked } from "./asked.ts";
import { whatChanged } from "./changes.ts";
import { configuration } from "./configuration.ts";
import { editFile } from "./edit-file.ts";
import { explainError } from "./error-text.ts";
import { branches, recentCommits, versions, whoChanged } from "./history.ts";
import { howTo } from "./how-to.ts";
import { toMeant } from "./meant.ts";
import { outlineFile } from "./outline.ts";
import type { Job, Rule } from "./rule.ts";
import { runCommands } from "./run-commands.ts";
import { listDependencies, listScripts } from "./scripts-and-dependencies.ts";
import { searchFor } from "./search.ts";
import { languagesAndSize, largestFiles } from "./sizes.ts";
import { showDocument } from "./show-document.ts";
import { findSymbol } from "./symbol.ts";
import { talk } from "./talk.ts";
import { findTodos } from "./todos.ts";
import { whereTests } from "./where-tests.ts";
import { entryPoints, isThere, whichCi, whichLicence } from "./where-things-are.ts";

const RULES: readonly Rule[] = [
  talk,
  editFile,
  runCommands,
  explainError,
  findTodos,
  outlineFile,
  whatChanged,
  recentCommits,
  whoChanged,
  versions,
  branches,
  largestFiles,
  entryPoints,
  howTo,
  listScripts,
  whichLicence,
  whichCi,
  listDependencies,
  whereTests,
  languagesAndSize,
  configuration,
  showDocument,
  isThere,
  findSymbol,
  aboutProject,
];

export const toJob = (asked: Asked): Job => {
  const meant = toMeant(asked);
  return byRule(asked) ?? (meant === undefined ? undefined : byMeaning(toAsked(meant))) ?? searchFor(asked);
};

const byRule = (asked: Asked): Job | undefined => {
  for (const rule of RULES) {
    const job = rule(asked);
    if (job) return job;
  }
  return undefined;
};

/** Put in other words, a question may be one for the search, which knows those words. */
const byMeaning = (asked: Asked): Job => byRule(asked) ?? searchFor(asked);
