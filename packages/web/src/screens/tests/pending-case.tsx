/** A case that waits or is carried out: its steps with what each is at, as the feed of its session tells it, and pictures as they are taken. */
import type { SessionId } from "@retinue/protocol";
import { useState } from "react";
import { Link } from "../../parts/router.tsx";
import { Glyph } from "../../parts/status.tsx";
import { client } from "../../server/call.ts";
import { useSessionVersion } from "../../session/session-context.ts";
import { useSession } from "../../session/use-session.ts";
import { STEP_STATUS, STEP_WORDS } from "../../views/plan-state.ts";
import { EvidenceGallery, type EvidencePicture, Thumb } from "./evidence-gallery.tsx";
import { type LiveStep, toLiveSteps } from "./live-steps.ts";
import type { PendingCase } from "./verdict.tsx";

const Steps = ({ one, live }: { readonly one: PendingCase; readonly live: readonly LiveStep[] }) => {
  const [shown, setShown] = useState<number | null>(null);
  const pictures: (EvidencePicture & { readonly step: number })[] = one.steps.flatMap(({ number, action, expected }) =>
    (live[number - 1]?.pictures ?? []).map((artifactId, at) => ({
      step: number,
      source: one.sessionId === null ? "" : client.artifactUrl(one.sessionId, artifactId),
      name: `Step ${number}, screenshot ${at + 1}`,
      caption: expected === "" ? action : `${action} → ${expected}`,
      isCited: false,
    })),
  );
  return (
    <>
      <ol className="test-steps">
        {one.steps.map(({ number, action, expected }) => {
          const { state, activity } = live[number - 1] ?? { state: "pending" as const, activity: "" };
          return (
            <li key={number} aria-label={`Step ${number}: ${STEP_WORDS[state]}`}>
              <Glyph status={STEP_STATUS[state]} />
              <div className="test-step">
                <div>
                  <strong>{number}.</strong> {action} <span className="quiet small">{STEP_WORDS[state]}</span>
                </div>
                {expected === "" ? null : <p className="quiet small">expected: {expected}</p>}
                {activity === "" ? null : <p className="small activity">{activity}</p>}
              </div>
              <div className="thumbs">
                {pictures.map((picture, at) =>
                  picture.step === number ? <Thumb key={picture.source} picture={picture} onOpen={() => setShown(at)} /> : null,
                )}
              </div>
            </li>
          );
        })}
      </ol>
      {shown === null ? null : <EvidenceGallery pictures={pictures} first={shown} onClose={() => setShown(null)} />}
    </>
  );
};

const Followed = ({ one, sessionId }: { readonly one: PendingCase; readonly sessionId: SessionId }) => {
  const session = useSession(sessionId);
  useSessionVersion(session);
  const { view } = session;
  return (
    <>
      {view.openApprovals.size === 0 ? null : (
        <p className="note" data-status="waiting">
          <Glyph status="waiting" />
          <span>
            It waits for you: <Link href={`/sessions/${sessionId}`}>answer in its session</Link>
          </span>
        </p>
      )}
      <Steps one={one} live={toLiveSteps(view, one.steps.length)} />
      <p className="quiet small">
        <Link href={`/sessions/${sessionId}`}>watch the agents of this case</Link>
      </p>
    </>
  );
};

export const PendingCaseCard = ({ one }: { readonly one: PendingCase }) => {
  const isRunning = one.state === "running";
  return (
    <li className="panel pad test-case" aria-label={`${one.title}: ${one.state}`}>
      <div className="line wrap">
        <h2 className="grow">{one.title}</h2>
        <span className="badge" data-status={isRunning ? "running" : "requested"}>
          <Glyph status={isRunning ? "running" : "requested"} />
          {isRunning && one.attempt > 1 ? `running, attempt ${one.attempt}` : one.state}
        </span>
      </div>
      {one.sessionId === null ? <Steps one={one} live={[]} /> : <Followed one={one} sessionId={one.sessionId} />}
    </li>
  );
};
