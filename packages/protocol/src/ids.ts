/** Ids are strings with a prefix that says what they name. They are never authorisation. */
export type SessionId = `ses_${string}`;
export type RunId = `run_${string}`;
export type ArtifactId = `art_${string}`;
export type MessageId = `msg_${string}`;
export type ApprovalId = `apr_${string}`;
/** A turn that somebody queued for after the one that runs. */
export type TurnId = `turn_${string}`;

/** Made unique within its run by us; the provider's own id is kept where it is one. */
export type CallId = string;
