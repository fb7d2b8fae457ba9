/** The slash commands of the TUI, each with the same words as the command of the same name. */
import { createMergeOrder } from "@retinue/engine";
import type { ApproveMode } from "@retinue/protocol";
import { APPROVE_MODES, RetinueError } from "@retinue/protocol";
import { planToMarkdown } from "@retinue/runtime";
import type { ApprovalQuery } from "@retinue/store";
import { count } from "../../cli/amounts.ts";
import { findSession, shortId } from "../../cli/record/find-session.ts";
import { toForkPoint } from "../../cli/record/fork-point.ts";
import { formatSessions, readRows } from "../../cli/record/list-command.ts";
import { readStates } from "../../cli/record/session-state.ts";
import { formatStats } from "../../cli/record/stats-command.ts";
import { offlinePlanNotice } from "../../cli/show-run.ts";
import { formatSpent } from "../../cli/tree-bill.ts";
import { readSteps } from "../../plans.ts";
import { renderMarkdown } from "../draw/markdown-stream.ts";
import { wrapRow } from "../screen/fit-row.ts";
import type { Row } from "../screen/row.ts";
import { row, safeName, safeText, span } from "../screen/row.ts";
import type { CommandContext } from "./command-context.ts";
import { compact } from "./compact-command.ts";
import { findNamedRun } from "./find-named-run.ts";
import type { SlashCommand } from "./slash-commands.ts";
import { startLimited } from "./start-limited.ts";
import { requireMain, tell } from "./tell.ts";
import { test } from "./test-command.ts";
import { undo } from "./undo-command.ts";

type Command = SlashCommand<CommandContext>;

const MOST_LISTED = 15;

const need = (text: string, what: string): string => {
  if (text === "") throw new RetinueError("usage", `${what}.`);
  return text;
};

const agentNames = ({ retinue }: CommandContext): readonly string[] => [...retinue.agents.keys()];

const runNames = ({ names }: CommandContext): readonly string[] => [...names().values()];

/** What was chosen for the conversation holds beside it, too. */
const toChosen = ({ choices: { model: chosen, approve: mode } }: CommandContext["conversation"]) => ({
  ...(chosen === undefined ? {} : { model: chosen }),
  ...(mode === undefined ? {} : { approve: mode }),
});

const spawn: Command = {
  name: "spawn",
  takes: "agent task",
  about: "runs an agent beside the conversation",
  complete: (_, context) => agentNames(context),
  run: async (rest, { retinue, conversation }) => {
    const [, agent = "", task = ""] = /^(\S+)\s+(.*)$/s.exec(rest) ?? [];
    need(task, "/spawn needs an agent and a task, as in /spawn researcher where is the cart?");
    conversation.beside(await retinue.run(task, { agent, ...toChosen(conversation) }), { agent, task });
  },
};

const fanout: Command = {
  name: "fanout",
  takes: 'agent "task" agent "task" …',
  about: "runs several agents at once beside the conversation",
  complete: (_, context) => agentNames(context),
  run: (rest, { retinue, conversation, maxConcurrent }) => {
    const words = [...rest.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
      ([, double, single, bare]) => double ?? single ?? bare ?? "",
    );
    if (words.length < 2 || words.length % 2 === 1)
      throw new RetinueError("usage", '/fanout needs pairs, as in /fanout researcher "where is X?" reviewer "check Y".');
    const mergeOrder = createMergeOrder();
    const starts = words.flatMap((agent, index) => {
      const task = words[index + 1];
      if (index % 2 === 1 || task === undefined) return [];
      return [
        async () => {
          const run = await retinue.run(task, { agent, mergeOrder, ...toChosen(conversation) });
          conversation.beside(run, { agent, task });
          return run;
        },
      ];
    });
    return startLimited(starts, maxConcurrent);
  },
};

const plan: Command = {
  name: "plan",
  takes: "[goal | run | session]",
  about: "makes a plan for a goal; /plan run carries it out",
  run: async (rest, context) => {
    const { retinue, conversation, print, redact, width } = context;
    if (rest !== "" && rest !== "run") {
      const planning = await retinue.planForGoal(rest);
      conversation.beside(planning);
      const show = async (): Promise<void> => {
        const made = await planning.plan;
        latestPlan.set(context, made);
        print(renderMarkdown(redact(planToMarkdown(made)), width() - 2).map((one) => [span(" "), ...one]));
        tell(context, "/plan run carries it out.");
      };
      // Why none was made stands in the conversation already.
      show().catch(() => {
        const notice = offlinePlanNotice(retinue.model);
        if (notice !== "") tell(context, notice);
      });
      return;
    }
    const known = latestPlan.get(context);
    if (known === undefined) throw new RetinueError("usage", "No plan was made here yet.", { hint: "/plan goal makes one." });
    if (rest === "run") conversation.beside(await retinue.executePlan(known));
    else {
      const main = conversation.main();
      const states = main ? readSteps(await retinue.events(main.sessionId)) : new Map<string, never>();
      const text = planToMarkdown(known, new Map([...states].map(([id, { state }]) => [id, state])));
      print(renderMarkdown(redact(text), width() - 2).map((one) => [span(" "), ...one]));
    }
  },
};

/** By the context, so that two TUIs of one process do not share it. */
const latestPlan = new WeakMap<CommandContext, Parameters<CommandContext["retinue"]["executePlan"]>[0]>();

const agents: Command = {
  name: "agents",
  takes: "",
  about: "lists the agents there are",
  run: (_, { retinue, print, redact, width }) => {
    const rows = [...retinue.agents.values()].flatMap(({ name, description }) =>
      wrapRow(
        row("  ", span(safeName(name), "bold"), `  ${safeText(redact(description.split("\n")[0] ?? ""))}`),
        width(),
        "      ",
      ),
    );
    print(rows);
  },
};

const skills: Command = {
  name: "skills",
  takes: "",
  about: "lists the skills that agents can load",
  run: (_, context) => {
    const tool = context.retinue.tools.get("load_skill");
    tell(
      context,
      tool
        ? context.redact(tool.description)
        : "No skills here. They lie in .retinue/skills and .claude/skills, a folder with a SKILL.md each.",
    );
  },
};

const model: Command = {
  name: "model",
  takes: "[name]",
  about: "shows the model, or changes it from the next turn on, for sub-agents too",
  run: async (rest, context) => {
    const { retinue, conversation } = context;
    const { choices } = conversation;
    if (rest === "") return tell(context, `model: ${safeName(choices.model ?? retinue.model)}`);
    // Throws where nobody knows it, or it cannot be reached by what is configured.
    await retinue.readsImages(rest);
    choices.model = rest;
    tell(context, `model: ${safeName(rest)}, from the next turn on, for the main agent and its sub-agents`);
    const own = [...retinue.agents.values()].filter((agent) => agent.name !== "main" && agent.model !== undefined);
    if (own.length > 0)
      tell(context, `not for ${own.map((agent) => `${safeName(agent.name)} (${safeName(agent.model ?? "")})`).join(", ")}`);
  },
};

const isMode = (text: string): text is ApproveMode => APPROVE_MODES.some((mode) => mode === text);

const approve: Command = {
  name: "approve",
  takes: "[mode]",
  about: "what may be done without asking, from the next turn on: read-only, ask, workspace, all",
  complete: () => APPROVE_MODES,
  run: (rest, context) => {
    const { choices } = context.conversation;
    if (rest !== "" && !isMode(rest))
      throw new RetinueError("usage", `There is no mode ${rest}.`, { hint: `There are: ${APPROVE_MODES.join(", ")}.` });
    if (isMode(rest)) choices.approve = rest;
    tell(context, `approve: ${choices.approve ?? "as the settings say"}`);
  },
};

const cost: Command = {
  name: "cost",
  takes: "",
  about: "shows what this session has cost, by agent",
  run: async (_, context) => {
    const { sessionId, view } = requireMain(context);
    const stats = await context.retinue.sessions.stats({ by: "agent", sessionId });
    tell(context, `${formatStats(stats, "agent", context.redact).join("\n")}\n${formatSpent(view.spent)}`);
  },
};

const sessions: Command = {
  name: "sessions",
  takes: "",
  about: "lists the sessions of this folder",
  run: async (_, context) => {
    const { retinue, workspace, redact } = context;
    const { rows } = await readRows(retinue.sessions, { most: MOST_LISTED, workspace });
    const approvals = ({ sessionId }: ApprovalQuery = {}): ReturnType<typeof retinue.live.approvals> =>
      retinue.live.approvals(sessionId);
    const states = await readStates({ sessions: retinue.sessions, approvals }, rows);
    const lines = formatSessions(rows, { now: Date.now(), redact, withFolder: false, states });
    tell(context, lines.length === 0 ? "No session of this folder is recorded yet." : lines.join("\n"));
  },
};

const OPENED = {
  resumed: "goes on where it was cut off",
  attached: "is driven by another process; what you say and answer goes there",
  "at rest": "is open; the next turn goes on with it",
} as const;

const resume: Command = {
  name: "resume",
  takes: "id",
  about: "opens a session: goes on with it, or follows it where another process drives it",
  complete: async (_, { retinue, workspace }) =>
    (await readRows(retinue.sessions, { most: MOST_LISTED, workspace })).rows.map(({ sessionId }) => shortId(sessionId)),
  run: async (rest, context) => {
    const opened = await context.conversation.open(need(rest, "/resume needs an id; /sessions lists them"));
    tell(context, `${shortId(requireMain(context).sessionId)} ${OPENED[opened]}.`);
  },
};

const fork: Command = {
  name: "fork",
  takes: "[event]",
  about: "leaves this session there with the next turn (default: at its end)",
  run: async (rest, context) => {
    const { retinue, workspace, conversation } = context;
    const { sessionId } = requireMain(context);
    const session = await findSession(sessionId, { sessions: retinue.sessions, workspace });
    const events = await retinue.events(sessionId);
    const point = await toForkPoint({ session, events, at: rest === "" ? undefined : rest, sessions: retinue.sessions });
    conversation.choices.forkFrom = point;
    tell(context, `The next turn leaves ${shortId(sessionId)} at event #${point.seq} and goes on in a session of its own.`);
  },
};

const startNew: Command = {
  name: "new",
  takes: "",
  about: "the next turn begins a new session",
  run: (_, context) => {
    context.conversation.startNew();
    tell(context, "A new session begins with the next turn.");
  },
};

const stop: Command = {
  name: "stop",
  takes: "[agent] [finish]",
  about: "stops the turn, or one agent and all below it; with finish it hands in what it has",
  complete: (_, context) => runNames(context),
  run: async (rest, context) => {
    const isFinish = /(?:^|\s)finish$/.test(rest);
    const name = rest.replace(/(?:^|\s)finish$/, "").trim();
    const root = context.conversation.main()?.root();
    const run = name === "" ? root : findNamedRun(name, context).run;
    if (!run || run.state.type === "settled") throw new RetinueError("run_settled", "Nothing of that name runs.");
    await context.conversation.stop(run.runId, isFinish);
    const below = run.inclusive.runs - 1;
    tell(
      context,
      `${context.names().get(run.runId) ?? safeName(run.agent)} ${isFinish ? "hands in what it has" : "is being stopped"}` +
        `${below > 0 ? `, with ${count(below, "run")} below it` : ""}.`,
    );
  },
};

const message: Command = {
  name: "message",
  takes: "agent text",
  about: "says something to one agent; it reads it before its next turn",
  complete: (_, context) => runNames(context),
  run: async (rest, context) => {
    const { run, rest: text } = findNamedRun(rest, context);
    await context.retinue.live.send(run.runId, need(text, "/message needs a text after the agent"));
  },
};

const copy: Command = {
  name: "copy",
  takes: "",
  about: "puts the latest answer on the clipboard, as it was written",
  run: (_, context) => {
    const text = context.conversation.main()?.transcript.lastSource() ?? "";
    if (text === "") throw new RetinueError("usage", "There is no answer to copy yet.");
    context.copy(text);
    tell(context, `${count(text.length, "character")} copied, if the terminal allows it (OSC 52).`);
  },
};

const KEYS: readonly (readonly [keys: string, meaning: string])[] = [
  ["Enter", "sends; while a turn runs it steers it"],
  ["Alt+Enter", "while a turn runs: sends it after the turn"],
  ["Ctrl-J, \\ Enter", "a new line"],
  ["Tab", "completes /command, @file and names; with an empty input: the tree"],
  ["Ctrl-G", "opens the question that waits"],
  ["↑ ↓ [ ] c", "in a question: line by line, by hunks, a remark on the line"],
  ["Ctrl-O", "opens or closes what the selected agent does"],
  ["Esc", "leaves a view, or asks how to stop the turn"],
  ["Ctrl-C", "stops the turn; twice leaves"],
];

const help: Command = {
  name: "help",
  takes: "",
  about: "shows this",
  run: (_, { commands, print, width }) => {
    // Beside each other where there is room, else below each other.
    const line = (left: string, right: string): readonly Row[] =>
      width() < 60
        ? [...wrapRow([span(`  ${left}`, "bold")], width(), "    "), ...wrapRow([span(`      ${right}`)], width(), "      ")]
        : wrapRow(row(span(`  ${left}`.padEnd(26), "bold"), ` ${right}`), width(), "      ");
    print([
      ...commands()
        .all()
        .flatMap(({ name, takes, about }) => line(`/${name}${takes === "" ? "" : ` ${takes}`}`, safeText(about))),
      [],
      ...KEYS.flatMap(([keys, meaning]) => line(keys, meaning)),
    ]);
  },
};

const exit: Command = {
  name: "exit",
  takes: "",
  about: "leaves, like Ctrl-D; what runs is left open, to be resumed",
  run: (_, { leave }) => leave(),
};

export const BUILTIN_COMMANDS: readonly Command[] = [
  help,
  spawn,
  fanout,
  plan,
  test,
  agents,
  skills,
  model,
  approve,
  cost,
  sessions,
  resume,
  fork,
  startNew,
  stop,
  message,
  copy,
  undo,
  compact,
  exit,
];
