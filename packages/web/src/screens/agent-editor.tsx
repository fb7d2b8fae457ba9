/** One agent: what takes effect and whose word it is, and its file, checked while it is written. What the check refuses is not saved. */
import { type ErrorValue, toErrorValue } from "@retinue/protocol";
import type { RouteOutput } from "@retinue/protocol/routes";
import { useEffect, useState } from "react";
import { Glyph } from "../parts/status.tsx";
import { call } from "../server/call.ts";
import { useCall } from "../server/use-call.ts";
import { ErrorNote } from "../tree/tool-card.tsx";

type Problem = RouteOutput<"checkAgent">["problems"][number];

const SEVERITY = { error: "failed", warning: "timeout", notice: "requested" } as const;

const Problems = ({ problems }: { readonly problems: readonly Problem[] }) => (
  <ul className="problems" aria-label="What the check finds">
    {problems.map((problem, at) => (
      <li key={at} className="note" data-status={SEVERITY[problem.severity]}>
        <Glyph status={SEVERITY[problem.severity]} />
        <span>
          <strong>
            {problem.severity}, line {problem.line}:
          </strong>{" "}
          {problem.message}
        </span>
      </li>
    ))}
  </ul>
);

type Props = { readonly workspaceId: `wsp_${string}`; readonly name: string; readonly onSaved: () => void };

export const AgentEditor = ({ workspaceId, name, onSaved }: Props) => {
  const { value, error, again } = useCall("getAgent", { params: { workspaceId, name } });
  const [text, setText] = useState<string | null>(null);
  const [problems, setProblems] = useState<readonly Problem[] | null>(null);
  const [told, setTold] = useState("");
  const [failure, setFailure] = useState<ErrorValue | null>(null);
  const shown = text ?? value?.text ?? "";
  const isChanged = text !== null && text !== value?.text;

  useEffect(() => {
    if (text === null) return undefined;
    const timer = setTimeout(() => {
      call("checkAgent", { params: { workspaceId }, body: { name, text } }).then(
        ({ problems: found }) => setProblems(found),
        (thrown: unknown) => setFailure(toErrorValue(thrown)),
      );
    }, 300);
    return () => clearTimeout(timer);
  }, [text, workspaceId, name]);

  const save = (): void => {
    setTold("");
    setFailure(null);
    call("saveAgent", { params: { workspaceId, name }, body: { text: shown, version: value?.version ?? null } }).then(
      (saved) => {
        setProblems(saved.problems);
        setTold(saved.isSaved ? `Saved to ${saved.file}. New runs have it.` : "Not saved: the check found errors.");
        if (!saved.isSaved) return;
        setText(null);
        again();
        onSaved();
      },
      (thrown: unknown) => setFailure(toErrorValue(thrown)),
    );
  };
  const found = problems ?? value?.problems ?? [];
  return (
    <section className="agent-detail stack" aria-label={`Agent ${name}`}>
      {error === null ? null : <ErrorNote error={error} />}
      {value === null ? null : (
        <>
          <h2>{name}</h2>
          <p>{value.agent.description}</p>
          <details>
            <summary>What takes effect, and whose word it is</summary>
            <table className="figures effective">
              <tbody>
                {value.effective.map(({ key, value: set, from }) => (
                  <tr key={key}>
                    <td>{key}</td>
                    <td className="mono">{set}</td>
                    <td className="quiet">{from}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </details>
          {value.text === null ? (
            <p className="quiet">This agent was given in code; it has no file.</p>
          ) : (
            <>
              <div className="line">
                <span className="grow clip quiet small mono" title={value.agent.file}>
                  {value.isEditable ? value.agent.file : `A copy is saved to this project; ${value.agent.file} stays as it is.`}
                </span>
                <button type="button" className="button small" disabled={!isChanged} onClick={() => setText(null)}>
                  Undo
                </button>
                <button type="button" className="button small solid" disabled={!isChanged} onClick={save}>
                  Check and save
                </button>
              </div>
              <textarea
                className="field mono editor"
                rows={22}
                spellCheck={false}
                aria-label={`File of ${name}`}
                value={shown}
                onChange={({ target }) => setText(target.value)}
              />
            </>
          )}
          <p role="status" className="small">
            {told}
          </p>
          {failure === null ? null : <ErrorNote error={failure} />}
          <Problems problems={found} />
        </>
      )}
    </section>
  );
};
