import { afterEach, expect, test } from "vitest";
import { createProject } from "../cli/testing/spawn-retinue.ts";
import { call, ENTER, playTui, type Played } from "./testing/play-tui.ts";

const open: Played[] = [];
afterEach(async () => {
  for (const [index, played] of open.splice(0).entries()) await played.close(index === 0 ? "keep" : undefined);
});

test("a session that one process drives is followed, answered and spoken to from another", async () => {
  const project = await createProject();
  const driver = await playTui({
    project,
    script: [{ toolCalls: [call("w", "write", { path: "src/a.ts", content: "x\n" })] }, { text: "Written, and heard." }],
  });
  open.push(driver);
  await driver.press("go", ENTER);
  await driver.until("! 1");
  const other = await playTui({ project, script: [] });
  open.push(other);
  await other.press("/resume latest", ENTER);
  await other.until("is driven by another process");
  await other.until("wants to write src/a.ts");
  await other.press("use tabs", ENTER);
  await other.until("you → main  use tabs");
  await other.advance(1500);
  await other.until("y once");
  await other.advance(300);
  await other.press("y");
  await driver.until("Written, and heard.");
  await other.until("Written, and heard.");
  expect(driver.all()).toContain("✓ allowed once: main write src/a.ts");
  expect(driver.all()).toContain("you → main  use tabs");
});
