/** The bugs that can be planted into the shop, each of them alone or with others: by the variable SHOP_BUGS, or by `?bug=` for one visitor. */
export const SHOP_BUGS = {
  "wrong-redirect": "After the login the account page is shown in place of the products.",
  "console-error": "The list of products throws an error in the browser.",
  "search-case": "The search tells upper and lower case apart.",
  "delayed-never": "The next delivery is never shown.",
  "validation-off": "A product is saved although its price is not more than 0.",
  "toast-missing": "No message tells that a product was saved.",
  "wrong-total": "The total leaves the quantity out.",
  "save-500": "Saving fails with status 500, and the page tells that it worked.",
  "upload-dropped": "An uploaded file is thanked for and thrown away.",
  "cancel-deletes": "Cancel in the question whether to delete deletes.",
  "stale-list": "A deleted product stays in the list until the page is loaded anew.",
  "iframe-wrong": "The report counts one product too many.",
} as const;

export type ShopBug = keyof typeof SHOP_BUGS;

/** Names apart by commas; throws for one that there is not. */
export const toBugs = (text: string | null | undefined): readonly ShopBug[] =>
  (text ?? "")
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "")
    .map((name) => {
      if (!Object.hasOwn(SHOP_BUGS, name))
        throw new Error(`There is no bug "${name}"; there are ${Object.keys(SHOP_BUGS).join(", ")}.`);
      return name as ShopBug;
    });
