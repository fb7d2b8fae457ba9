/**
 * The one registry of error codes. `docs/errors.md` is generated from it and a test keeps the two equal.
 * Four kinds: `model` the model reads it as a tool result and may go on; `run` the run ends with it;
 * `caller` who called is wrong and is told what to do; `internal` we are wrong.
 */
export type ErrorKind = "model" | "run" | "caller" | "internal";

type ErrorEntry = { readonly kind: ErrorKind; readonly meaning: string; readonly hint: string };

export const ERRORS = {
  // What a model reads.
  tool_unknown: {
    kind: "model",
    meaning: "The model called a tool that this run does not have.",
    hint: "Call one of the tools that were offered.",
  },
  tool_arguments_not_json: {
    kind: "model",
    meaning: "The arguments of a tool call are not valid JSON.",
    hint: "Send the call again with one JSON object as arguments.",
  },
  tool_arguments_truncated: {
    kind: "model",
    meaning: "The answer was cut off inside the arguments of a tool call; it was not executed.",
    hint: "Send a shorter call, or raise maxOutputTokens.",
  },
  tool_arguments_invalid: {
    kind: "model",
    meaning: "The arguments of a tool call do not fit the tool's schema.",
    hint: "Read the tool's schema and send the call again.",
  },
  tool_arguments_secret: {
    kind: "model",
    meaning:
      "A tool call holds a secret, or the mark that stands in its place; it was not executed, since it would have done something else than was asked.",
    hint: "Leave the secret where it is kept and refer to it by its name, such as the variable or the file that holds it.",
  },
  tool_failed: {
    kind: "model",
    meaning: "A tool tried and could not do what was asked.",
    hint: "The message says why; try something else.",
  },
  tool_open_failed: {
    kind: "model",
    meaning: "What a tool works with, such as a browser, could not be opened; the tool was not called.",
    hint: "The message says why; try once more, or do without the tool.",
  },
  tool_timeout: {
    kind: "model",
    meaning: "A tool took longer than its time and was ended.",
    hint: "Ask for less at a time.",
  },
  tool_outcome_unknown: {
    kind: "model",
    meaning: "The call was under way when the process ended; whether it took effect is not known.",
    hint: "Check the state of the world before doing it again.",
  },
  tool_not_run: {
    kind: "model",
    meaning: "The call was not executed because a limit of the run was reached.",
    hint: "Hand in what you have.",
  },
  page_unreachable: {
    kind: "model",
    meaning:
      "Nothing answers at the address that the browser was to open, or the application of the page does not answer any more.",
    hint: "Check the address, and whether the application runs.",
  },
  act_denied: {
    kind: "model",
    meaning: "Policy or a human refused the act.",
    hint: "Do without it, or tell the user what you would need.",
  },
  approval_unavailable: {
    kind: "model",
    meaning: "The act needs an approval and nobody is there to give it.",
    hint: "Run again with --approve all to allow writes and commands.",
  },
  path_outside_scope: {
    kind: "model",
    meaning: "The path is in the workspace, but not among those that this agent may write.",
    hint: "Write where the agent may, or leave it to another.",
  },
  directory_refused: {
    kind: "model",
    meaning: "A sub-agent cannot be given this folder to work in.",
    hint: "Name a folder of the workspace, or leave working_directory out.",
  },
  depth_exceeded: {
    kind: "model",
    meaning: "An agent may not be started deeper than agent.maxDepth.",
    hint: "Do the work yourself.",
  },
  delegation_loop: {
    kind: "model",
    meaning: "The same agent is already at work on the same task above, or was given it before.",
    hint: "Use what it handed back, or ask for something else.",
  },
  too_many_children: {
    kind: "model",
    meaning: "A run may not start more sub-agents than agent.maxChildren.",
    hint: "Use the results you have.",
  },
  run_not_below: {
    kind: "model",
    meaning: "A run may only stop or speak to runs below it.",
    hint: "Use the id of a sub-agent that you started.",
  },
  path_outside_workspace: {
    kind: "model",
    meaning: "The path, followed through links, lies outside the workspace.",
    hint: "Use a path inside the workspace.",
  },
  path_protected: {
    kind: "model",
    meaning: "The path is a secret, or a file that other programs run or obey; agents do not touch it.",
    hint: "Do without it, or tell the user what should stand there.",
  },
  repository_unsafe: {
    kind: "model",
    meaning: "The folder of git holds links or other things by which git would read or write files elsewhere; git was not run.",
    hint: "Do without git, and tell the user what the message names.",
  },
  file_unread: {
    kind: "model",
    meaning: "An agent would replace a file that it has never read; it is told so once, with how the file begins.",
    hint: "Change a part of it with edit, or call write again to replace all of it.",
  },
  file_changed: {
    kind: "model",
    meaning: "The file was changed by somebody else since this run last read or wrote it; it was left as it is.",
    hint: "Read it again, then make the change on what stands there now.",
  },
  host_outside_grant: {
    kind: "model",
    meaning: "The host is not among those that this agent may reach.",
    hint: "Use a host that it may reach, or leave it to another agent.",
  },
  sandbox_unavailable: {
    kind: "model",
    meaning: "A command needs a sandbox, and there is none on this machine, or it does not work now.",
    hint: "Use the file tools; the user can install bubblewrap 0.8 or newer, and `retinue doctor` tells what is missing.",
  },
  tool_withheld: {
    kind: "model",
    meaning: "The server of a tool changed what it says of it after it was approved, so the tool is not called.",
    hint: "Do without it, and tell the user that the tool has to be approved again.",
  },

  // What ends a run, or one request to one model.
  model_unreachable: {
    kind: "run",
    meaning: "The model's server could not be reached.",
    hint: "Check that it runs and that providers.<name>.baseUrl is right; `retinue doctor` tries it.",
  },
  model_misaddressed: {
    kind: "run",
    meaning:
      "What answers at the address is no model server that can be trusted: it redirects, or its certificate does not hold.",
    hint: "Check providers.<name>.baseUrl; `retinue doctor` tries it.",
  },
  model_auth: {
    kind: "run",
    meaning: "The provider refused the key.",
    hint: "Set the provider's key in its environment variable; `retinue doctor` names it.",
  },
  model_not_found: {
    kind: "run",
    meaning: "The provider does not know this model.",
    hint: "Check the part after the slash in `model`.",
  },
  model_rate_limited: {
    kind: "run",
    meaning: "The provider refused because of its rate limit, longer than we may wait.",
    hint: "Wait, raise retry.maxWaitMs, lower providers.<name>.maxConcurrent or set fallbacks.",
  },
  model_overloaded: {
    kind: "run",
    meaning: "The provider could not serve (502, 503, 504, overloaded) as often as we may try.",
    hint: "Try later, raise retry.attempts or set fallbacks.",
  },
  model_server_error: {
    kind: "run",
    meaning: "The provider failed on its side (500) as often as we may try.",
    hint: "Its message may say why; try later, raise retry.attempts or set fallbacks.",
  },
  model_bad_request: {
    kind: "run",
    meaning: "The provider refused the request as malformed.",
    hint: "Its message says what it did not like; the model may not support tools or images.",
  },
  model_context_overflow: {
    kind: "run",
    meaning: "The request is larger than the model's context window.",
    hint: "Set limits.contextTokens to the real window of the model, so that the context is fitted before.",
  },
  model_stream_stalled: {
    kind: "run",
    meaning: "The stream stayed silent for longer than streamIdleMs.",
    hint: "Check the server; raise streamIdleMs for a slow local model.",
  },
  model_stream_incomplete: {
    kind: "run",
    meaning: "The stream ended without the protocol's end marker, so the answer is not whole.",
    hint: "Usually a dropped connection or a server that crashed; it was retried.",
  },
  model_stream_garbage: {
    kind: "run",
    meaning: "The server answered with something that is not its protocol.",
    hint: "Check baseUrl: a proxy or a login page may answer in its place.",
  },
  model_event_too_large: {
    kind: "run",
    meaning: "One event of the stream is larger than 16 MiB.",
    hint: "No model sends that; check what answers at baseUrl.",
  },
  model_filtered: {
    kind: "run",
    meaning: "The provider withheld the answer by its content filter.",
    hint: "Rephrase the task or use another model.",
  },
  model_empty_answer: {
    kind: "run",
    meaning: "The model answered twice with nothing.",
    hint: "Use another model; some need a larger maxOutputTokens to get past their reasoning.",
  },
  price_unknown: {
    kind: "run",
    meaning: "limits.costUsd is set, but no price is known for the model, so it could not be kept.",
    hint: "Set a price for the model, or limit tokens instead of costUsd.",
  },
  script_mismatch: {
    kind: "run",
    meaning: "The scripted model was asked for something its script does not hold.",
    hint: "Extend the script, or find out why the run asks differently.",
  },
  cassette_mismatch: {
    kind: "run",
    meaning: "The cassette holds no answer to this request.",
    hint: "Record it anew, or find out why the request changed.",
  },
  invalid_result: {
    kind: "run",
    meaning: "What the agent handed in does not fit its output schema, also after it was told why.",
    hint: "Use a stronger model, or make the schema simpler.",
  },
  not_accepted: {
    kind: "run",
    meaning: "What must accept the agent's result refused it, also after the agent was told why.",
    hint: "Read the reason; the work may be wrong, or the check.",
  },
  guardrail_refused: {
    kind: "run",
    meaning: "A guardrail refused what was asked of the run, or what the run would have handed back.",
    hint: "Read the reason; ask for something else, or change the guardrail.",
  },
  stuck: {
    kind: "run",
    meaning: "The agent repeated the same calls with the same outcome.",
    hint: "Make the task more precise or use a stronger model.",
  },
  context_unfittable: {
    kind: "run",
    meaning: "System prompt, task and latest turn alone exceed limits.contextTokens.",
    hint: "Raise limits.contextTokens or shorten the task.",
  },
  cancelled: {
    kind: "run",
    meaning: "The run was cancelled.",
    hint: "Start it again or resume its session.",
  },
  limit_reached: {
    kind: "run",
    meaning: "A limit of the run was reached before it was done.",
    hint: "Raise the limit that is named, or make the task smaller.",
  },
  output_failed: {
    kind: "run",
    meaning: "What was to be printed could not be written.",
    hint: "Check where the output goes: the disk may be full.",
  },
  worktree_unavailable: {
    kind: "run",
    meaning:
      "The run is to work in a git worktree of its own, and there can be none for this workspace; it was not run in the workspace itself.",
    hint: "Mend what the message names, or run the agent with `isolation: none`.",
  },
  grant_exceeded: {
    kind: "run",
    meaning: "A run was to be started with more than the run above it may hand on; it was not started.",
    hint: "Please report it: every way to start a run takes away, and none may add.",
  },

  // What a caller did wrong.
  approval_unknown: {
    kind: "caller",
    meaning: "There is no question with this id in the record; nothing was changed.",
    hint: "List the open ones with `retinue approvals list`.",
  },
  approval_answered: {
    kind: "caller",
    meaning: "The question was answered before; the first answer stands and nothing was changed.",
    hint: "See who answered with `retinue sessions show`.",
  },
  approval_expired: {
    kind: "caller",
    meaning: "The question is open no longer: its time is over, or its call was settled without an answer. Nothing was changed.",
    hint: "List the open ones with `retinue approvals list`.",
  },
  run_left_open: {
    kind: "run",
    meaning:
      "The process stopped driving the run before it had a result. The run is open in the record and nothing of it is lost.",
    hint: "Go on with it: `retinue sessions resume`.",
  },
  run_settled: {
    kind: "caller",
    meaning: "The run has ended; nothing can be said to it or stopped in it any more.",
    hint: "Go on with the session in a new turn, or look at its result with `retinue sessions show`.",
  },
  answer_refused: {
    kind: "caller",
    meaning:
      "An answer, a message or a wish to stop came from a process that an agent's run started. No agent answers its own questions, or reaches other runs; nothing was changed.",
    hint: "Give it from a terminal of your own.",
  },
  plan_invalid: {
    kind: "caller",
    meaning:
      "A plan cannot be carried out as it is: steps that wait for each other, unknown steps or agents, too many steps, or a file that is no plan.",
    hint: "The message names the steps; `retinue plan edit` opens the plan and checks it.",
  },
  usage: {
    kind: "caller",
    meaning: "The command line is wrong.",
    hint: "`retinue help` lists the commands and their options.",
  },
  task_empty: {
    kind: "caller",
    meaning: "There is no task.",
    hint: 'Give one in quotes after the command, such as retinue run "…", or on standard input.',
  },
  task_too_large: {
    kind: "caller",
    meaning: "The task is larger than 8 MiB.",
    hint: "Put the material into files of the workspace and name them in the task.",
  },
  settings_unreadable: {
    kind: "caller",
    meaning: "A settings file cannot be read.",
    hint: "Check that it is a file and that you may read it.",
  },
  settings_malformed: {
    kind: "caller",
    meaning: "A settings file is not valid YAML.",
    hint: "Mend the line that is named.",
  },
  settings_invalid: {
    kind: "caller",
    meaning: "A setting has an unknown name or a value that is not allowed.",
    hint: "Correct the setting that is named; `retinue doctor` shows every setting and where it comes from.",
  },
  model_unknown: {
    kind: "caller",
    meaning: "No provider is configured for this model name.",
    hint: "Names are provider/model; `retinue doctor` lists the providers.",
  },
  key_missing: {
    kind: "caller",
    meaning: "The provider needs a key and its environment variable is not set.",
    hint: "Export the variable that is named.",
  },
  agent_invalid: {
    kind: "caller",
    meaning: "An agent file is broken.",
    hint: "Mend the line that is named.",
  },
  pattern_slow: {
    kind: "caller",
    meaning: "A pattern of a JSON Schema could take very long on some texts, or cannot be shown not to; it is not used.",
    hint: "Anchor it with ^, and let each part match only what the next one does not: ^[a-z]+(-[a-z]+)*$.",
  },
  agent_unknown: {
    kind: "caller",
    meaning: "There is no agent of this name.",
    hint: "Use one of the names that are listed.",
  },
  tool_name_taken: {
    kind: "caller",
    meaning: "Two tools have the same name.",
    hint: "Rename one of them.",
  },
  session_unknown: {
    kind: "caller",
    meaning: "There is no session of this id.",
    hint: "Check the id.",
  },
  run_unknown: {
    kind: "caller",
    meaning: "There is no run of this id.",
    hint: "Check the id.",
  },
  run_of_host: {
    kind: "caller",
    meaning: "The run is a call that a host made itself and recorded; it is not driven here.",
    hint: "The host ends it with `completeMessage` or `failMessage`.",
  },
  host_call_failed: {
    kind: "caller",
    meaning: "A call that a host made itself and recorded has failed.",
    hint: "The message is the host's own.",
  },
  run_exists: {
    kind: "caller",
    meaning: "A run of this id was requested before; nothing was written.",
    hint: "Take the lease of the run that is there, or ask for a run with a new id.",
  },
  lease_lost: {
    kind: "caller",
    meaning: "Another process has taken over this run; what this one wanted to write was refused.",
    hint: "Let the other one finish.",
  },
  session_running: {
    kind: "caller",
    meaning: "A living process works on this session; nothing was changed.",
    hint: "Wait for it or stop it; --take-over takes the session from it.",
  },
  session_imported: {
    kind: "caller",
    meaning: "The session came from an export, and what it says of folders is not followed.",
    hint: "Go to the folder that it is to work in, or name it with -C, if that is the one you mean.",
  },
  session_elsewhere: {
    kind: "caller",
    meaning: "The session works in another folder than the workspace that was asked for it; nothing was changed.",
    hint: "Open the folder that is named and ask there, or fork the session to go on here with what was said in it.",
  },
  closed: {
    kind: "caller",
    meaning: "The host or the workspace was closed; nothing was started.",
    hint: "Open it again.",
  },
  session_exists: {
    kind: "caller",
    meaning: "The store holds a session of this id already; nothing was written.",
    hint: "Look at the one that is there, or bring the other in under a new id with --as-new.",
  },
  import_invalid: {
    kind: "caller",
    meaning: "The file is no export of a session, or not as it was exported; nothing was written.",
    hint: "Export the session again as JSON.",
  },
  file_exists: {
    kind: "caller",
    meaning: "The file is already there and was left as it is.",
    hint: "Edit it, or move it away first.",
  },
  query_invalid: {
    kind: "caller",
    meaning: "A filter, an order or a page of a query is not allowed.",
    hint: "The message says what is.",
  },
  store_unreadable: {
    kind: "caller",
    meaning: "The place of the store cannot be opened for writing: a folder, a missing folder, no permission, a network drive.",
    hint: "Give the path of a file on a local disk that you may write.",
  },
  store_foreign: {
    kind: "caller",
    meaning: "The file is not a store of Retinue; it was left as it is.",
    hint: "Give another path.",
  },
  store_newer: {
    kind: "caller",
    meaning: "The store was written by a newer Retinue; it was left as it is.",
    hint: "Update Retinue, or give another path.",
  },
  store_corrupt: {
    kind: "caller",
    meaning: "What the store holds is not what was written to it.",
    hint: "`retinue sessions verify` names what is damaged; what verifies can still be exported.",
  },
  store_full: {
    kind: "caller",
    meaning: "There is no space left to write to the store; nothing that was recorded is lost.",
    hint: "Make space, then resume the session.",
  },
  temporary_folder_unusable: {
    kind: "caller",
    meaning: "The folder for temporary files is full, or cannot be used.",
    hint: "Make space there, or set TMPDIR to a folder on another disk.",
  },
  store_gone: {
    kind: "caller",
    meaning: "The store's file was deleted or replaced while it was open; nothing more is written to it.",
    hint: "Put the file back, or begin again with a new store.",
  },
  store_busy: {
    kind: "caller",
    meaning: "Another process kept the store locked for longer than we wait.",
    hint: "End the process that holds it, then resume the session.",
  },
  store_failed: {
    kind: "caller",
    meaning: "The disk or the database server failed while the store was written or read.",
    hint: "Check the disk or the server, then resume the session.",
  },
  project_untrusted: {
    kind: "caller",
    meaning: "The project wants to start or load something, and nobody has said that it may; it was not started.",
    hint: "Read what it would run, then trust it.",
  },
  state_unreadable: {
    kind: "caller",
    meaning: "A file in which Retinue keeps what was trusted or approved cannot be read; it was left as it is.",
    hint: "Mend the file that is named, or remove it and be asked again.",
  },
  mcp_server_invalid: {
    kind: "caller",
    meaning: "What is said of an MCP server cannot be used.",
    hint: "Mend the place that is named.",
  },
  mcp_server_failed: {
    kind: "caller",
    meaning: "An MCP server could not be started or reached, or does not speak the protocol.",
    hint: "Run its command by hand to see what is wrong.",
  },
  user_tool_invalid: {
    kind: "caller",
    meaning: "A file of tools cannot be loaded; the others were.",
    hint: "Mend the file that is named.",
  },
  skill_unknown: {
    kind: "caller",
    meaning: "There is no skill of this name.",
    hint: "Use one of the names that are listed.",
  },
  skill_invalid: {
    kind: "caller",
    meaning: "A skill cannot be read; the others were.",
    hint: "Mend the file that is named.",
  },
  event_unknown: {
    kind: "caller",
    meaning: "An event has a type that this version of the event format does not know.",
    hint: "Read it with the version of Retinue that wrote it, or with a newer one.",
  },
  event_invalid: {
    kind: "caller",
    meaning: "A value is no event, or an event or input lacks a field or has a wrong one.",
    hint: "Mend the field that is named; docs/events.md tells what each event carries.",
  },
  request_unauthorized: {
    kind: "caller",
    meaning: "A request to the server has no token, or a wrong one.",
    hint: "Open the link that `retinue serve` printed, or send its token as `Authorization: Bearer …`.",
  },
  request_origin: {
    kind: "caller",
    meaning: "A request to the server comes from a page of another origin, or does not say which page it comes from.",
    hint: "Call the server from its own page, or from a program with its token.",
  },
  request_host: {
    kind: "caller",
    meaning: "A request names a host that this server does not answer for.",
    hint: "Call it by the address that it printed; `retinue serve --name` adds the name of a proxy.",
  },
  request_throttled: {
    kind: "caller",
    meaning: "There were too many wrong tokens or passwords within a minute.",
    hint: "Wait a minute, then try again with the right one.",
  },
  request_too_large: {
    kind: "caller",
    meaning: "A request to the server is larger than it may be.",
    hint: "Send less at a time; put material into files of the workspace.",
  },
  request_media_type: {
    kind: "caller",
    meaning: "The body of a request is not declared as JSON.",
    hint: "Send `Content-Type: application/json`.",
  },
  request_method: {
    kind: "caller",
    meaning: "This path of the server does not know the method.",
    hint: "/api/openapi.json lists paths and methods.",
  },
  request_timeout: {
    kind: "caller",
    meaning: "A request took too long to arrive.",
    hint: "Send it again.",
  },
  request_invalid: {
    kind: "caller",
    meaning: "A request to the server is not as its route wants it.",
    hint: "The message names the field; /api/openapi.json describes each route.",
  },
  route_unknown: {
    kind: "caller",
    meaning: "The server has nothing at this path.",
    hint: "/api/openapi.json lists the paths.",
  },
  artifact_unknown: {
    kind: "caller",
    meaning: "The session has no such artifact.",
    hint: "Its events name those that there are.",
  },
  workspace_unknown: {
    kind: "caller",
    meaning: "The server does not work in this folder.",
    hint: "Open the folder first; /api/workspaces lists those that are open.",
  },
  turn_taken: {
    kind: "caller",
    meaning: "The queued turn has begun already, was taken back, or another one is before it in the queue.",
    hint: "Look at the session; nothing was started twice.",
  },
  message_unknown: {
    kind: "caller",
    meaning: "No such message waits to be read by the run.",
    hint: "It was read or taken back already; say something else to the run.",
  },
  test_run_unknown: {
    kind: "caller",
    meaning: "There is no test run of this name.",
    hint: "The list of test runs names those that are stored.",
  },
  approval_changed: {
    kind: "caller",
    meaning: "The answer is for another act than the one that waits; it has no effect.",
    hint: "Look at the question again and answer what it asks now.",
  },
  server_open_bind: {
    kind: "caller",
    meaning: "The server would be reachable from other machines without a password and TLS.",
    hint: "Give --password-file, --tls-cert and --tls-key; or --insecure where something else protects it.",
  },
  server_port: {
    kind: "caller",
    meaning: "The server cannot listen on this address and port.",
    hint: "Choose another one with --port; 0 takes any that is free.",
  },
  node_too_old: {
    kind: "caller",
    meaning: "This Node is older than Retinue needs.",
    hint: "Use Node 24.15 or newer.",
  },

  internal: {
    kind: "internal",
    meaning: "Retinue itself is at fault.",
    hint: "Please report it with the message and, if you can, the session's export.",
  },
} as const satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof ERRORS;

/** An error as it stands in events, results and on the wire. */
export type ErrorValue = {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint?: string;
  /** After how long a model's server wants to be asked again, where it said so. */
  readonly retryAfterMs?: number;
};

/** An error as it is thrown. `message` says what happened and why; `hint` what to do. */
export class RetinueError extends Error {
  override readonly name = "RetinueError";
  readonly code: ErrorCode;
  readonly hint: string;
  readonly retryAfterMs: number | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    options: { hint?: string; cause?: unknown; retryAfterMs?: number | undefined } = {},
  ) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.code = code;
    this.hint = options.hint ?? ERRORS[code].hint;
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** The value of anything that was thrown; what is not ours is `internal`. */
export const toErrorValue = (thrown: unknown): ErrorValue =>
  thrown instanceof RetinueError
    ? {
        code: thrown.code,
        message: thrown.message,
        hint: thrown.hint,
        ...(thrown.retryAfterMs === undefined ? {} : { retryAfterMs: thrown.retryAfterMs }),
      }
    : { code: "internal", message: thrown instanceof Error ? thrown.message : String(thrown), hint: ERRORS.internal.hint };
