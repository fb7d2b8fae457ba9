/**
 * `retinue/testing`: how to test agents without a network and without a key. A model that says what a test tells it to, a server that speaks the wire
 * formats of the providers and misbehaves on demand, and traffic on tape.
 */
export { createScriptedModel, openCassette, startMockServer } from "@retinue/model/testing";
export type {
  Cassette,
  CassetteOptions,
  MockFault,
  MockReply,
  MockRequest,
  MockServer,
  MockServerOptions,
  MockToolCall,
  Script,
  ScriptedModel,
  ScriptedModelOptions,
  ScriptedRetry,
  ScriptedToolCall,
  ScriptedTurn,
} from "@retinue/model/testing";
