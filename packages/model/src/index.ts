/** One request to one model. Importing this costs next to nothing: protocols, SDKs and prices are loaded when first used. */
export { fromAiSdk, isAiSdkModel } from "./ai-sdk/from-ai-sdk.ts";
export type { FromAiSdkOptions } from "./ai-sdk/from-ai-sdk.ts";
export { createCatalogue } from "./catalogue/catalogue.ts";
export type { Catalogue, CatalogueOptions, PriceOverride } from "./catalogue/catalogue.ts";
export type { CatalogueEntry, PriceSource } from "./catalogue/catalogue-entry.ts";
export type { Model, ModelAnswer, ModelChunk, ModelRequest, ToolDeclaration } from "./contract.ts";
export { chooseModel, detectProviders } from "./detect.ts";
export type { Detected, DetectOptions } from "./detect.ts";
export { createModels } from "./models.ts";
export type { Models, ModelsOptions, TrafficTap } from "./models.ts";
export type { Env } from "./providers/access.ts";
export type { Provider, ProviderSettings } from "./providers/provider.ts";
export { PROVIDERS } from "./providers/registry.ts";
export { secretsOf } from "./providers/secrets.ts";
export type { ServedModel } from "./providers/served-models.ts";
export { DEFAULT_RETRY } from "./retry.ts";
export type { RetrySettings } from "./retry.ts";
export { isOfflineUnable } from "./offline/decide.ts";
