/** The offline model. */
export { createOfflineModel } from "./offline-model.ts";
