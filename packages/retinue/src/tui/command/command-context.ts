/** What slash commands can reach. */
import type { RunView } from "@retinue/client";
import type { RunId } from "@retinue/protocol";
import type { Retinue } from "../../create-retinue.ts";
import type { RunTestsHere } from "../../qa/test-here.ts";
import type { RunNames } from "../draw/run-names.ts";
import type { Row } from "../screen/row.ts";
import type { Conversation } from "../session/conversation.ts";
import type { SlashCommands } from "./slash-commands.ts";

export type CommandContext = {
  readonly retinue: Retinue;
  readonly conversation: Conversation;
  /** Its real path. */
  readonly workspace: string;
  readonly maxConcurrent: number;
  readonly redact: (text: string) => string;
  readonly width: () => number;
  /** Into the conversation. */
  readonly print: (rows: readonly Row[]) => void;
  readonly names: () => RunNames;
  /** The runs that were begun with the latest turn, and those beside it. */
  readonly runs: () => readonly RunView[];
  /** Opens a run below the tree; undefined closes what is open. */
  readonly inspect: (runId: RunId | undefined) => void;
  readonly copy: (text: string) => void;
  /** Puts a question of the command itself to the user, in the queue of all questions. False where it was not answered with yes. */
  readonly confirm: (question: string, yes: string) => Promise<boolean>;
  readonly runTests: RunTestsHere;
  /** A signal that stops with the turn, for what a command does itself; `done` once it is over. */
  readonly stoppable: () => { readonly signal: AbortSignal; readonly done: () => void };
  readonly commands: () => SlashCommands<CommandContext>;
  readonly leave: () => void;
};
