/** Everything that the server answers over HTTP, behind one gate: names and origins first, then the key, then the route. */
import { type HttpBindings, RESPONSE_ALREADY_SENT } from "./node-server.ts";
import { RetinueError, toErrorValue } from "@retinue/protocol";
import { ROUTE_PLACES, ROUTES, type RouteName } from "@retinue/protocol/routes";
import { type Context, Hono } from "hono";
import { toArtifactResponse } from "./artifact-response.ts";
import type { Backend, CallName } from "./backend.ts";
import { callRoute, decodeBody, decodeInput, encodeOutput } from "./call-route.ts";
import { toAfterSeq } from "./feed/after-seq.ts";
import { streamSession } from "./feed/event-stream.ts";
import type { Hubs } from "./feed/hubs.ts";
import { createOpenApi } from "./openapi.ts";
import { FAVICON, SIGN_IN_HTML, SIGN_IN_SCRIPT, SIGN_IN_STYLE, UNBUILT_HTML } from "./page/sign-in-page.ts";
import type { StaticFiles } from "./page/static-files.ts";
import type { Asked, Guard } from "./safety/admit.ts";
import { toStatus } from "./safety/error-status.ts";
import type { Keys } from "./safety/keys.ts";
import { COMMON_HEADERS, DATA_POLICY, PAGE_POLICY } from "./safety/response-headers.ts";
import type { Throttle } from "./safety/throttle.ts";

export type AppOptions = {
  readonly backend: Backend;
  readonly hubs: Hubs;
  readonly guard: Guard;
  readonly keys: Keys;
  readonly throttle: Throttle;
  readonly cookieName: string;
  readonly isSecure: boolean;
  readonly page: StaticFiles | undefined;
  /** Told of what is our own fault; the client reads only that something is. */
  readonly onProblem: (problem: unknown) => void;
};

type Env = { Bindings: HttpBindings };
type Handler = (context: Context<Env>) => Promise<Response>;

const toAsked = (context: Context<Env>): Asked => ({
  method: context.req.method,
  path: context.req.path,
  header: (name) => context.req.header(name),
  sender: context.env.incoming.socket.remoteAddress,
});

const PUBLIC_FILES: Readonly<Record<string, readonly [mediaType: string, text: string]>> = {
  "/sign-in.js": ["text/javascript; charset=utf-8", SIGN_IN_SCRIPT],
  "/sign-in.css": ["text/css; charset=utf-8", SIGN_IN_STYLE],
  // Browsers ask for it by themselves, also on the page that signs in.
  "/favicon.ico": ["image/svg+xml", FAVICON],
};

const toPage = (body: string | Buffer, mediaType: string, cache = "no-store"): Response =>
  new Response(typeof body === "string" ? body : new Uint8Array(body), {
    headers: { "Content-Type": mediaType, "Content-Security-Policy": PAGE_POLICY, "Cache-Control": cache },
  });

const HTML = "text/html; charset=utf-8";

export const createApp = (options: AppOptions): Hono<Env> => {
  const { backend, hubs, guard, page, onProblem } = options;
  const app = new Hono<Env>();
  const startedAt = new Date().toISOString();
  const openApi = createOpenApi(backend.version, options.cookieName);

  app.use(async (context, next) => {
    const asked = toAsked(context);
    guard.checkOrigin(asked);
    const isPublic = asked.path === "/" || asked.path === ROUTE_PLACES.signIn[1] || Object.hasOwn(PUBLIC_FILES, asked.path);
    if (!isPublic) guard.authenticate(asked);
    await next();
    for (const [name, value] of Object.entries(COMMON_HEADERS)) context.res.headers.set(name, value);
    if (!context.res.headers.has("Content-Security-Policy")) context.res.headers.set("Content-Security-Policy", DATA_POLICY);
  });

  const own: Record<Exclude<RouteName, CallName>, Handler> = {
    signIn: (context) => signIn(context, options),
    signOut: async (context) => {
      await decodeBody(ROUTES.signOut, context.req.raw);
      const cookie = guard.cookieOf(toAsked(context));
      if (cookie !== undefined) await options.keys.revokeCookie(cookie);
      const response = encodeOutput("signOut", ROUTES.signOut, { ok: true });
      response.headers.set("Set-Cookie", toCookie(options, "", "; Max-Age=0"));
      return response;
    },
    status: async () => {
      const { approvals } = await backend.calls.listApprovals({ params: undefined, query: {}, body: undefined });
      const status = { version: backend.version, startedAt, sockets: hubs.size(), openApprovals: approvals.length };
      return encodeOutput("status", ROUTES.status, status);
    },
    openApi: async () => encodeOutput("openApi", ROUTES.openApi, openApi),
    getArtifact: async (context) => {
      const { params } = (await decodeInput(ROUTES.getArtifact, toAsking(context))) as unknown as {
        params: { sessionId: `ses_${string}`; artifactId: `art_${string}` };
      };
      const found = await backend.artifact(params.sessionId, params.artifactId);
      if (!found) throw new RetinueError("artifact_unknown", `${params.sessionId} has no artifact ${params.artifactId}.`);
      return toArtifactResponse(params.artifactId, found);
    },
    streamSession: async (context) => {
      const { params } = (await decodeInput(ROUTES.streamSession, toAsking(context))) as unknown as {
        params: { sessionId: `ses_${string}` };
      };
      const afterSeq = toAfterSeq(context.req.header("last-event-id") ?? context.req.query("after"));
      if (!(await streamSession(hubs, { ...params, afterSeq }, context.env)))
        throw new RetinueError("session_unknown", `There is no session ${params.sessionId}.`);
      return RESPONSE_ALREADY_SENT;
    },
  };

  const methodsOf = new Map<string, string[]>();
  for (const [name, [method, path]] of Object.entries(ROUTE_PLACES) as [RouteName, (typeof ROUTE_PLACES)[RouteName]][]) {
    methodsOf.set(path, [...(methodsOf.get(path) ?? []), method]);
    app.on(method, path, async (context) => {
      if (name === "streamSession") return own.streamSession(context);
      if (Object.hasOwn(own, name)) return backend.soon(() => own[name as keyof typeof own](context));
      const response = await backend.soon(() => callRoute(backend.calls, name as CallName, toAsking(context)));
      if (name === "deleteSession") hubs.deleted(context.req.param("sessionId") as `ses_${string}`);
      return response;
    });
  }
  for (const [path, methods] of methodsOf)
    app.all(path, (context) => {
      context.header("Allow", methods.join(", "));
      throw new RetinueError("request_method", `${path} takes ${methods.join(", ")}.`);
    });

  app.get("/", async (context) => {
    if (!guard.isKnown(toAsked(context))) return toPage(SIGN_IN_HTML, HTML);
    const index = await page?.find("/index.html");
    return page && index ? toPage(await page.read(index), HTML) : toPage(UNBUILT_HTML, HTML);
  });
  app.get("/*", async (context) => {
    const { path } = context.req;
    const given = PUBLIC_FILES[path];
    if (given) return toPage(given[1], given[0]);
    const found = path.startsWith("/api/") ? undefined : await page?.find(path);
    if (page && found) return toPage(await page.read(found), found.mediaType, found.isHashed ? HASHED : "no-store");
    // Addresses inside the page are the page.
    const index =
      /^\/[\w/~-]*$/.test(path) && !/^\/(?:api|assets)(?:\/|$)/.test(path) ? await page?.find("/index.html") : undefined;
    if (page && index) return toPage(await page.read(index), HTML);
    throw new RetinueError("route_unknown", "There is nothing at this path.");
  });
  app.all("/*", (context) => {
    throw context.req.path.startsWith("/api/")
      ? new RetinueError("route_unknown", "There is nothing at this path.")
      : new RetinueError("request_method", "This path takes GET.");
  });

  app.onError((thrown) => {
    const error = toErrorValue(thrown);
    const status = toStatus(error.code);
    if (status === 500) onProblem(thrown);
    const told = status === 500 ? { ...error, message: "The server made a mistake; its own output tells which." } : error;
    const headers = { ...COMMON_HEADERS, "Content-Security-Policy": DATA_POLICY, "Cache-Control": "no-store" };
    // The rest of a body that was not read would be taken for the next request.
    const more: Record<string, string> =
      status === 413 || status === 408 ? { Connection: "close" } : status === 429 ? { "Retry-After": "60" } : {};
    return Response.json({ error: told }, { status, headers: { ...headers, ...more } });
  });
  return app;
};

const HASHED = "private, max-age=31536000, immutable";

const toAsking = (context: Context<Env>): Parameters<typeof callRoute>[2] => ({
  request: context.req.raw,
  params: context.req.param(),
  query: context.req.query(),
});

const toCookie = ({ cookieName, isSecure }: AppOptions, value: string, more: string): string =>
  `${cookieName}=${value}; Path=/; HttpOnly; SameSite=Strict${isSecure ? "; Secure" : ""}${more}`;

/** Browsers forget cookies without an age when they are closed. */
const COOKIE_SECONDS = 30 * 24 * 3_600;

const signIn = async (context: Context<Env>, options: AppOptions): Promise<Response> => {
  const { keys, throttle } = options;
  const { sender } = toAsked(context);
  const { token, password } = (await decodeBody(ROUTES.signIn, context.req.raw)) as { token?: string; password?: string };
  const isRight =
    (token !== undefined && keys.isToken(token)) ||
    (password !== undefined && !throttle.isClosed(sender) && keys.isPassword(password));
  if (!isRight) {
    throttle.failed(sender);
    throw throttle.isClosed(sender)
      ? new RetinueError("request_throttled", "There were too many wrong keys within a minute.")
      : new RetinueError("request_unauthorized", "This is neither the token nor the password.");
  }
  const response = encodeOutput("signIn", ROUTES.signIn, { ok: true });
  response.headers.set("Set-Cookie", toCookie(options, keys.issueCookie(), `; Max-Age=${COOKIE_SECONDS}`));
  return response;
};
