/** The real command in a real terminal, as a newcomer meets it. `pty.test.ts` has more. */
import { expect, onTestFinished, test } from "vitest";
import { createProject } from "../cli/testing/spawn-retinue.ts";
import { startInPty } from "./testing/start-in-pty.ts";

test("the first session of a newcomer: what answers is said, an example is tried, help is asked for, and the terminal is given back", async () => {
  const project = await createProject();
  onTestFinished(project.remove);
  const at = startInPty(project, ["--model", "offline/rules"]);
  onTestFinished(() => at.kill("SIGKILL"));
  // Typed before anything is there: neither echoed nor lost.
  at.type("what is in this folder?");
  await at.until("› what is in this folder?");
  expect(at.all()).toContain("built-in rules answer, not an LLM");
  expect(at.all()).toContain("/spawn code-search where are errors handled?");
  at.type("\r");
  await at.until("completed in");
  await at.until("ready");
  at.type("/he");
  await at.until("› /help");
  at.type("\t\r");
  await at.until("Ctrl-C          ".trimEnd());
  expect(at.all()).toContain("/spawn agent task");
  at.type("\u0004");
  expect(await at.ended).toBe(0);
  expect(at.bytes()).toContain("\u001b[?2004l");
  expect(at.bytes()).not.toContain("\u001b[?1049h");
});
