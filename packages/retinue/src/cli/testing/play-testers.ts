/** Plays the models of test cases, orchestrator and sub-agents, for projects whose cases are run by the real command. */
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { MockReply, MockRequest } from "@retinue/model/testing";
import type { MockProject } from "./mock-project.ts";
import { createMockProject } from "./mock-project.ts";

type Call = { readonly name: string; readonly arguments: string };

export type Said = {
  /** What a step's agent does before it says something, by the task and by how many calls it has made. */
  readonly act?: (task: string, made: number) => Call | undefined;
  /** What it says at the end, by the task and by what its tools told. */
  readonly say?: (task: string, told: string) => string;
  readonly plan?: (text: string) => unknown;
  readonly evaluate?: (text: string) => unknown;
  readonly verdict?: string;
  /** What the model that reads images says, by what it is asked. */
  readonly see?: (question: string) => string;
  /** Settings of the project, beside its model. */
  readonly settings?: string;
};

export const PASS = "RESULT: PASS\nSUMMARY: It was seen.";

type Message = { readonly role: string; readonly content: unknown };

/** Answers as a model would that does what is said here. One act is made by default, and as many as there are where acts are counted. */
export const toTesterReply =
  ({ act = () => undefined, say = () => PASS, plan, evaluate, verdict = "pass", see }: Said) =>
  ({ body }: MockRequest): MockReply => {
    const { messages } = body as { readonly messages: readonly Message[] };
    const task = JSON.stringify(messages.filter(({ role }) => role === "user"));
    if (see && task.includes('"image_url"')) return { text: see(task.replaceAll(/data:image[^"]*/g, "")) };
    if (task.includes("MODE 1: PLAN."))
      return {
        text: JSON.stringify(
          plan?.(task) ?? {
            sub_tasks: stepsOf(task).map((description, at) => ({ step: at + 1, description, expected_result: "seen" })),
          },
        ),
      };
    if (task.includes("MODE 2: EVALUATE."))
      return { text: JSON.stringify(evaluate?.(task) ?? { decision: "stop", reason: "it is broken" }) };
    if (task.includes("MODE 3: VERDICT.")) return { text: JSON.stringify({ status: verdict, summary: "The end." }) };
    const told = messages.filter(({ role }) => role === "tool");
    const wanted = act.length > 1 || told.length === 0 ? act(task, told.length) : undefined;
    return wanted ? { toolCalls: [wanted] } : { text: say(task, JSON.stringify(told)) };
  };

/** What a step's agent is to do, of all that it is told. */
export const ownTask = (task: string): string => /YOUR TASK:\\n(.*?)\\n\\nEXPECTED RESULT/.exec(task)?.[1] ?? "";

const stepsOf = (task: string): readonly string[] => [...task.matchAll(/Step \d+: (.*?)\\n/g)].map(([, action = ""]) => action);

/** Projects with such a model, all of which are removed at the end. */
export const playTesters = (): {
  readonly create: (said?: Said) => Promise<MockProject>;
  readonly remove: () => Promise<void>;
} => {
  const made: MockProject[] = [];
  return {
    create: async (said = {}) => {
      const one = await createMockProject(toTesterReply(said), `allowUnsandboxed: true\n${said.settings ?? ""}`);
      made.push(one);
      return one;
    },
    remove: async () => {
      for (const one of made.splice(0).toReversed()) await one.remove();
    },
  };
};

/** Writes a file of the project's workspace. */
export const put = async ({ project }: Pick<MockProject, "project">, name: string, text: string): Promise<string> => {
  const file = join(project.workspace, name);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
  return file;
};
