/** What the server refused, or why it could not be reached. `code` is one of the registry; `status` is that of HTTP, 0 where there was no answer. */
import type { ErrorCode, ErrorValue } from "@retinue/protocol";

export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly code: ErrorCode | "unreachable";
  readonly hint: string | undefined;
  readonly status: number;

  constructor(error: Omit<ErrorValue, "code"> & { readonly code: ErrorCode | "unreachable" }, status: number) {
    super(error.message);
    this.code = error.code;
    this.hint = error.hint;
    this.status = status;
  }
}
