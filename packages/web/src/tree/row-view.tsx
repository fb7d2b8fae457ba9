/** Draws one row of the conversation, at the depth of its run. */
import type { RunView } from "@retinue/client";
import { type CSSProperties, memo } from "react";
import { WaitingCard } from "../approvals/waiting-card.tsx";
import { Markdown } from "../parts/markdown.tsx";
import { Pictures } from "../parts/pictures.tsx";
import { pathOf } from "../session/path-of.ts";
import { useScene } from "../session/session-context.ts";
import { EndingRow } from "./ending-row.tsx";
import { MessageRow } from "./message-row.tsx";
import { PlanCard } from "./plan-card.tsx";
import type { Row } from "./rows.ts";
import { RunRow } from "./run-row.tsx";
import { taskText } from "./run-figures.ts";
import { SaidRow } from "./said-row.tsx";
import { ToolCard } from "./tool-card.tsx";
import { estimateUnloaded, UnloadedRow } from "./unloaded-row.tsx";

const indent = (levels: number): CSSProperties => ({ "--levels": levels }) as CSSProperties;

const levelsOf = (row: Row): number => {
  const { depth } = row.run;
  if (row.type === "run" || depth === 0) return depth;
  return depth + 1;
};

const Asked = ({ run }: { readonly run: RunView }) => (
  <div className="asked">
    <div className="asked-bubble">
      <span className="hidden-label">You asked: </span>
      <Markdown text={taskText(run) === "" ? "(goes on without a word)" : taskText(run)} />
      <Pictures parts={run.task} name="Attached picture" />
    </div>
  </div>
);

const Content = ({ row }: { readonly row: Row }) => {
  const scene = useScene();
  const { session } = scene;
  const { run, key } = row;
  const version = session.versionOf(run.runId);
  const toggle = (): void => scene.unfold(key);
  switch (row.type) {
    case "asked":
      return <Asked run={run} />;
    case "run":
      return (
        <RunRow
          run={run}
          version={version}
          name={session.names.nameOf(run)}
          isOpen={scene.isOpen(run)}
          isSelected={scene.selected === run.runId}
        />
      );
    case "task":
      return (
        <div className="task">
          <Markdown text={taskText(run)} />
        </div>
      );
    case "message":
      return <MessageRow message={row.message} run={run} />;
    case "said":
      return <SaidRow step={row.step} version={version} isOpen={scene.isUnfolded(key)} onToggle={toggle} />;
    case "call":
      return <ToolCard call={row.call} version={version} isOpen={scene.isUnfolded(key)} onToggle={toggle} />;
    case "plan":
      return <PlanCard plan={row.plan} version={version} isOpen={scene.isUnfolded(key)} onToggle={toggle} />;
    case "approval":
      return scene.isReplay ? null : <WaitingCard question={{ ...row.approval, path: pathOf(session, run) }} />;
    case "ending":
      return <EndingRow run={run} />;
    case "unloaded":
      return <UnloadedRow run={run} range={row.range} />;
  }
};

/** Drawn again with its run; what else it depends on comes from the scene. */
export const RowView = memo(({ row }: { readonly row: Row; readonly version: string }) => (
  <div className={`row row-${row.type}`} style={indent(levelsOf(row))} data-run={row.run.runId}>
    <Content row={row} />
  </div>
));

/** Before a row was measured. */
export const estimateRow = (row: Row): number => {
  switch (row.type) {
    case "run":
      return 62;
    case "call":
    case "plan":
      return 36;
    case "approval":
      return 280;
    case "said":
      return 34 + Math.ceil(row.step.text.length / 90) * 22;
    case "unloaded":
      return estimateUnloaded(row.range);
    case "asked":
    case "task":
    case "message":
    case "ending":
      return 64;
  }
};
