/** Everything about one run beside the tree: its grant, limits and model, its steps and calls, its messages, its plan for itself, its result. */
import type { RunView } from "@retinue/client";
import { toLimitUses } from "@retinue/client";
import { type ReactNode, useEffect, useState } from "react";
import { count, money, plural } from "../parts/amounts.ts";
import { BudgetBar } from "../parts/budget-bar.tsx";
import { Icon } from "../parts/icons.tsx";
import { Markdown } from "../parts/markdown.tsx";
import { StatusBadge } from "../parts/status.tsx";
import { pathOf } from "../session/path-of.ts";
import { useRunVersion, useScene } from "../session/session-context.ts";
import { isCallWithin, isMessageWithin, isWithin, spentWithin, type TimeRange } from "../session/time-range.ts";
import { AgentIcon } from "../tree/agent-icon.tsx";
import { MessageRow } from "../tree/message-row.tsx";
import { describeBudget, formatLimit, LIMIT_WORDS, taskText, toBudget, tokensOf } from "../tree/run-figures.ts";
import { Elapsed } from "../tree/run-row.tsx";
import { ErrorNote, ToolCard } from "../tree/tool-card.tsx";
import { describeSteps, Steps } from "./steps.tsx";

const Section = ({
  title,
  children,
  isOpen: opensWith = true,
}: {
  readonly title: string;
  readonly children: ReactNode;
  readonly isOpen?: boolean;
}) => {
  const [isOpen, setOpen] = useState(opensWith);
  return (
    <section className="inspector-section">
      <h3>
        <button type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <Icon name="chevron" size={12} /> {title}
        </button>
      </h3>
      {isOpen ? children : null}
    </section>
  );
};

const Limits = ({ run }: { readonly run: RunView }) => {
  const uses = toLimitUses(run);
  return uses.length === 0 ? (
    <p className="quiet small">No limit of its own; those above it hold.</p>
  ) : (
    <ul className="limits">
      {uses.map((use) => {
        const budget = toBudget(run, use);
        return (
          <li key={`${use.of}/${use.limit}`}>
            <span className="line">
              <span className="grow">
                {LIMIT_WORDS[use.limit]} <span className="quiet">{use.of === "tree" ? "with all below" : ""}</span>
              </span>
              <span>
                {formatLimit(use.limit, use.used)} of {formatLimit(use.limit, use.max)}
              </span>
            </span>
            <BudgetBar budget={budget} label={describeBudget(budget, use.limit)} isWide />
          </li>
        );
      })}
    </ul>
  );
};

const Spending = ({ run }: { readonly run: RunView }) => (
  <table className="figures">
    <thead>
      <tr>
        <th scope="col">Used</th>
        <th scope="col">own</th>
        <th scope="col">with all below</th>
      </tr>
    </thead>
    <tbody>
      {(
        [
          ["tokens in", count(run.own.usage.input), count(run.inclusive.usage.input)],
          ["tokens out", count(run.own.usage.output), count(run.inclusive.usage.output)],
          ["from cache", count(run.own.usage.cached), count(run.inclusive.usage.cached)],
          ["cost", money(run.own.costUsd), money(run.inclusive.costUsd)],
          ["iterations", String(run.own.iterations), String(run.inclusive.iterations)],
          ["tool calls", String(run.own.toolCalls), String(run.inclusive.toolCalls)],
          ["runs", "1", String(run.inclusive.runs)],
        ] as const
      ).map(([name, own, all]) => (
        <tr key={name}>
          <td>{name}</td>
          <td>{own}</td>
          <td>{all}</td>
        </tr>
      ))}
    </tbody>
  </table>
);

const withAllBelow = (run: RunView): readonly RunView[] => [run, ...run.children.flatMap(withAllBelow)];

const SpentWithin = ({ run, range }: { readonly run: RunView; readonly range: TimeRange }) => {
  const [own, all] = [spentWithin([run], range), spentWithin(withAllBelow(run), range)];
  return (
    <p className="small">
      In the selected time: {count(own.tokens)} tokens, {money(own.costUsd)}
      {run.children.length === 0 ? "" : `; with all below ${count(all.tokens)} tokens, ${money(all.costUsd)}`}. In all:
    </p>
  );
};

const Grant = ({ run }: { readonly run: RunView }) => {
  const spec = run.requested?.spec;
  if (spec === undefined) return <p className="quiet small">{run.isBrief ? "Loading …" : "Its request was not seen."}</p>;
  const { grant } = spec;
  return (
    <dl className="facts">
      <dt>model</dt>
      <dd className="mono">{run.model || spec.model}</dd>
      <dt>asks before</dt>
      <dd>
        {
          {
            ask: "every act that is more than reading",
            "read-only": "nothing: it may only read",
            workspace: "acts beyond the workspace",
            all: "nothing",
          }[grant.approve]
        }
      </dd>
      <dt>writes</dt>
      <dd>
        {grant.writes.length === 0
          ? "anywhere in the workspace"
          : grant.writes.map((globs) => globs.join(", ") || "nothing").join(" and ")}
      </dd>
      <dt>hosts</dt>
      <dd>
        {grant.hosts.length === 0 ? "any that rules allow" : grant.hosts.map((hosts) => hosts.join(", ") || "none").join(" and ")}
      </dd>
      <dt>may start</dt>
      <dd>{spec.delegates.length === 0 ? "no agent" : spec.delegates.join(", ")}</dd>
      <dt>depth</dt>
      <dd>
        {run.depth} of {grant.maxDepth}
      </dd>
      <dt>context</dt>
      <dd>{count(run.contextTokens)} tokens</dd>
      <dt>folder</dt>
      <dd className="mono small">{spec.workspace}</dd>
      <dt>tools</dt>
      <dd className="chips">
        {spec.tools.map((tool) => (
          <span key={tool} className="chip">
            {tool}
          </span>
        ))}
      </dd>
    </dl>
  );
};

const Result = ({ run }: { readonly run: RunView }) => {
  const { result } = run;
  if (result === null) return null;
  const files = [...result.filesCreated.map((file) => `${file} (new)`), ...result.filesModified];
  return (
    <Section title="Result">
      <div className="stack">
        {result.error === undefined ? null : <ErrorNote error={result.error} />}
        <Markdown text={result.details === "" ? result.summary : result.details} />
        {files.length === 0 ? null : (
          <ul className="chips">
            {files.map((file) => (
              <li key={file} className="chip">
                {file}
              </li>
            ))}
          </ul>
        )}
        {result.testsRun === 0 ? null : (
          <p className="small">
            {result.testsPassed} of {plural(result.testsRun, "test")} passed
          </p>
        )}
      </div>
    </Section>
  );
};

export const Inspector = ({ run, onClose }: { readonly run: RunView; readonly onClose: () => void }) => {
  const scene = useScene();
  const { session, isReplay, range } = scene;
  const version = useRunVersion(session, run.runId);
  useEffect(() => session.pieces.loadRun(run), [session, run, version]);
  const name = session.names.nameOf(run);
  const path = pathOf(session, run);
  const asides = [...run.calls.values()].filter((call) => call.step === null && (range === null || isCallWithin(call, range)));
  const messages = range === null ? run.messages : run.messages.filter((message) => isMessageWithin(message, range));
  const errors = range === null ? run.errors : run.errors.filter(({ at }) => isWithin(at, range));
  const isOver = run.state.type === "settled";
  return (
    <aside className="inspector" aria-label={`Inspector: ${name}`}>
      <header>
        <AgentIcon agent={run.agent} />
        <div className="grow">
          <h2 className="clip">{name}</h2>
          <p className="quiet small clip">{path.length > 1 ? path.join(" › ") : (run.requested?.spec.model ?? run.model)}</p>
        </div>
        <button type="button" className="button plain square" aria-label="Close the inspector" onClick={onClose}>
          <Icon name="close" />
        </button>
      </header>
      <div className="inspector-body" tabIndex={0} role="group" aria-label={`Details of ${name}`}>
        <div className="line wrap">
          <StatusBadge state={run.state} />
          <span className="quiet small">
            <Elapsed run={run} /> · {count(tokensOf(run.inclusive))} tokens · {money(run.inclusive.costUsd)}
          </span>
        </div>
        {isReplay ? null : (
          <div className="line wrap">
            <button type="button" className="button small" disabled={isOver} onClick={() => scene.stop(run)}>
              <Icon name="stop" size={12} /> Stop …
            </button>
            <button type="button" className="button small" disabled={isOver} onClick={() => scene.message(run)}>
              <Icon name="message" size={14} /> Message …
            </button>
            <button type="button" className="button small" onClick={() => scene.fork(run)}>
              <Icon name="fork" size={14} /> Fork …
            </button>
          </div>
        )}
        <Section title="Task">
          <Markdown text={taskText(run)} />
        </Section>
        {run.todo === null ? null : (
          <Section title="Its list">
            <ul className="todo">
              {run.todo.map((item, at) => (
                <li key={at} data-state={item.status}>
                  {item.text}
                  <span className="hidden-label"> ({item.status.replace("_", " ")})</span>
                </li>
              ))}
            </ul>
          </Section>
        )}
        {range === null || isWithin(run.endedAt, range) ? <Result run={run} /> : null}
        <Section title="Limits">
          <Limits run={run} />
        </Section>
        <Section title="Used">
          {range === null ? null : <SpentWithin run={run} range={range} />}
          <Spending run={run} />
        </Section>
        <Section title={`Steps (${describeSteps(run, range)})`}>
          <Steps run={run} version={version} />
        </Section>
        {asides.length === 0 ? null : (
          <Section title="Calls of our own">
            {asides.map((call) => (
              <ToolCard
                key={call.callId}
                call={call}
                version={version}
                isOpen={scene.isUnfolded(`aside/${call.callId}`)}
                onToggle={() => scene.unfold(`aside/${call.callId}`)}
              />
            ))}
          </Section>
        )}
        {messages.length === 0 ? null : (
          <Section title={`Messages to it (${messages.length})`}>
            <div className="stack">
              {messages.map((message, at) => (
                <MessageRow key={message.messageId ?? at} message={message} run={run} />
              ))}
            </div>
          </Section>
        )}
        {errors.length === 0 ? null : (
          <Section title={`Errors on the way (${errors.length})`} isOpen={false}>
            <div className="stack">
              {errors.slice(-20).map((error) => (
                <ErrorNote key={error.seq} error={error.error} />
              ))}
            </div>
          </Section>
        )}
        <Section title="Grant and model" isOpen={false}>
          <Grant run={run} />
        </Section>
      </div>
    </aside>
  );
};
