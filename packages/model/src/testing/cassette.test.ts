import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Json } from "@retinue/protocol";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { ModelChunk, ModelRequest } from "../contract.ts";
import { createModels } from "../models.ts";
import { openCassette } from "./cassette.ts";
import type { Cassette, CassetteOptions } from "./cassette.ts";
import { startMockServer } from "./mock-server.ts";
import type { MockServer, MockServerOptions } from "./mock-server.ts";

const CANARY = "sk-canary-0123456789";
const never = new AbortController().signal;

let folder = "";
let file = "";
const closers: (() => Promise<unknown>)[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "cassette-"));
  file = join(folder, "tape.jsonl");
});
afterEach(async () => {
  await Promise.all(closers.splice(0).map((close) => close()));
  await rm(folder, { recursive: true });
});

const open = async (mode: CassetteOptions["mode"], options: Partial<CassetteOptions> = {}): Promise<Cassette> => {
  const cassette = await openCassette({ file, mode, ...options });
  closers.push(cassette.close);
  return cassette;
};

const start = async (options: MockServerOptions): Promise<MockServer> => {
  const server = await startMockServer(options);
  closers.push(server.close);
  return server;
};

const modelsOf = (baseUrl: string, tap?: Cassette, env: Record<string, string> = { MOCK_KEY: CANARY }) =>
  createModels({
    providers: {
      mock: { type: "openai-compatible", baseUrl, apiKeyEnv: "MOCK_KEY" },
      claude: { type: "anthropic", baseUrl, apiKeyEnv: "MOCK_KEY" },
      gemini: { type: "google", baseUrl, apiKeyEnv: "MOCK_KEY" },
    },
    retry: { attempts: 2, maxWaitMs: 0 },
    streamIdleMs: 10_000,
    env,
    ...(tap ? { tap } : {}),
  });

const ask = (text: string): ModelRequest => ({
  system: "Be brief.",
  messages: [{ role: "user", content: [{ type: "text", text }] }],
  tools: [{ name: "read", description: "Reads.", inputSchema: { type: "object" } }],
  toolChoice: "auto",
});

/** What a model says to each text, in order; failures as their code. */
const converse = async (
  baseUrl: string,
  name: string,
  texts: readonly string[],
  tap?: Cassette,
  env?: Record<string, string>,
) => {
  const model = await modelsOf(baseUrl, tap, env).resolve(name);
  const said: (ModelChunk | string)[][] = [];
  for (const text of texts) {
    const chunks: (ModelChunk | string)[] = [];
    try {
      for await (const chunk of model.stream(ask(text), never)) chunks.push(chunk);
    } catch (thrown) {
      chunks.push((thrown as { code: string }).code);
    }
    said.push(chunks);
  }
  return said;
};

/** The answers alone: how deltas are joined depends on how fast they are read. */
const answers = (said: readonly (readonly (ModelChunk | string)[])[]) => said.map((chunks) => chunks.at(-1));

describe.each(["mock/m-1", "claude/c-1"])("traffic of %s", (name) => {
  test("plays back as it was recorded when the server is gone, without the key and without needing one", async () => {
    const server = await start({
      replies: [
        { text: "Hällo 🌍, how are you?", reasoning: "hm", signature: "sig", writeBytes: 1 },
        { toolCalls: [{ name: "read", arguments: '{"path":"ä"}' }] },
      ],
    });
    const recorder = await open("record");
    const recorded = await converse(server.baseUrl, name, ["one", "two"], recorder);
    expect(answers(recorded)).toMatchObject([{ type: "answer" }, { type: "answer", finishReason: "tool-calls" }]);
    expect(server.requests[0]?.text).toContain("Be brief.");
    expect(JSON.stringify(server.requests[0]?.headers)).toContain(CANARY);
    await recorder.close();
    await server.close();

    const tape = await readFile(file, "utf8");
    expect(tape).not.toContain("canary");
    expect(tape).toContain("Be brief.");

    const player = await open("play");
    const played = await converse(server.baseUrl, name, ["one", "two"], player, {});
    expect(answers(played)).toEqual(answers(recorded));
    expect(textOf(played)).toEqual(textOf(recorded));
    player.assertDone();
  });

  test("plays a failure back as the same failure, and the retry that followed it", async () => {
    const server = await start({
      replies: [
        { fault: { type: "status", status: 500 } },
        { text: "again" },
        { text: "half", fault: { type: "destroy" } },
        { text: "x", fault: { type: "destroy" } },
      ],
    });
    const recorder = await open("record");
    const recorded = await converse(server.baseUrl, name, ["one", "two"], recorder);
    expect(recorded[0]?.map((chunk) => (typeof chunk === "string" ? chunk : chunk.type))).toEqual(["retry", "text", "answer"]);
    expect(recorded[1]?.at(-1)).toBe("model_stream_incomplete");
    await recorder.close();
    await server.close();
    const player = await open("play");
    const played = await converse(server.baseUrl, name, ["one", "two"], player);
    expect(answers(played)).toEqual(answers(recorded));
    player.assertDone();
  });
});

const textOf = (said: readonly (readonly (ModelChunk | string)[])[]) =>
  said.map((chunks) => chunks.map((chunk) => (typeof chunk === "object" && "text" in chunk ? chunk.text : "")).join(""));

test("traffic of an SDK's provider plays back too", async () => {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { "content-type": "text/event-stream" });
    const parts = [{ text: "Grüezi" }];
    response.end(`data: ${JSON.stringify({ candidates: [{ content: { role: "model", parts }, finishReason: "STOP" }] })}\n\n`);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1beta`;
  const recorder = await open("record");
  const recorded = await converse(baseUrl, "gemini/g-1", ["one"], recorder);
  expect(recorded[0]?.at(-1)).toMatchObject({ type: "answer", content: [{ text: "Grüezi" }] });
  await recorder.close();
  await new Promise((resolve) => {
    server.close(resolve);
    server.closeAllConnections();
  });
  const player = await open("play");
  expect(await converse(baseUrl, "gemini/g-1", ["one"], player, {})).toEqual(recorded);
  player.assertDone();
  expect(await readFile(file, "utf8")).not.toContain("canary");
  const asked = await converse(baseUrl, "gemini/g-1", ["another"], player, {});
  expect(asked).toEqual([["cassette_mismatch"]]);
});

test("an answer names what is asked about now, where names are made anew each time", async () => {
  const [madeAnew, normalize] = [
    /\bjob_\w+/g,
    (body: Json): Json => JSON.parse(JSON.stringify(body).replace(/job_\w+/g, "job_[id]")),
  ];
  const naming = (text: string) => ({
    toolCalls: [{ name: "read", arguments: JSON.stringify({ job: text.match(/job_\w+/g)?.at(-1) }) }],
  });
  const server = await start({ reply: ({ text }) => ({ ...naming(text), writeBytes: 3 }) });
  const recorder = await open("record", { madeAnew, normalize });
  await converse(server.baseUrl, "mock/m-1", ["started\njob_one and job_two", "goes on: job_one"], recorder);
  await recorder.close();
  await server.close();
  const player = await open("play", { madeAnew, normalize });
  const played = await converse(server.baseUrl, "mock/m-1", ["started\njob_three and job_four", "goes on: job_three"], player);
  expect(answers(played)).toMatchObject([
    { content: [{ tool: "read", arguments: '{"job":"job_four"}' }] },
    { content: [{ tool: "read", arguments: '{"job":"job_three"}' }] },
  ]);
  player.assertDone();
});

test("of exchanges that were asked alike but for such names, each is played to who asked", async () => {
  const [madeAnew, normalize] = [
    /\bjob_\w+/g,
    (body: Json): Json => JSON.parse(JSON.stringify(body).replace(/job_\w+/g, "job_[id]")),
  ];
  const server = await start({ reply: ({ text }) => ({ text: text.includes("job_one") ? "the first" : "the second" }) });
  const recorder = await open("record", { madeAnew, normalize });
  await converse(server.baseUrl, "mock/m-1", ["job_one begins", "job_two begins", "job_one ends", "job_two ends"], recorder);
  await recorder.close();
  await server.close();
  const player = await open("play", { madeAnew, normalize });
  const played = await converse(server.baseUrl, "mock/m-1", ["job_a begins", "job_b begins", "job_b ends", "job_a ends"], player);
  expect(textOf(played)).toEqual(["the first", "the second", "the second", "the first"]);
  player.assertDone();
});

describe("bytes", () => {
  /** A server that answers each request with these writes, apart from each other. */
  const startRaw = async (writes: readonly Buffer[]): Promise<string> => {
    const server = createServer((request, response) => {
      request.resume();
      request.once("end", () => {
        const next = (index: number): void => {
          const bytes = writes[index];
          if (!bytes) return void response.end();
          response.write(bytes, () => setImmediate(next, index + 1));
        };
        next(0);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    closers.push(
      () =>
        new Promise((resolve) => {
          server.close(resolve);
          server.closeAllConnections();
        }),
    );
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  };

  const fetchBytes = async (baseUrl: string, body: string): Promise<Buffer> => {
    const response = await fetch(`${baseUrl}/x`, { method: "POST", body, headers: { "x-api-key": CANARY, "x-other": "plain" } });
    return Buffer.from(await response.arrayBuffer());
  };

  test("come back exactly, halves of characters and what is no text included", async () => {
    const bytes = Buffer.concat([Buffer.from("a€b🌍"), Buffer.from([0xff, 0x00, 0xc3])]);
    const origin = await startRaw(Array.from(bytes, (byte) => Buffer.from([byte])));
    const recorder = await open("record");
    expect(await fetchBytes(recorder.baseUrlFor(origin), "{}")).toEqual(bytes);
    await recorder.close();
    const player = await open("play");
    expect(await fetchBytes(player.baseUrlFor(origin), "{}")).toEqual(bytes);
  });

  test("hold no secret in any spelling, in bodies, addresses and answers, across chunks too", async () => {
    const told = 'told "secret"/one';
    const writes = ["you sent sk-ca", "nary-0123456789 and ", `${JSON.stringify(told)} and ${encodeURIComponent(told)}.`];
    const origin = await startRaw(writes.map((text) => Buffer.from(text)));
    const recorder = await open("record", { secrets: [told] });
    const body = JSON.stringify({ key: CANARY, told, nested: [`Bearer ${CANARY}`], plain: "stays" });
    const url = recorder.baseUrlFor(origin);
    const response = await fetch(`${url}/x?key=${CANARY}`, {
      method: "POST",
      body,
      headers: { authorization: `Bearer ${CANARY}` },
    });
    expect(await response.text()).toContain(CANARY);
    await recorder.close();
    const tape = await readFile(file, "utf8");
    expect(tape).not.toContain("canary");
    expect(tape).not.toContain("secret");
    expect(tape).toContain("stays");
    expect(tape).toContain("you sent [scrubbed] and");

    const player = await open("play", { secrets: [told, CANARY] });
    const again = await fetch(`${player.baseUrlFor(origin)}/x?key=${CANARY}`, { method: "POST", body });
    expect(again.status).toBe(200);
    player.assertDone();
  });

  test("go only where a model was pointed", async () => {
    const origin = await startRaw([Buffer.from("inside")]);
    const recorder = await open("record");
    const here = recorder.baseUrlFor("http://other.example.test");
    const elsewhere = here.replace("other.example.test", encodeURIComponent(new URL(origin).host));
    expect((await fetch(`${elsewhere}/x`)).status).toBe(404);
  });
});

describe("a request that was not recorded", () => {
  const record = async (texts: readonly string[]): Promise<string> => {
    const server = await start({ reply: () => ({ text: "ok" }) });
    const recorder = await open("record");
    await converse(server.baseUrl, "mock/m-1", texts, recorder);
    await recorder.close();
    await server.close();
    return server.baseUrl;
  };

  const failure = async (baseUrl: string, name: string, text: string, player: Cassette): Promise<Error> => {
    const model = await modelsOf(baseUrl, player).resolve(name);
    const run = async () => {
      for await (const _ of model.stream(ask(text), never));
    };
    return run().then(
      () => expect.unreachable("it did not fail"),
      (thrown: Error) => thrown,
    );
  };

  test("is told with what differs from the nearest, and again by assertDone", async () => {
    const baseUrl = await record([`${"long ".repeat(50)}text`, "short"]);
    const player = await open("play");
    const error = await failure(baseUrl, "mock/m-1", `${"long ".repeat(50)}test`, player);
    expect(error).toMatchObject({ code: "cassette_mismatch" });
    expect(error.message).toMatch(/messages\[1\]\.content.*long text.*long test.*from character 232/);
    expect(error.message).not.toMatch(/temperature|model:/);
    expect(() => player.assertDone()).toThrow(error.message);
  });

  test("of another model names the field", async () => {
    const baseUrl = await record(["one"]);
    const error = await failure(baseUrl, "mock/m-2", "one", await open("play"));
    expect(error.message).toContain('model: recorded "m-1", now "m-2"');
  });

  test("to another address names what was recorded", async () => {
    const baseUrl = await record(["one"]);
    const error = await failure(baseUrl, "claude/m-1", "one", await open("play"));
    expect(error.message).toMatch(/v1\/messages was not recorded; not played yet: POST .*\/chat\/completions/);
  });

  test("once more than it was recorded is told as that", async () => {
    const baseUrl = await record(["one"]);
    const player = await open("play");
    await converse(baseUrl, "mock/m-1", ["one"], player);
    const error = await failure(baseUrl, "mock/m-1", "one", player);
    expect(error.message).toContain("was recorded 1 time(s) and is asked once more");
  });

  test("is none if it differs only in what is made equal, or in the order of its keys", async () => {
    const server = await start({ reply: () => ({ text: "ok" }) });
    const normalize = (body: Json): Json => JSON.parse(JSON.stringify(body).replace(/\d{4}-\d\d-\d\d/g, "DATE")) as Json;
    const recorder = await open("record", { normalize });
    await converse(server.baseUrl, "mock/m-1", ["today is 2026-11-15"], recorder);
    await recorder.close();
    await server.close();
    const [header, line] = (await readFile(file, "utf8")).split("\n");
    const entry = JSON.parse(line ?? "") as { request: { body: object } };
    const turned = {
      ...entry,
      request: { ...entry.request, body: Object.fromEntries(Object.entries(entry.request.body).toReversed()) },
    };
    await writeFile(file, `${header}\n${JSON.stringify(turned)}\n`);
    const player = await open("play", { normalize });
    expect(answers(await converse(server.baseUrl, "mock/m-1", ["today is 2027-01-01"], player))).toMatchObject([
      { type: "answer" },
    ]);
    player.assertDone();
  });

  test("does not make another run's recorded failure its own", async () => {
    const server = await start({ replies: [{ fault: { type: "status", status: 400 } }] });
    const recorder = await open("record");
    await converse(server.baseUrl, "mock/m-1", ["bad"], recorder);
    await recorder.close();
    const player = await open("play");
    expect(await converse(server.baseUrl, "mock/m-1", ["unknown", "bad"], player)).toEqual([
      ["cassette_mismatch"],
      ["model_bad_request"],
    ]);
  });
});

test("exchanges that were not played are told", async () => {
  const server = await start({ reply: () => ({ text: "ok" }) });
  const recorder = await open("record");
  await converse(server.baseUrl, "mock/m-1", ["one", "two"], recorder);
  recorder.assertDone();
  await recorder.close();
  const player = await open("play");
  await converse(server.baseUrl, "mock/m-1", ["two"], player);
  expect(() => player.assertDone()).toThrow(/1 exchange\(s\) were not played: POST .*\/chat\/completions/);
});

test("requests at the same time get each its own answer, in whatever order they come", async () => {
  const server = await start({ reply: (request) => ({ text: `to ${/n\d/.exec(request.text)?.[0]}` }) });
  const texts = ["n1", "n2", "n3", "n4"];
  const together = async (tap: Cassette, order: readonly string[]) => {
    const said = await Promise.all(order.map((text) => converse(server.baseUrl, "mock/m-1", [text], tap)));
    return Object.fromEntries(order.map((text, index) => [text, answers(said[index] ?? [])[0]]));
  };
  const recorder = await open("record");
  const recorded = await together(recorder, texts);
  expect(recorded["n3"]).toMatchObject({ content: [{ text: "to n3" }] });
  await recorder.close();
  await server.close();
  const player = await open("play");
  expect(await together(player, texts.toReversed())).toEqual(recorded);
  player.assertDone();
});

test("a request that the client gave up is recorded as far as it went, and can be given up again", async () => {
  const server = await start({ replies: [{ text: "x".repeat(50), fault: { type: "stall", afterBytes: 400 } }] });
  const giveUp = async (tap: Cassette): Promise<ModelChunk | undefined> => {
    const model = await modelsOf(server.baseUrl, tap).resolve("mock/m-1");
    const controller = new AbortController();
    const iterator = model.stream(ask("one"), controller.signal)[Symbol.asyncIterator]();
    const first: unknown = (await iterator.next()).value;
    controller.abort();
    await expect(iterator.next()).rejects.toThrow();
    return first as ModelChunk | undefined;
  };
  const recorder = await open("record");
  const first = await giveUp(recorder);
  expect(first).toMatchObject({ type: "text" });
  await recorder.close();
  const player = await open("play");
  expect(await giveUp(player)).toEqual(first);
  player.assertDone();
});

test("a server that cannot be reached is recorded as that", async () => {
  const server = await start({});
  await server.close();
  const recorder = await open("record");
  expect(await converse(server.baseUrl, "mock/m-1", ["one"], recorder)).toMatchObject([[{ type: "retry" }, "model_unreachable"]]);
  await recorder.close();
  const player = await open("play");
  expect(await converse(server.baseUrl, "mock/m-1", ["one"], player)).toMatchObject([[{ type: "retry" }, "model_unreachable"]]);
  player.assertDone();
});

test("what is no cassette is refused, and so is one that is not there", async () => {
  await expect(open("play")).rejects.toMatchObject({ code: "cassette_mismatch", hint: "Record it first." });
  for (const text of ["", "{}\n", "not json\n", '{"cassette":1}\n{"request":\n']) {
    await writeFile(file, text);
    await expect(open("play")).rejects.toMatchObject({ code: "cassette_mismatch", hint: "Record it anew." });
  }
});

test("what was noted while recording is known when it is played, and the rest plays as ever", async () => {
  const server = await start({ replies: [{ text: "hello" }] });
  const recorder = await open("record");
  await recorder.note({ model: "mock/x" });
  await converse(server.baseUrl, "mock/x", ["hi"], recorder);
  await recorder.note({ takes: 2 });
  await recorder.close();
  const player = await open("play");
  expect(player.about).toEqual({ model: "mock/x", takes: 2 });
  const [said] = await converse(server.baseUrl, "mock/x", ["hi"], player, {});
  expect(said?.at(-1)).toMatchObject({ type: "answer", content: [{ type: "text", text: "hello" }] });
  player.assertDone();
});

describe("a tool whose schema changed since the recording", () => {
  const record = async (): Promise<string> => {
    const server = await start({ reply: () => ({ text: "hello" }) });
    const recording = await open("record");
    await converse(server.baseUrl, "mock/m", ["hi"], recording);
    await recording.close();
    await writeFile(file, (await readFile(file, "utf8")).replaceAll("Reads.", "Reads a file."));
    return server.baseUrl;
  };

  test("is named as that", async () => {
    const baseUrl = await record();
    const cassette = await open("play");
    expect(await converse(baseUrl, "mock/m", ["hi"], cassette)).toEqual([["cassette_mismatch"]]);
    expect(cassette.assertDone).toThrow(/only in the schemas of the tools[^]*description[^]*--ignore-tool-schemas/);
  });

  test("is played where the schemas are ignored", async () => {
    const baseUrl = await record();
    const cassette = await open("play", { ignoreToolSchemas: true });
    const [said] = await converse(baseUrl, "mock/m", ["hi"], cassette);
    expect(said?.at(-1)).toMatchObject({ type: "answer", content: [{ type: "text", text: "hello" }] });
    cassette.assertDone();
  });
});
