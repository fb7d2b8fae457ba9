/** What the questions are about in repositories that are known by name. For others the questions that name something are left out. */

export type Subjects = {
  readonly symbol: string;
  readonly file: string;
  readonly error: string;
  readonly topic: string;
  readonly tag: string;
};

export const SUBJECTS: Readonly<Record<string, Subjects>> = {
  click: {
    symbol: "make_context",
    file: "src/click/termui.py",
    error: "No such option '--colour'.",
    topic: "option parsing",
    tag: "8.4.0",
  },
  fd: {
    symbol: "search_str_for_entry",
    file: "src/walk.rs",
    error: "Could not retrieve current directory (has it been deleted?).",
    topic: "parallel walking",
    tag: "v10.4.0",
  },
  got: {
    symbol: "calculateRetryDelay",
    file: "source/core/timed-out.ts",
    error: "The `GET` method cannot be used with a body",
    topic: "retrying",
    tag: "v15.0.0",
  },
  gin: {
    symbol: "ShouldBindJSON",
    file: "routergroup.go",
    error: "the accepted formats are not offered by the server",
    topic: "routing",
    tag: "v1.11.0",
  },
  express: {
    symbol: "createApplication",
    file: "lib/response.js",
    error: "Invalid status code: 99. Status code must be greater than 99 and less than 1000.",
    topic: "content negotiation",
    tag: "v5.2.0",
  },
};
