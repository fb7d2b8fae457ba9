/** The HTTP status of an error, by its code. What is not listed is the caller's mistake, or ours. */
import { ERRORS, type ErrorCode } from "@retinue/protocol";

const STATUS: Partial<Record<ErrorCode, number>> = {
  request_unauthorized: 401,
  request_origin: 403,
  request_host: 421,
  request_throttled: 429,
  request_too_large: 413,
  request_media_type: 415,
  request_method: 405,
  request_timeout: 408,
  request_invalid: 400,
  route_unknown: 404,
  session_unknown: 404,
  run_unknown: 404,
  approval_unknown: 404,
  artifact_unknown: 404,
  workspace_unknown: 404,
  agent_unknown: 404,
  test_run_unknown: 404,
  approval_answered: 409,
  approval_expired: 409,
  approval_changed: 409,
  run_settled: 409,
  session_running: 409,
  session_exists: 409,
  session_elsewhere: 409,
  file_changed: 409,
  task_too_large: 413,
  answer_refused: 403,
  path_protected: 403,
  store_busy: 503,
  store_gone: 503,
  closed: 503,
};

export const toStatus = (code: ErrorCode): number => STATUS[code] ?? (ERRORS[code].kind === "internal" ? 500 : 400);
