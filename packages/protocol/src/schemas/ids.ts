/** Schemas of ids: the prefix says what an id names. */
import { z } from "zod";

export const sessionIdSchema = z.templateLiteral(["ses_", z.string()]).meta({ title: "SessionId" });
export const runIdSchema = z.templateLiteral(["run_", z.string()]).meta({ title: "RunId" });
export const artifactIdSchema = z.templateLiteral(["art_", z.string()]).meta({ title: "ArtifactId" });
export const messageIdSchema = z.templateLiteral(["msg_", z.string()]).meta({ title: "MessageId" });
export const approvalIdSchema = z.templateLiteral(["apr_", z.string()]).meta({ title: "ApprovalId" });
export const turnIdSchema = z.templateLiteral(["turn_", z.string()]).meta({ title: "TurnId" });
export const callIdSchema = z.string().meta({ title: "CallId" });
