/**
 * What the server is given to serve: a function for every route that is more than its own affair, and the events that its feeds carry.
 * The server decodes, calls and encodes; everything that is decided is decided behind this.
 */
import type { ArtifactId, Json, RecordedEvent, RetinueEvent, SessionId } from "@retinue/protocol";
import type { RouteInput, RouteName, RouteOutput } from "@retinue/protocol/routes";
import type { ArtifactBytes } from "@retinue/store";

/** Values that are handed out and not to be changed. JSON is so already. */
export type ReadonlyDeep<T> = [Json] extends [T] ? T : T extends object ? { readonly [Key in keyof T]: ReadonlyDeep<T[Key]> } : T;

/** Routes that the server answers itself, or whose answer is no JSON. */
export type OwnRoute = "signIn" | "signOut" | "status" | "openApi" | "getArtifact" | "streamSession";

export type CallName = Exclude<RouteName, OwnRoute>;

export type Calls = {
  readonly [Name in CallName]: (input: RouteInput<Name>) => Promise<ReadonlyDeep<RouteOutput<Name>>>;
};

export type EventsPage = { readonly events: readonly RecordedEvent[]; readonly headSeq: number };

export type Feeds = {
  /** Recorded events after a number, at most so many; undefined where there is no such session. */
  readonly read: (
    sessionId: SessionId,
    page: { readonly after: number; readonly limit: number },
  ) => Promise<EventsPage | undefined>;
  /** Recorded events after a number and those to come, from whichever process; live ones of what is driven here. */
  readonly follow: (
    sessionId: SessionId,
    options: { readonly afterSeq: number; readonly signal: AbortSignal },
  ) => AsyncIterable<RetinueEvent>;
  /** Calls back after something was written to a session, whichever it is. */
  readonly watchAll: (wake: (sessionId: SessionId) => void) => () => void;
};

export type Backend = {
  readonly version: string;
  readonly calls: Calls;
  readonly artifact: (sessionId: SessionId, artifactId: ArtifactId) => Promise<ArtifactBytes | undefined>;
  readonly feeds: Feeds;
  /** Runs a call so that it fails soon where the store is away, in place of waiting for it as a run does. */
  readonly soon: <T>(act: () => Promise<T>) => Promise<T>;
};
