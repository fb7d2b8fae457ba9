import type { SessionExport } from "@retinue/store";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { callRetinue } from "../testing/call-retinue.ts";
import type { MockProject } from "../testing/mock-project.ts";
import { call, createMockProject } from "../testing/mock-project.ts";
import type { Project } from "../testing/spawn-retinue.ts";
import { createProject } from "../testing/spawn-retinue.ts";

let made: MockProject;
let elsewhere: Project;
let file: string;

/** A main agent, a sub-agent that it asked, and an output so long that it is kept as an artifact. */
beforeAll(async () => {
  made = await createMockProject([
    { toolCalls: [call("shell", { command: "cat long.txt" }), call("delegate_to_agent", { agent: "researcher", task: "look" })] },
    { text: "It is long." },
    { text: "All is read." },
  ]);
  elsewhere = await createProject();
  await writeFile(join(made.project.workspace, "long.txt"), "a line of it\n".repeat(8_000));
  expect(await callRetinue(made.project, ["run", "--approve", "all", "read it"])).toMatchObject({ code: 0 });
  file = join(made.project.home, "session.json");
  expect(await callRetinue(made.project, ["sessions", "export", "latest", "-o", file])).toMatchObject({ code: 0 });
});

afterAll(async () => {
  await elsewhere?.remove();
  await made?.remove();
});

const exported = async (): Promise<SessionExport> => JSON.parse(await readFile(file, "utf8")) as SessionExport;

describe("an exported session", () => {
  test("is imported into another record: the same events, ids and artifacts, and it verifies, replays and exports the same", async () => {
    const { session, events, artifacts } = await exported();
    expect(session.runCount).toBe(2);
    expect(artifacts).not.toEqual([]);
    const imported = await callRetinue(elsewhere, ["sessions", "import", file]);
    expect(imported).toMatchObject({ code: 0, stderr: "" });
    expect(imported.stdout).toBe(`imported ${session.sessionId} with ${events.length} events: read it\n`);
    expect((await callRetinue(elsewhere, ["sessions", "verify"])).stdout).toContain("nothing is damaged");
    const again = await callRetinue(elsewhere, ["sessions", "export", session.sessionId, "--format", "json"]);
    expect(JSON.parse(again.stdout)).toMatchObject({ events, artifacts, session: { headHash: session.headHash }, damage: null });
    const replayed = await callRetinue(elsewhere, ["replay", session.sessionId, "--speed", "0"]);
    expect(replayed.stdout).toContain("All is read.");
    expect((await callRetinue(elsewhere, ["sessions", "show", session.sessionId])).stdout).toContain("researcher");
  });

  test("is refused where it is already, and comes beside it as a new one", async () => {
    const refused = await callRetinue(made.project, ["sessions", "import", file]);
    expect(refused).toMatchObject({ code: 2, stdout: "" });
    expect(refused.stderr).toContain("--as-new");
    const added = await callRetinue(made.project, ["sessions", "import", file, "--as-new", "--json"]);
    const { imported } = JSON.parse(added.stdout) as { imported: string };
    expect(imported).not.toBe((await exported()).session.sessionId);
    expect((await callRetinue(made.project, ["sessions", "verify"])).stdout).toMatch(/^2 sessions .*nothing is damaged/);
    expect((await callRetinue(made.project, ["sessions", "show", imported])).stdout).toContain("researcher");
    expect(await callRetinue(made.project, ["replay", imported, "--verify"])).toMatchObject({ code: 0 });
  });

  test("is refused when it was changed, is no export or is not there", async () => {
    const changed = join(elsewhere.home, "changed.json");
    await writeFile(changed, (await readFile(file, "utf8")).replaceAll("It is long.", "It is short."));
    const refused = await callRetinue(elsewhere, ["sessions", "import", changed]);
    expect(refused).toMatchObject({ code: 2, stdout: "" });
    expect(refused.stderr).toContain("[import_invalid]");
    await writeFile(changed, "# Markdown");
    expect((await callRetinue(elsewhere, ["sessions", "import", changed])).stderr).toContain("[import_invalid]");
    expect(await callRetinue(elsewhere, ["sessions", "import", join(elsewhere.home, "nothing.json")])).toMatchObject({ code: 2 });
  });
});
