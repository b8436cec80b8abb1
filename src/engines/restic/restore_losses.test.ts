import { expect, test } from "vitest";
import type { Loss } from "../../wire/snapshot.ts";
import { withoutItem } from "./output_line.ts";
import { Failures, lossKind, mergedLosses, withLossesOf } from "./restore_losses.ts";

test.each([
  ["lchown /t/a: operation not permitted", "Owner"],
  ["xattr.LSet /t/a security.capability: operation not permitted", "FileCapability"],
  ["xattr.LSet /t/a system.posix_acl_access: operation not supported", "Acl"],
  ["xattr.LSet /t/a user.x: operation not supported", "ExtendedAttribute"],
  ["mknod /t/null: operation not permitted", "Device"],
  ["open /t/a: no space left on device", undefined],
])("%s costs %s", (why, kind) => {
  expect(lossKind(withoutItem(why, "/a"))).toBe(kind);
});

test.each(["/xattr/lchown", "/mknod"])(
  "what cannot be written costs its content, also when it is called %s",
  (item) => {
    expect(lossKind(withoutItem(`open /t${item}: input/output error`, item))).toBeUndefined();
  },
);

test("failures are counted by what they cost, with a few examples", () => {
  const failures = new Failures();
  for (let i = 0; i < 7; i++) failures.add({ item: `/f${i}`, why: "lchown: no" });
  const [loss, ...others] = failures.losses;
  expect(loss).toMatchObject({ kind: "Owner", count: 7, examples: ["/f0", "/f1", "/f2", "/f3", "/f4"] });
  expect(others).toEqual([]);
});

test("of many failures the first are told, and one with any other reason", () => {
  const failures = new Failures();
  for (let i = 0; i < 2000; i++) failures.add({ item: `/f${i}`, why: `open /t/f${i}: input/output error` });
  failures.add({ item: "/last", why: "write /t/last: no space left on device" });
  expect(failures.count).toBe(2001);
  expect(failures.told.map(({ item }) => item)).toEqual(["/f0", "/f1", "/f2", "/f3", "/f4", "/last"]);
});

test("reasons that are all different are told up to a number", () => {
  const failures = new Failures();
  for (let i = 0; i < 100; i++) failures.add({ item: "/f", why: `open /t/f: error ${i}` });
  expect(failures.told).toHaveLength(20);
  expect(failures.count).toBe(100);
});

test("of two counts of one kind the first holds", () => {
  const loss = (count: number) => ({ kind: "Owner", count, examples: [], reason: "" }) as const;
  expect(mergedLosses([loss(2)], [loss(5)])).toEqual([loss(2)]);
});

test("losses of the restored folder itself are added to those in it, unless all were counted before", () => {
  const loss = (kind: Loss["kind"], count: number): Loss => ({ kind, count, examples: [], reason: "" });
  const root = [loss("Time", 1), loss("Acl", 1), loss("Mode", 1)];
  const before = [loss("Acl", 4)];
  expect(withLossesOf(root, [...before, loss("Time", 2)], before)).toEqual([
    loss("Acl", 4),
    loss("Time", 3),
    loss("Mode", 1),
  ]);
});
