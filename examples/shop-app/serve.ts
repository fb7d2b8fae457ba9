/** Serves the shop until it is stopped: `node examples/shop-app/serve.ts [port]`, with bugs from the variable SHOP_BUGS. */
import { toBugs } from "./bugs.ts";
import { startShop } from "./shop.ts";

const shop = await startShop({
  port: Number(process.argv[2] ?? process.env["PORT"] ?? 0),
  bugs: toBugs(process.env["SHOP_BUGS"]),
});
console.log(`The shop is at ${shop.url}`);
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void shop.close());
