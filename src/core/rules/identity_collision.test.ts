import { expect, test } from "vitest";
import { backup } from "../testing/samples.ts";
import {
  holdersAmong,
  type IdentityUser,
  identityCollision,
  possibleCollision,
} from "./identity_collision.ts";

const user = (name: string, more: Partial<IdentityUser> = {}): IdentityUser => ({
  object: backup({ metadata: { name } }),
  holders: holdersAmong({ username: "data", hostname: "billing" }, undefined),
  paths: () => [{ path: "/pvc/data", field: "sources[0]" }],
  selects: false,
  ...more,
});
const WORDS = { field: "sources", fix: "Choose another identity" };
const collision = (other: IdentityUser, one = user("one")) =>
  identityCollision({ user: one, others: [one, other] }, WORDS);

test("the same path of the same identity is taken by the other one", () => {
  expect(collision(user("two"))).toMatchObject({
    reason: "IdentityCollision",
    field: "sources[0]",
    what: "data@billing:/pvc/data is taken",
    why: expect.stringMatching(/^Backup two records the same path/),
    fix: "Choose another identity",
  });
  const found = user("one", { paths: () => [{ path: "/pvc/data" }] });
  expect(collision(user("two"), found)?.field).toBe("sources");
});

test("another path, another identity, and what goes are no collision", () => {
  expect(collision(user("two", { paths: () => [{ path: "/pvc/logs" }] }))).toBeUndefined();
  expect(collision(user("two", { holders: new Set(["data@shop"]) }))).toBeUndefined();
  const deletionTimestamp = "2026-05-24T00:00:00Z";
  const going = backup({ metadata: { name: "two", deletionTimestamp } });
  expect(collision(user("two", { object: going }))).toBeUndefined();
});

test("a selector may meet what another of the same identity records", () => {
  const users = (selects: boolean) => ({ user: user("one"), others: [user("two", { selects })] });
  expect(possibleCollision(users(true))).toMatch(/^Backup two has the same identity/);
  expect(possibleCollision(users(false))).toBeUndefined();
});
