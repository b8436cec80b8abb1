import { expect, test } from "vitest";
import { failureLosses, lossKind, mergedLosses } from "./restore_losses.ts";

test.each([
  ["lchown /t/a: operation not permitted", "Owner"],
  ["xattr.LSet /t/a security.capability: operation not permitted", "FileCapability"],
  ["xattr.LSet /t/a system.posix_acl_access: operation not supported", "Acl"],
  ["xattr.LSet /t/a user.x: operation not supported", "ExtendedAttribute"],
  ["mknod /t/null: operation not permitted", "Device"],
  ["open /t/a: no space left on device", undefined],
])("%s costs %s", (why, kind) => {
  expect(lossKind({ item: "/a", why })).toBe(kind);
});

test.each(["/xattr/lchown", "/mknod"])(
  "what cannot be written costs its content, also when it is called %s",
  (item) => {
    expect(lossKind({ item, why: `open /t${item}: input/output error` })).toBeUndefined();
  },
);

test("failures are counted by what they cost, with a few examples", () => {
  const failures = Array.from({ length: 7 }, (_, i) => ({ item: `/f${i}`, why: "lchown: no" }));
  const [loss, ...others] = failureLosses(failures);
  expect(loss).toMatchObject({ kind: "Owner", count: 7, examples: ["/f0", "/f1", "/f2", "/f3", "/f4"] });
  expect(others).toEqual([]);
});

test("of two counts of one kind the first holds", () => {
  const loss = (count: number) => ({ kind: "Owner", count, examples: [], reason: "" }) as const;
  expect(mergedLosses([loss(2)], [loss(5)])).toEqual([loss(2)]);
});
