/**
 * `npm run bench:loading`: what a project with 400 agents and 800 skills costs at the start, over one that has none. Each measurement opens a workspace in a process of
 * its own, as a command does; the two take turns, and the medians of their CPU time are compared: the disk is warm, and a busy machine changes little. Ends with 1
 * where the difference is more than 300 ms.
 */
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { once } from "node:events";

const AGENTS = 400;
const SKILLS = 800;
const MOST_MS = 300;
const ROUNDS = Number(process.env["BENCH_ROUNDS"] ?? "7");

const LINES = "- Look before you speak, and name files and lines.\n".repeat(40);

/** Half of them in each of the two dialects that collections come in. */
const writeProject = (folder: string, agents: number, skills: number): void => {
  for (let at = 0; at < agents; at += 1) {
    const isClaude = at % 2 === 0;
    const place = path.join(folder, isClaude ? ".claude/agents" : ".opencode/agent");
    mkdirSync(place, { recursive: true });
    const name = `specialist-${at}`;
    const fields = isClaude
      ? `name: ${name}\ndescription: Use this agent for questions of kind ${at}.\ntools: Read, Grep, Glob, Bash\nmodel: sonnet\n`
      : `description: Use this agent for questions of kind ${at}.\nmode: subagent\ntools:\n  write: false\n  edit: false\n`;
    writeFileSync(path.join(place, `${name}.md`), `---\n${fields}---\n\nYou are ${name}.\n\n${LINES}`);
  }
  for (let at = 0; at < skills; at += 1) {
    const name = `skill-${at}`;
    const place = path.join(folder, at % 2 === 0 ? ".claude/skills" : ".opencode/skills", name);
    mkdirSync(place, { recursive: true });
    writeFileSync(
      path.join(place, "SKILL.md"),
      `---\nname: ${name}\ndescription: How to do work of kind ${at}, and when not to.\nlicense: MIT\n---\n\n# ${name}\n\n${LINES}`,
    );
  }
};

/** Opens the workspace and tells how long that took, and what was found. */
const OPEN = `
import { createRetinue } from "retinue";
import { createScriptedModel } from "retinue/testing";
const [folder] = process.argv.slice(1);
const began = process.cpuUsage();
const retinue = await createRetinue({ workspace: folder, model: createScriptedModel([]) });
const { user, system } = process.cpuUsage(began);
const tookMs = (user + system) / 1_000;
console.log(JSON.stringify({ tookMs, agents: retinue.agents.size, problems: retinue.problems.length }));
await retinue.close();
process.exit(0);
`;

type Opened = { readonly tookMs: number; readonly agents: number; readonly problems: number };

const open = async (folder: string, home: string): Promise<Opened> => {
  const child = spawn(process.execPath, ["--input-type=module", "-e", OPEN, folder], {
    cwd: path.dirname(import.meta.dirname),
    env: { PATH: process.env["PATH"], HOME: home, RETINUE_HOME: path.join(home, ".retinue") },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let said = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (said += text));
  await once(child, "close");
  return JSON.parse(said) as Opened;
};

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

const base = mkdtempSync(path.join(tmpdir(), "retinue-loading-"));
try {
  const [none, many, home] = ["none", "many", "home"].map((name) => path.join(base, name)) as [string, string, string];
  for (const folder of [none, many, home]) mkdirSync(folder);
  writeProject(many, AGENTS, SKILLS);
  const times: Record<"none" | "many", number[]> = { none: [], many: [] };
  for (let round = 0; round <= ROUNDS; round += 1) {
    const without = await open(none, home);
    const withMany = await open(many, home);
    if (withMany.agents - without.agents !== AGENTS) throw new Error(`${withMany.agents - without.agents} agents were loaded`);
    // The first round fills the caches of the disk.
    if (round === 0) continue;
    times.none.push(without.tookMs);
    times.many.push(withMany.tookMs);
  }
  const [withoutMs, withMs] = [median(times.none), median(times.many)];
  const over = withMs - withoutMs;
  console.log(
    `none ${withoutMs.toFixed(0)} ms, ${AGENTS} agents and ${SKILLS} skills ${withMs.toFixed(0)} ms: ${over.toFixed(0)} ms over none`,
  );
  process.exitCode = over <= MOST_MS ? 0 : 1;
} finally {
  rmSync(base, { recursive: true, force: true });
}
