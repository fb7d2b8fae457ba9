import type { TestPostgres } from "@retinue/store/testing/postgres";
import { startPostgres } from "@retinue/store/testing/postgres";
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createRetinue } from "../../create-retinue.ts";
import { callRetinue } from "../testing/call-retinue.ts";
import type { MockProject } from "../testing/mock-project.ts";
import { createMockProject } from "../testing/mock-project.ts";
import type { Ended } from "../testing/spawn-retinue.ts";
import { toEnvironment } from "../testing/spawn-retinue.ts";

const PASSWORD = "s3cret-w0rd";

let postgres: TestPostgres;
let made: MockProject;
let url: string;
const printed: string[] = [];

beforeAll(async () => {
  postgres = await startPostgres();
  url = await postgres.createDatabase("record", PASSWORD);
  made = await createMockProject(() => ({ text: "The platypus lays eggs." }));
});

afterAll(async () => {
  await made?.remove();
  await postgres?.stop();
});

/** With the address in the environment. */
const retinue = async (...words: string[]): Promise<Ended> => {
  const ended = await callRetinue(made.project, words, { RETINUE_STORE_URL: url });
  printed.push(ended.stdout, ended.stderr);
  return ended;
};

describe("a record in PostgreSQL, by a setting", () => {
  test("takes runs and answers every command on sessions, and no file is made", async () => {
    expect(await retinue("run", "what does it lay?")).toMatchObject({ code: 0, stdout: "The platypus lays eggs.\n" });
    expect(await retinue("run", "--continue", "and then?")).toMatchObject({ code: 0 });
    expect((await retinue("sessions", "list")).stdout).toMatch(/^ses_\w+ +\S+ +completed +2 .*what does it lay\?$/m);
    expect((await retinue("sessions", "show", "latest")).stdout).toContain("and then?");
    expect((await retinue("sessions", "search", "platypus")).stdout).toContain("platypus");
    expect((await retinue("sessions", "verify")).stdout).toContain("nothing is damaged");
    expect((await retinue("replay", "latest", "--speed", "0")).stdout).toContain("The platypus lays eggs.");
    expect((await retinue("replay", "latest", "--verify")).stdout).toContain("the loop would do the same again");
    expect((await retinue("stats", "--json")).stdout).toContain('"runs":2');
    expect((await retinue("sessions", "export", "latest", "--format", "json")).stdout).toContain('"retinue-session"');
    expect(await retinue("sessions", "fork", "latest", "another way")).toMatchObject({ code: 0 });
    expect(await retinue("sessions", "resume", "latest")).toMatchObject({ code: 0 });
    expect(await retinue("sessions", "delete", "latest", "--yes")).toMatchObject({ code: 0 });
    expect((await retinue("sessions", "prune", "--keep", "0")).stdout).toBe("1 session deleted.\n");
    expect((await retinue("sessions", "list")).stdout).toBe("");
    expect(existsSync(join(made.project.home, "retinue.db"))).toBe(false);
  });

  test("is found by the user's settings file and by the library", async () => {
    const before = await readFile(made.settingsFile, "utf8");
    await writeFile(made.settingsFile, `${before}store: { url: "${url}" }\n`);
    const { workspace, home } = made.project;
    const library = await createRetinue({ workspace, env: toEnvironment(home) });
    const run = await library.run("by the library");
    await run.result;
    await library.close();
    const listed = await callRetinue(made.project, ["sessions", "list"]);
    printed.push(listed.stdout, listed.stderr);
    expect(listed.stdout).toContain("by the library");
    await writeFile(made.settingsFile, before);
  });

  test("is refused with the address at fault", async () => {
    const wrong = await callRetinue(made.project, ["sessions", "list"], {
      RETINUE_STORE_URL: "mysql://me:s3cret-w0rd@127.0.0.1/x",
    });
    printed.push(wrong.stdout, wrong.stderr);
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toContain("RETINUE_STORE_URL");
    expect(wrong.stderr).toContain("postgres://");
    const nowhere = await callRetinue(made.project, ["sessions", "list"], {
      RETINUE_STORE_URL: url.replace(/record$/, "nowhere"),
    });
    printed.push(nowhere.stdout, nowhere.stderr);
    expect(nowhere).toMatchObject({ code: 2 });
  });

  test("never has its password printed", async () => {
    const doctor = await retinue("doctor");
    expect(doctor.stdout).toContain("postgres://record:…@127.0.0.1:");
    await retinue("doctor", "--json");
    expect(printed.join("\n")).not.toContain(PASSWORD);
  });
});
