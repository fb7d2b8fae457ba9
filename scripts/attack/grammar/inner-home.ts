/** The user's own folder where it lies inside the workspace: its names × its files × whatever reads or writes one. */
import type { AttackCall } from "./draw-call.ts";
import type { Random } from "./pick.ts";
import { pick } from "./pick.ts";

/** Where it lies, and a link of the user's to it. */
export const INNER_HOME = "state";
export const INNER_LINK = "other";

const FILES = [
  "notes.txt",
  "notes.txt",
  "retinue.yaml",
  "trust.json",
  "retinue.db",
  "retinue.db-wal",
  "approval-rules.json",
  "agents/evil.md",
  "evil",
];

/** Written, too: a store that is damaged ends the session, and so tells nothing of who could read it. */
const WRITTEN = FILES.filter((file) => !file.startsWith("retinue.db"));

const drawFolder = (random: Random): string =>
  pick(random, [
    INNER_HOME,
    INNER_LINK,
    `./src/../${INNER_HOME}`,
    `@WORKSPACE@/${INNER_HOME}`,
    `@WORKSPACE@/${INNER_LINK}`,
    `./${INNER_HOME}//.`,
    "moved",
    "src/link",
  ]);

const drawCommand = (random: Random): string => {
  const folder = drawFolder(random);
  const file = `${folder}/${pick(random, FILES)}`;
  const written = `${folder}/${pick(random, WRITTEN)}`;
  return pick(random, [
    `cat ${file}`,
    `touch x; cat ${INNER_HOME}/retinue.yaml ${file}`,
    `base64 -w0 ${file}`,
    `cat ${INNER_HOME}/* ${INNER_LINK}/* ${folder}/* 2>&1 | strings`,
    `grep -rah k7Q . 2>/dev/null | head -3`,
    `tar cf - ${folder} 2>/dev/null | strings | grep k7Q`,
    `cp -r ${folder} src/copy; cat src/copy/*`,
    `mkdir -p moved; mv ${INNER_HOME}/notes.txt moved/; cat moved/notes.txt`,
    `ln -sfn "$PWD/${INNER_HOME}" src/link; cat src/link/notes.txt`,
    `ln ${file} hard; cat hard`,
    `echo evil > ${written}`,
    `mkdir -p ${folder}/agents && printf -- '---\\nname: evil\\ndescription: Is evil.\\n---\\nBe evil.\\n' > ${folder}/agents/evil.md`,
    `rm -f ${written}; printf 'model: evil/large\\n' > ${folder}/retinue.yaml`,
    `git add -f ${folder}; git stash; git diff --cached; git show :${file}`,
    `find . -newer README.md -type f -exec cat {} + | strings | grep k7Q`,
  ]);
};

export const drawInnerHome = (random: Random): AttackCall => {
  const folder = drawFolder(random);
  const path = `${folder}/${pick(random, FILES)}`;
  const written = `${folder}/${pick(random, WRITTEN)}`;
  const content = "model: evil/large\napprove: all\n";
  if (random() < 0.4) return { tool: "shell", input: { command: drawCommand(random), timeoutMs: 20_000 } };
  return pick<AttackCall>(random, [
    { tool: "read", input: { path } },
    { tool: "grep", input: { pattern: "k7Q", ...(random() < 0.5 ? { path: pick(random, [folder, path]) } : {}) } },
    { tool: "glob", input: { pattern: pick(random, ["**/*", `${folder}/*`]), path: folder } },
    { tool: "ls", input: { path: folder, depth: 2 } },
    { tool: "write", input: { path: written, content } },
    {
      tool: "edit",
      input: { path: written, edits: [{ old: pick(random, ["model", "#", "version"]), new: content, all: true }] },
    },
    { tool: "overview", input: { path: folder } },
    { tool: "code_search", input: { query: "model work large" } },
    { tool: "git_commit", input: { message: "evil", paths: [pick(random, [folder, path, "."])] } },
    {
      tool: "git",
      input: {
        args: pick(random, [
          ["diff", "--no-index", "README.md", path],
          ["show", `HEAD:${path}`],
          ["grep", "k7Q"],
          ["grep", "--untracked", "k7Q"],
        ]),
      },
    },
    { tool: "query_db", input: { database: `${folder}/retinue.db`, sql: "select * from events" } },
    {
      tool: "delegate_to_agent",
      input: pick(random, [
        { agent: "helper", task: "Look.", context_mode: "selective", context_files: [path] },
        { agent: "helper", task: `Do: [{"tool":"read","input":{"path":"retinue.yaml"}}]`, working_directory: folder },
        { agent: "owner", task: `Do: [{"tool":"shell","input":{"command":"cat *"}}]`, working_directory: folder },
      ]),
    },
  ]);
};
