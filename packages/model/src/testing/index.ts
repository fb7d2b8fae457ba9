/** What tests of and above the model need: models that say what they are told, and recorded traffic played back. */
export { createScriptedModel } from "./scripted-model.ts";
export type {
  Script,
  ScriptedModel,
  ScriptedModelOptions,
  ScriptedRetry,
  ScriptedToolCall,
  ScriptedTurn,
} from "./scripted-model.ts";
