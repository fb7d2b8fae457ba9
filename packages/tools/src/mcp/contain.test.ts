// @module-tag long
/** SAFETY H6: each way in which a server misbehaves ends one call, is said, and hurts nobody else. */
import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { toText } from "@retinue/confine/testing";
import { connect, hostile } from "./testing/connect.ts";

const failed = (message: string) => ({ code: "tool_failed", message: expect.stringContaining(message) });

const isAlive = async (pid: number): Promise<boolean> => {
  const stat = await readFile(`/proc/${pid}/stat`, "latin1").catch(() => "");
  return stat !== "" && !/\) [ZX] /.test(stat);
};

/** Until the operating system has taken the process away. */
const gone = async (pid: number): Promise<void> => {
  while (await isAlive(pid)) await sleep(10);
};

describe("a server that misbehaves while it starts", () => {
  it.each([
    ["silent", "took too long", 1500],
    ["silent-list", "took too long", 1500],
    ["garbage", "what is no message of the protocol", 30_000],
    ["exit", "exit code 3", 30_000],
  ])("H6: %s is reported, and the others work", async (mode, why, connectTimeoutMs) => {
    await using servers = await connect({ bad: { ...hostile(mode), connectTimeoutMs }, good: hostile() });
    expect(servers.servers()).toEqual([
      {
        server: "bad",
        status: "failed",
        tools: 0,
        withheld: 0,
        error: { code: "mcp_server_failed", message: expect.stringContaining(why), hint: expect.any(String) },
      },
      { server: "good", status: "connected", tools: expect.any(Number), withheld: 0 },
    ]);
    expect(toText(await servers.call("good.echo", { text: "hi" }))).toContain('"text":"hi"');
  });

  it("H6: a command that does not exist is reported", async () => {
    await using servers = await connect({ bad: { command: "retinue-no-such-command" } });
    expect(servers.servers()[0]?.error?.message).toContain("retinue-no-such-command");
  });

  it("H6: what it printed before it failed is told, with its control characters escaped", async () => {
    await using servers = await connect({ bad: hostile("exit") });
    expect(servers.servers()[0]?.error?.message).toContain("no licence\\u{1b}[31m found");
  });

  it("H6: a greeting and a log on the standard output do no harm", async () => {
    await using servers = await connect({ good: hostile("greets") });
    expect(toText(await servers.call("good.echo"))).toContain("echo");
    expect(servers.logs.map(({ level, text }) => `${level} ${text}`)).toEqual(
      expect.arrayContaining(["print Welcome to the server!", 'print {"level":"info","msg":"ready"}']),
    );
  });

  it("a server that speaks only the protocol of 2026 is spoken to in it", async () => {
    await using servers = await connect({ modern: hostile("modern-only") });
    expect(servers.servers()).toMatchObject([{ status: "connected" }]);
    expect(toText(await servers.call("modern.echo", { text: "hi" }))).toContain('"text":"hi"');
  });

  it("H6: of 100,000 tools 200 are taken and a warning says so", async () => {
    await using servers = await connect({ many: hostile("many") });
    expect(servers.tools()).toHaveLength(200);
    expect(servers.logs).toContainEqual({
      server: "many",
      level: "warning",
      text: expect.stringContaining("more than 200 tools"),
    });
  });

  it("H6: a list whose pages never end is cut", async () => {
    await using servers = await connect({ pages: hostile("pages") });
    expect(servers.tools()).toHaveLength(50);
    expect(servers.logs).toContainEqual({ server: "pages", level: "warning", text: expect.stringContaining("left out") });
  });
});

describe("a server that misbehaves in a call", () => {
  it("H6: a call that is never answered ends with its signal, and the next one is answered", async () => {
    await using servers = await connect({ bad: hostile() });
    const stop = new AbortController();
    const call = servers.call("bad.never", {}, { signal: stop.signal });
    await servers.logged("called never");
    stop.abort(new Error("the time is up"));
    await expect(call).rejects.toMatchObject(failed("the time is up"));
    expect(toText(await servers.call("bad.echo"))).toContain("echo");
  });

  it("H6: of two answers the first counts", async () => {
    await using servers = await connect({ bad: hostile() });
    expect(toText(await servers.call("bad.twice"))).toBe("first");
    expect((await servers.logged("was not asked")).level).toBe("warning");
    expect(toText(await servers.call("bad.echo"))).toContain("echo");
  });

  it("H6: an answer to another call is not taken for this one's", async () => {
    await using servers = await connect({ bad: hostile() });
    const stop = new AbortController();
    const call = servers.call("bad.wrong-id", {}, { signal: stop.signal });
    await servers.logged("was not asked");
    stop.abort(new Error("the time is up"));
    await expect(call).rejects.toMatchObject(failed("the time is up"));
  });

  it.each([
    ["huge", "larger than 16 MiB"],
    ["garbage", "what is no message of the protocol"],
    ["exit", "exit code 7"],
    ["deep", "nested more than 128 deep"],
    ["elicitation-loop", "asked for what is refused more than 100 times"],
    ["notification-flood", "more than 1000 messages in a second"],
  ])("H6: %s ends the server, and the next call starts it again once", async (tool, why) => {
    await using servers = await connect({ bad: hostile() });
    const { server } = JSON.parse(toText(await servers.call("bad.children"))) as { server: number };
    await expect(servers.call(`bad.${tool}`)).rejects.toMatchObject(failed(why));
    await gone(server);
    expect(toText(await servers.call("bad.echo"))).toContain("echo");
    expect(servers.logs.filter(({ text }) => text.includes("is started again"))).toHaveLength(1);
  });

  it("H6: a call whose server was lost says that its outcome is not known, and why it was lost", async () => {
    await using servers = await connect({ bad: hostile() });
    await expect(servers.call("bad.exit")).rejects.toMatchObject(failed("Whether the call took effect is not known"));
    await expect(servers.call("bad.exit")).rejects.toMatchObject(failed("cannot go on: the disk is gone"));
  });

  it("H6: a result that is none is an error of the tool", async () => {
    await using servers = await connect({ bad: hostile() });
    await expect(servers.call("bad.bad-result")).rejects.toMatchObject({ code: "tool_failed" });
    expect(toText(await servers.call("bad.echo"))).toContain("echo");
  });

  it("H6: sampling is refused", async () => {
    await using servers = await connect({ bad: hostile() });
    const stop = new AbortController();
    const call = servers.call("bad.sampling", {}, { signal: stop.signal });
    expect((await servers.logged("refused 1:")).text).toContain("Method not found");
    expect(servers.logs).toContainEqual({
      server: "bad",
      level: "warning",
      text: "asked for sampling/createMessage, which is refused",
    });
    stop.abort();
    await expect(call).rejects.toMatchObject({ code: "tool_failed" });
  });

  it("H6: a flood of error output is read, bounded, and keeps no call from its answer", async () => {
    await using servers = await connect({ bad: hostile() });
    expect(toText(await servers.call("bad.flood-stderr"))).toBe("done");
    await servers.logged("prints too much");
    expect(servers.logs.filter(({ level }) => level === "print").length).toBeLessThanOrEqual(200);
  });

  it("H6: a text of 3 MiB is cut to 1 MiB, and that is said", async () => {
    await using servers = await connect({ bad: hostile() });
    const text = toText(await servers.call("bad.big-text"));
    expect(text.length).toBeLessThan(1024 * 1024 + 200);
    expect(text).toContain("2097152 more characters cut");
  });

  it("what the server calls an error is one, in its words", async () => {
    await using servers = await connect({ bad: hostile() });
    await expect(servers.call("bad.error")).rejects.toMatchObject(failed("the thing is broken"));
  });

  it("progress is shown with its control characters escaped", async () => {
    await using servers = await connect({ bad: hostile() });
    const shown: string[] = [];
    await servers.call("bad.progress", {}, { progress: (text) => void shown.push(text) });
    expect(shown).toEqual(["1/2 half\\u{1b}[2J"]);
  });
});

describe("closing", () => {
  it.each(["good", "stubborn"])("ends a %s server with all that it started, also what left its process group", async (mode) => {
    await using servers = await connect({ bad: hostile(mode) });
    const { server, children } = JSON.parse(toText(await servers.call("bad.children"))) as { server: number; children: number[] };
    expect(await Promise.all([server, ...children].map(isAlive))).toEqual([true, true, true]);
    await servers.close();
    expect(await Promise.all([server, ...children].map(isAlive))).toEqual([false, false, false]);
  });

  it("happens when the signal says so", async () => {
    const stop = new AbortController();
    await using servers = await connect({ good: hostile() }, { signal: stop.signal });
    const { server } = JSON.parse(toText(await servers.call("good.children"))) as { server: number };
    stop.abort();
    await gone(server);
    await expect(servers.call("good.echo")).rejects.toMatchObject({ code: "tool_failed" });
  });
});
