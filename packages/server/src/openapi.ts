/** The OpenAPI 3.1 description of the server, made from its routes. */
import type { Json, JsonObject } from "@retinue/protocol";
import { ERRORS } from "@retinue/protocol";
import { ROUTE_PLACES, ROUTES, type Route, type RouteName } from "@retinue/protocol/routes";
import { z } from "zod";

const toJsonSchema = (schema: z.ZodType, io: "input" | "output"): JsonObject => {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: "any", reused: "inline", cycles: "ref" });
  // What zod makes is JSON.
  return rest as JsonObject;
};

const toParameters = (schema: z.ZodObject | undefined, place: "path" | "query"): readonly Json[] => {
  if (schema === undefined) return [];
  const { properties = {}, required = [] } = toJsonSchema(schema, "output") as {
    properties?: Readonly<Record<string, JsonObject>>;
    required?: readonly string[];
  };
  return Object.entries(properties).map(([name, { description, ...rest }]) => ({
    name,
    in: place,
    required: place === "path" || required.includes(name),
    ...(description === undefined ? {} : { description }),
    schema: rest,
  }));
};

const ERROR_RESPONSE = { $ref: "#/components/responses/Error" };

const toOperation = (name: RouteName, route: Route): JsonObject => {
  const { summary, params, query, body, response, media, status = 200, isPublic = false } = route;
  const content =
    response === undefined
      ? { [media ?? "application/octet-stream"]: {} }
      : { "application/json": { schema: relocate(toJsonSchema(response, "output"), name) } };
  return {
    operationId: name,
    summary,
    parameters: [...toParameters(params, "path"), ...toParameters(query, "query")],
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: true,
            content: { "application/json": { schema: relocate(toJsonSchema(body, "input"), name) } },
          },
        }),
    responses: { [String(status)]: { description: summary, content }, default: ERROR_RESPONSE },
    ...(isPublic ? { security: [] } : {}),
  };
};

/** Definitions of a schema that stands inside the document are found from its top. */
const relocate = (schema: JsonObject, name: string): JsonObject => {
  const id = `urn:retinue:${name}`;
  return "$defs" in schema || JSON.stringify(schema).includes('"$ref"') ? { $id: id, ...schema } : schema;
};

export const createOpenApi = (version: string, cookieName: string): JsonObject => {
  const paths: Record<string, Record<string, Json>> = {};
  for (const [name, [method, path]] of Object.entries(ROUTE_PLACES) as [RouteName, (typeof ROUTE_PLACES)[RouteName]][]) {
    const place = path.replaceAll(/:(\w+)/g, "{$1}");
    (paths[place] ??= {})[method.toLowerCase()] = toOperation(name, ROUTES[name]);
  }
  return {
    openapi: "3.1.0",
    info: { title: "Retinue", version, description: "Sessions, runs, approvals, agents and what they did." },
    security: [{ bearer: [] }, { cookie: [] }],
    paths,
    components: {
      securitySchemes: { bearer: { type: "http", scheme: "bearer" }, cookie: { type: "apiKey", in: "cookie", name: cookieName } },
      responses: {
        Error: {
          description: "What went wrong, and what to do.",
          content: {
            "application/json": {
              schema: {
                type: "object",
                required: ["error"],
                properties: {
                  error: {
                    type: "object",
                    required: ["code", "message"],
                    properties: {
                      code: { type: "string", enum: Object.keys(ERRORS) },
                      message: { type: "string" },
                      hint: { type: "string" },
                    },
                  },
                },
              },
            },
          },
        },
      },
    },
  };
};
