/** The stage of the page's tests and pictures: the real server, a played model, the real browser. */
export { findInaccessible } from "./check-accessibility.ts";
export { findChromium, openChromium } from "./open-chromium.ts";
export { openPageStage, type PageStage, type PageStageOptions } from "./page-stage.ts";
export { call, delegate, type Part, type Reply } from "./played-model.ts";
export { DISCOUNT_TASK, discountParts, LEAD, SHOP } from "./shop.ts";
export { prepareShopTests, type ShopTests } from "./shop-tests.ts";
