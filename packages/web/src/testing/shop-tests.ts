/** Test cases of the examples' shop for the page: the files of a project that has them, and a model that carries them out and takes pictures on its way. */
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";
import { call, type Part, type Reply } from "./played-model.ts";

const EXAMPLES = new URL("../../../../examples/", import.meta.url);

export type ShopTests = {
  readonly files: Readonly<Record<string, string>>;
  readonly parts: readonly Part[];
};

/** The port is free now; the suite starts its application there later. */
const findPort = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address !== null ? address.port : 0;
};

const type = (name: string, text: string) => call("browser_type", { role: "textbox", name, text });
const LOOK = call("browser_take_screenshot", {});

const stepOf = (
  task: string,
  acts: readonly ReturnType<typeof call>[],
  verdict = "RESULT: PASS\nSUMMARY: It was seen.",
): Part => ({
  agent: "qa-step",
  task,
  replies: [...acts, call("browser_snapshot", {}), LOOK].map((act): Reply => [act]).concat(verdict),
});

const plan = (descriptions: readonly string[]): string =>
  JSON.stringify({
    sub_tasks: descriptions.map((description, at) => ({ step: at + 1, description, expected_result: "as the case says" })),
  });

export const prepareShopTests = async (): Promise<ShopTests> => {
  const url = `http://127.0.0.1:${await findPort()}`;
  const { port } = new URL(url);
  const serve = fileURLToPath(new URL("shop-app/serve.ts", EXAMPLES));
  const example = (name: string): Promise<string> => readFile(new URL(`test-cases/${name}`, EXAMPLES), "utf8");
  const login = 'Type "ada@example.com" into the Email field, type "correct-horse" into the Password field';
  return {
    files: {
      "tests/suite.yaml": `app:\n  command: ${process.execPath} ${serve} ${port}\n  url: ${url}/login\nbaseUrl: ${url}\n`,
      "tests/login.yaml": await example("login.yaml"),
      "tests/broken.yaml": await example("broken.yaml"),
    },
    parts: [
      {
        agent: "qa-orchestrator",
        task: "MODE 1: PLAN.",
        replies: [plan(["Open the login page", "Type the email", "Log in"])],
      },
      {
        agent: "qa-orchestrator",
        task: "MODE 2: EVALUATE.",
        replies: [JSON.stringify({ decision: "stop", reason: "A finding." })],
      },
      {
        agent: "qa-orchestrator",
        task: "MODE 3: VERDICT.",
        replies: [JSON.stringify({ status: "pass", summary: "Everything was observed." })],
      },
      stepOf(`Navigate to ${url}/login`, [call("browser_navigate", { url: `${url}/login` })]),
      stepOf(`Navigate to ${url}/login?bug=iframe-wrong`, [call("browser_navigate", { url: `${url}/login?bug=iframe-wrong` })]),
      stepOf('Type \\"ada@example.com\\" into the Email field', [type("Email", "ada@example.com")]),
      stepOf('Type \\"correct-horse\\" into the Password field and click', [
        type("Password", "correct-horse"),
        call("browser_click", { role: "button", name: "Log in" }),
      ]),
      stepOf('Type \\"wrong\\" into the Password field and click', [
        type("Password", "wrong"),
        call("browser_click", { role: "button", name: "Log in" }),
      ]),
      stepOf(login.replaceAll('"', '\\"'), [
        type("Email", "ada@example.com"),
        type("Password", "correct-horse"),
        call("browser_click", { role: "button", name: "Log in" }),
      ]),
      {
        ...stepOf(`Navigate to ${url}/report`, [call("browser_navigate", { url: `${url}/report` })]),
        hold: { 0: "report" },
      },
    ],
  };
};
