/** Starts the shop: `PORT=4321 SHOP_BUG=wrong-total node examples/test-apps/shop/serve.ts`. Prints its address when it listens. */
import { type AddressInfo } from "node:net";
import { toBug } from "./bugs.ts";
import { createShopServer } from "./server.ts";

const server = createShopServer(toBug(process.env["SHOP_BUG"]));
server.listen(Number(process.env["PORT"] ?? 0), "127.0.0.1", () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
});
