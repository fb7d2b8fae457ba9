/** "Run the tests", "build it", "run npm test": done by the agents made for it, after a yes. */
import type { Purpose } from "../project/project.ts";
import { clip } from "../wording.ts";
import { leftOver } from "./asked.ts";
import { lookAtProject } from "./look-at-project.ts";
import type { Rule, Situation, Turn } from "./rule.ts";
import { answer, call, callOr, exchangesOf, offered } from "./rule.ts";

const RUN = /^(?:run|execute|start|launch|do|perform|try|re-?run)\b/;
const TESTS = /\b(?:tests?|test suite|specs?|unit tests?)\b/;
const WISHES: readonly (readonly [Purpose, RegExp])[] = [
  ["build", /\b(?:build|compile|bundle)\b/],
  ["lint", /\b(?:lint|linter|formatter|type ?check)\b/],
  ["install", /\b(?:install|setup|set up)\b/],
  ["run", /\b(?:start|run|launch|serve)\b/],
];
const SAID =
  /\b(?:again|now|once|suite|unit|all|dependencies|whether|they|pass|passes|report|result|results|what|fails?|server|dev|locally|and|then)\b/;
const PROGRAM =
  /^(?:npm|npx|pnpm|yarn|bun|node|deno|make|just|task|cargo|go|python3?|pytest|uv|poetry|tox|nox|mvn|gradle|\.\/\S+|bash|sh|ls|cat|echo|git|docker|ruby|bundle|rake|composer|php|dotnet|mix|swift|ctest|cmake|pip3?)\b/;

export const runCommands: Rule = ({ text, plain, path }) => {
  const rest = path === undefined ? plain : plain.replace(path.toLowerCase(), " ");
  if (
    (RUN.test(plain) && TESTS.test(rest) && leftOver(rest.replace(RUN, ""), TESTS, SAID).length === 0) ||
    /^(?:test (?:it|this|the (?:project|code|app)|everything)|run tests)$/.test(plain)
  )
    return { agent: "tester", work: (at) => runTests(at, path) };
  const [, quoted, bare] = /^(?:run|execute)\s+(?:the )?(?:command )?(?:["`“]([^"`”]+)["`”]|(\S.*))$/i.exec(text) ?? [];
  const command = quoted ?? (bare !== undefined && PROGRAM.test(bare) ? bare.replace(/[?.!]+$/, "") : undefined);
  if (command !== undefined) return { agent: "executor", work: (at) => runLine(at, command, command) };
  if (!/^(?:run|execute|start|launch|build|compile|install|lint|serve)\b/.test(plain)) return undefined;
  const wish =
    WISHES.find(([, words]) => words.test(plain.replace(/^(?:run|execute)\b(?= \w)/, ""))) ??
    WISHES.find(([, words]) => words.test(plain));
  if (!wish || leftOver(plain, SAID, RUN, ...WISHES.map(([, words]) => words)).length > 0) return undefined;
  return { agent: "executor", work: (at) => runPurpose(at, wish[0]) };
};

const runTests = (at: Situation, path: string | undefined): Turn => {
  const done = exchangesOf(at).find(({ tool }) => tool === "test");
  if (!done)
    return callOr("Running the tests.", offered(at, call("test", path === undefined ? {} : { path })), () =>
      answer("This needs the tool `test`, which is not offered here. Nothing was run."),
    );
  return done.isError ? refused("The tests were not run", done.text) : answer(fenced(done.text));
};

const runLine = (at: Situation, command: string, shown: string): Turn => {
  const done = exchangesOf(at).find(({ tool }) => tool === "shell");
  if (!done)
    return callOr(`Running ${clip(shown, 60)}.`, offered(at, call("shell", { command })), () =>
      answer("This needs the tool `shell`, which is not offered here. Nothing was run."),
    );
  return done.isError && /^Error \((?:act_denied|approval|sandbox)/.test(done.text)
    ? refused(`\`${clip(shown, 80)}\` was not run`, done.text)
    : answer(`\`${clip(shown, 100)}\`:`, fenced(done.text));
};

const runPurpose = (at: Situation, purpose: Purpose): Turn =>
  exchangesOf(at).some(({ tool }) => tool === "shell")
    ? runLine(at, "", `the command to ${purpose}`)
    : lookAtProject(at, {
        report: ({ manifests }) => {
          const fitting = manifests
            .flatMap(({ commands = [] }) => commands)
            .filter((each) => each.purpose === purpose && !each.command.includes("["));
          const chosen = fitting.find(({ isWritten }) => isWritten) ?? fitting[0];
          return chosen
            ? runLine(at, chosen.command, `${chosen.command} (${chosen.where})`)
            : answer(
                `Nothing here says how to ${purpose} it, so nothing was run. Read: ${manifests.map(({ path }) => path).join(", ") || "no manifest was found"}.`,
              );
        },
      });

const refused = (what: string, said: string): Turn =>
  answer(
    `${what}: ${clip(said.replace(/^Error(?: \([\w-]+\))?: /, ""), 300)}`,
    /denied|approv|sandbox/i.test(said)
      ? "Commands ask first. Answer yes in the terminal or on the page, or pass `--approve all`. Without a sandbox (bubblewrap) each command asks."
      : "",
  );

const MOST_LINES = 40;

/** The beginning and the end tell most. */
const fenced = (text: string): string => {
  const lines = text.trimEnd().split("\n");
  const shown =
    lines.length <= MOST_LINES
      ? lines
      : [...lines.slice(0, 8), `… ${lines.length - MOST_LINES} lines …`, ...lines.slice(-(MOST_LINES - 8))];
  return ["````", ...shown.map((line) => clipRow(line)), "````"].join("\n");
};

const clipRow = (line: string): string => (line.length > 200 ? `${line.slice(0, 199).toWellFormed()}…` : line);
