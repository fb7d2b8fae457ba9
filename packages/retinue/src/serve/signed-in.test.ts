/** Who is signed in stays so over a restart, and is signed out for good; wrong passwords slow only who sends them. */
import { createMemoryLog } from "@retinue/store";
import { createScriptedModel } from "@retinue/model/testing";
import { stat } from "node:fs/promises";
import path from "node:path";
import { afterEach, expect, test } from "vitest";
import { createProject, type Project } from "../cli/testing/spawn-retinue.ts";
import { openServer, type OpenServer } from "./open-server.ts";
import { rawRequest } from "./testing/raw-request.ts";

let project: Project | undefined;
const open: OpenServer[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
  await project?.remove();
  project = undefined;
});

const start = async (port = 0, password?: string): Promise<OpenServer> => {
  project ??= await createProject();
  const server = await openServer({
    folders: [project.workspace],
    env: { PATH: process.env["PATH"], HOME: project.home, RETINUE_HOME: project.home },
    store: createMemoryLog(),
    model: createScriptedModel([]),
    port,
    ...(password === undefined ? {} : { password }),
  });
  open.push(server);
  return server;
};

const post = ({ port, url }: OpenServer, at: string, body: object, cookie = "") =>
  rawRequest({
    port,
    method: "POST",
    path: at,
    headers: {
      Host: `127.0.0.1:${port}`,
      Origin: url.replace(/\/$/, ""),
      "Content-Type": "application/json",
      ...(cookie === "" ? {} : { Cookie: cookie }),
    },
    body: JSON.stringify(body),
  });

const signIn = async (server: OpenServer): Promise<string> => {
  const { status, headers } = await post(server, "/api/sign-in", { token: server.token });
  expect(status).toBe(200);
  return headers["set-cookie"]?.[0]?.split(";")[0] ?? "";
};

const statusOf = async ({ port }: OpenServer, cookie: string): Promise<number> =>
  (await rawRequest({ port, path: "/api/workspaces", headers: { Host: `127.0.0.1:${port}`, Cookie: cookie } })).status;

test("a page that was signed in stays so when the server is started again, with a key that only the user can read", async () => {
  const first = await start();
  const cookie = await signIn(first);
  expect(await statusOf(first, cookie)).toBe(200);
  await open.pop()?.close();
  const second = await start(first.port);
  expect(second.token).not.toBe(first.token);
  expect(await statusOf(second, cookie)).toBe(200);
  const { mode } = await stat(path.join(project?.home ?? "", "signed-in.json"));
  expect(mode & 0o077).toBe(0);
});

test("signing out ends the cookie on the server, for good, and no other one", async () => {
  const first = await start();
  const [cookie, other] = [await signIn(first), await signIn(first)];
  expect((await post(first, "/api/sign-out", {}, cookie)).status).toBe(200);
  expect(await statusOf(first, cookie)).toBe(401);
  expect(await statusOf(first, other)).toBe(200);
  await open.pop()?.close();
  const second = await start(first.port);
  expect(await statusOf(second, cookie)).toBe(401);
  expect(await statusOf(second, other)).toBe(200);
});

test("the description of the server names the cookie that is set", async () => {
  const server = await start();
  const cookie = await signIn(server);
  const headers = { Host: `127.0.0.1:${server.port}`, Cookie: cookie };
  const { text } = await rawRequest({ port: server.port, path: "/api/openapi.json", headers });
  expect(JSON.parse(text).components.securitySchemes.cookie.name).toBe(cookie.split("=")[0]);
});

test("another password ends what was signed in with the one before", async () => {
  const first = await start(0, "correct horse");
  const cookie = await signIn(first);
  await open.pop()?.close();
  expect(await statusOf(await start(first.port, "battery staple"), cookie)).toBe(401);
});
