/** "How do I run, test, build or install it?": the commands that the manifests give, then what CI and the documents say. */
import { baseOf, findNearest } from "../project/listing.ts";
import type { Listing } from "../project/listing.ts";
import type { Command, Purpose } from "../project/project.ts";
import type { FoundLine } from "../tool-output.ts";
import { clip } from "../wording.ts";
import { leftOver } from "./asked.ts";
import type { Project } from "./look-at-project.ts";
import { bullets, lookAtProject } from "./look-at-project.ts";
import type { PlannedCall } from "../calls.ts";
import type { Rule, Turn } from "./rule.ts";
import { answer, call } from "./rule.ts";

type Wish = Purpose | "start";

/** Words by which a wish is told; the first that fits. */
const WISHES: readonly (readonly [Wish, RegExp])[] = [
  ["test", /\b(?:tests?|tested|testing|test suite|unit tests?|specs?)\b/],
  ["install", /\b(?:install|installed|installing|installation|set ?up|add it|download)\b/],
  ["build", /\b(?:build|built|building|builds|compile[sd]?|compiling|compilation|bundle|package it)\b/],
  ["lint", /\b(?:lint|linter|linting|format|formatted|formatter|type ?check|style check)\b/],
  [
    "start",
    /\b(?:getting started|get started|get going|quick ?start|first steps|start with|begin with|try it|try this|use it|use this|usage|work with|develop|contribute|get it running|get this running)\b/,
  ],
  ["run", /\b(?:run|runs|running|start|starts|started|launch|execute|serve|boot)\b/],
];

const SHAPES =
  /^(?:how|what(?: is| are|'s)? (?:the )?(?:\w+ )?(?:commands?|way|steps|instructions)|which (?:command|script)s?|what (?:command|script)|getting|get started|quick ?start|(?:the )?(?:\w+ )?(?:command|instructions?|installation|usage|setup)\b|installation|usage|setup|build|first steps|where do i start to|is there a (?:command|way)|research)/;

const SAID =
  /\b(?:command|commands|instructions?|way|steps?|how-to|locally|local|scratch|computer|laptop|mode|production|server|first|quickly|myself|by hand|manually|properly|correctly|windows|linux|mac|macos|docker|suite|unit|integration|works?|released?|can|dependencies|line|script|scripts|binary|executable|developer|development|dev|environment|everything|again|best|easiest|and|then)\b/;

export const howTo: Rule = ({ plain }) => {
  if (!SHAPES.test(plain)) return undefined;
  const found = WISHES.find(([, words]) => words.test(plain));
  if (!found || leftOver(plain, SAID, ...WISHES.map(([, words]) => words)).length > 0) return undefined;
  const several = WISHES.slice(0, 3).filter(([, words]) => words.test(plain)).length > 1;
  const wish = several ? "start" : found[0];
  return {
    agent: "code-search",
    work: (at) =>
      lookAtProject(at, {
        alsoThen: (listing) => lookForWords(wish, listing),
        report: (project) => report(wish, project),
      }),
  };
};

/** Commands as documents and workflows write them. */
const WORDS: Record<Wish, string> = {
  test: String.raw`\b(pytest|tox|nox -|cargo (nextest|test)|go test|(npm|pnpm|yarn|bun) (run )?test|make \S*(test|check)|mvn \S*test|gradlew? \S*test|ctest|rspec|rake test|phpunit|dotnet test|just test|mix test|npx (jest|vitest|mocha|ava))`,
  build: String.raw`\b(cargo build|go build|(npm|pnpm|yarn|bun) (run )?build|make( all| build)?$|cmake|mvn \S*package|gradlew? \S*build|python -m build|(uv|poetry|hatch) build|docker build|dotnet build|ninja|meson)`,
  install: String.raw`\b((pip|pip3|pipx|uv|conda|poetry) (install|add)|uv (sync|pip)|npm (i|install|ci)\b|(yarn|pnpm|bun) (add|install)|cargo install|go (get|install)|brew install|apt(-get)? install|dnf install|pacman -S|apk add|gem install|bundle install|composer require|docker (run|pull)|winget install|scoop install|choco install|nix-env|make install)`,
  run: String.raw`\b(cargo run|go run|(npm|pnpm|yarn|bun) (run )?(start|dev|serve)|npm start|docker run|docker compose up|flask run|manage\.py runserver|python -m \w+|make (run|serve|start|dev))`,
  lint: String.raw`\b(ruff|flake8|mypy|pre-commit run|black|cargo (fmt|clippy)|golangci-lint|go vet|eslint|xo\b|prettier|make (lint|fmt)|rubocop|(npm|pnpm|yarn) run lint)`,
  start: String.raw`^#+ .*\b([Ii]nstall\w*|[Gg]etting [Ss]tarted|[Uu]sage|[Qq]uick ?[Ss]tart|[Bb]uild\w*|[Dd]evelop\w*|[Hh]ow to use|[Ee]xamples?)\b`,
};

const lookForWords = (wish: Wish, listing: Listing): readonly PlannedCall[] => {
  const documents = [
    ...findNearest(listing, /^readme/i).slice(0, 1),
    ...findNearest(listing, /^(?:contributing|install|hacking|development)\b/i).slice(0, 1),
  ];
  const places = [...documents, ...(listing.folders.has(".github/workflows") && wish !== "start" ? [".github/workflows"] : [])];
  return places.map((path) => call("grep", { pattern: WORDS[wish], path, maxResults: 12 }));
};

const report = (wish: Wish, project: Project): Turn => {
  const { manifests, lines } = project;
  const commands = manifests.flatMap((manifest) => manifest.commands ?? []);
  const wishes: readonly Purpose[] = wish === "start" ? ["install", "build", "run", "test"] : [wish];
  const groups = wishes.map((purpose) => ({ purpose, chosen: choose(commands, purpose) }));
  const documents = lines.filter(({ path }) => !path.startsWith(".github/"));
  const workflows = lines.filter(({ path, text }) => path.startsWith(".github/") && isCommand(text));
  const needs = manifests.flatMap((manifest) => manifest.needs ?? []);
  const isNothing = groups.every(({ chosen }) => chosen.length === 0) && lines.length === 0;
  if (isNothing) return answer(nothing(wish, project));
  return answer(
    ...groups.map(({ purpose, chosen }) =>
      chosen.length === 0 ? "" : `${TITLES[purpose]}:\n${chosen.slice(0, 5).map(toRow).join("\n")}`,
    ),
    wish === "run" && groups.every(({ chosen }) => chosen.length === 0)
      ? "There is no command that starts it: it looks like a library, to be used from other programs."
      : "",
    documents.length > 0
      ? `${wish === "start" ? "Read on in" : "The documents say"}:\n${bullets(distinct(documents).map(toLine), 8, "lines")}`
      : "",
    workflows.length > 0 ? `CI runs:\n${bullets(distinct(workflows).map(toLine), 4, "lines")}` : "",
    needs.length > 0 ? `It needs ${needs.map(({ text, where }) => `${text} (${where})`).join(", ")}.` : "",
    ACTS[wish] ?? "",
  );
};

const TITLES: Record<Purpose, string> = {
  install: "To install",
  build: "To build",
  test: "To run the tests",
  run: "To run it",
  lint: "To check style and types",
};

/** What the rules do themselves, after a yes. */
const ACTS: Partial<Record<Wish, string>> = { test: 'Say "run the tests" and it is done here, once you allow it.' };

/** What is written before what is only usual; one command once. */
const choose = (commands: readonly Command[], purpose: Purpose): readonly Command[] => {
  const fitting = commands.filter((each) => each.purpose === purpose);
  const written = fitting.filter(({ isWritten }) => isWritten);
  return [...written, ...fitting.filter(({ isWritten }) => !isWritten)];
};

const toRow = ({ command, where, isWritten, does }: Command): string =>
  `- \`${command}\` (${where}${isWritten ? (does === undefined ? "" : `: ${clip(does, 80)}`) : `, ${does ?? "the usual command for it"}`})`;

const toLine = ({ path, line, text }: FoundLine): string =>
  `- ${path}:${line}: ${clip(text.replace(/^\s*(?:- )?run:\s*/, ""), 110)}`;

/** A line that is run, rather than a setting that mentions the tool. */
const isCommand = (text: string): boolean =>
  /^\s*(?:- )?run:/.test(text) || !/^\s*(?:-\s*)?(?:\{|#|[\w-]+:(?:\s|$))|uses:/.test(text);

const distinct = (lines: readonly FoundLine[]): readonly FoundLine[] => {
  const seen = new Set<string>();
  return lines.filter(({ text }) => {
    const key = text.replace(/^\s*(?:- )?(?:run:\s*)?[$>]?\s*/, "").trim();
    return !seen.has(key) && seen.add(key);
  });
};

const nothing = (wish: Wish, { listing, manifests }: Project): string => {
  const what = wish === "start" ? "how to start" : `how to ${wish === "lint" ? "check" : wish} it`;
  const looked =
    manifests.length > 0
      ? manifests.map(({ path }) => path).join(", ")
      : "no manifest such as package.json, pyproject.toml, Cargo.toml, go.mod or a Makefile";
  const [readme] = findNearest(listing, /^readme/i);
  return `Nothing here says ${what}. Found: ${looked}${readme === undefined ? "" : `, and ${baseOf(readme)}, which names no such command`}.`;
};
