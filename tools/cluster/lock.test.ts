import { expect, test } from "vitest";
import { lock } from "./lock.ts";

test("lock() is held by one at a time, and others are told that they wait", async () => {
  const name = `test-${process.pid}-${process.hrtime.bigint()}`;
  const order: string[] = [];
  const first = await lock(name);
  const second = lock(name, () => {
    order.push("second waits");
    order.push("first leaves");
    first[Symbol.dispose]();
  }).then((held) => {
    order.push("second holds");
    held[Symbol.dispose]();
  });
  await second;
  expect(order).toEqual(["second waits", "first leaves", "second holds"]);
});

test("lock() of another name does not wait", async () => {
  const name = `test-${process.pid}-${process.hrtime.bigint()}`;
  using _one = await lock(`${name}-a`);
  using _other = await lock(`${name}-b`, () => {
    throw new Error("waited");
  });
});
