/** What is used of the adapter that carries Hono on Node's HTTP server. */
export { getRequestListener, type HttpBindings } from "@hono/node-server";
export { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
