/** What tests of and above the model need: a model by script, traffic on tape, and a server that misbehaves on demand. */
export { openCassette } from "./cassette.ts";
export type { Cassette, CassetteOptions } from "./cassette.ts";
export { startMockServer } from "./mock-server.ts";
export type { MockFault, MockReply, MockRequest, MockServer, MockServerOptions, MockToolCall } from "./mock-server.ts";
export { complaintOf, STRICT_FORMS } from "./strict/strict-forms.ts";
export type { StrictProvider } from "./strict/strict-forms.ts";
export type { StrictRule } from "./strict/strict-rule.ts";
export { createScriptedModel } from "./scripted-model.ts";
export type {
  Script,
  ScriptedModel,
  ScriptedModelOptions,
  ScriptedRetry,
  ScriptedToolCall,
  ScriptedTurn,
} from "./scripted-model.ts";
