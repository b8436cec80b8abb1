import { expect, test } from "vitest";
import { checkIdentity, companionOf } from "./companion.ts";

const GOOD = { username: "u", hostname: "h", path: "/p" };

test.each([
  [{ ...GOOD, username: "" }, "user name"],
  [{ ...GOOD, username: "a@b" }, "user name"],
  [{ ...GOOD, hostname: "a:b" }, "host name"],
  [{ ...GOOD, path: "" }, "shortest form"],
  [{ ...GOOD, path: "a/../p" }, "shortest form"],
  [{ ...GOOD, path: "/p/" }, "shortest form"],
  [companionOf(GOOD), "reserved"],
])("checkIdentity() refuses %j", (identity, why) => {
  expect(() => checkIdentity(identity)).toThrow(why);
});

test("checkIdentity() lets others through", () => {
  expect(() => checkIdentity({ ...GOOD, path: "made/by/others" })).not.toThrow();
  expect(() => checkIdentity({ username: "web-data", hostname: "prod", path: "/a:b@c" })).not.toThrow();
});
