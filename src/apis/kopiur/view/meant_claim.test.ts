import { expect, test } from "vitest";
import { meantClaim } from "./meant_claim.ts";

test.each([
  ["shop", "books", "/pvc/data", "shop/data"],
  ["prod-shop", "books", "/pvc/shop/data", "shop/data"],
  ["shop", "data", "/data", "shop/data"],
  ["laptop", "anna", "/home/anna", undefined],
  ["Laptop", "anna", "/pvc/data", undefined],
])("what %s %s records as %s is of %s", (hostname, username, sourcePath, claim) => {
  expect(meantClaim({ hostname, username, sourcePath })).toBe(claim);
});
