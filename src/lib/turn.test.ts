import { expect, test } from "vitest";
import { nextTurn } from "./turn.ts";

test("nextTurn() comes after every settled promise, and what those start", async () => {
  const order: string[] = [];
  const turn = Promise.withResolvers<void>();
  nextTurn(() => {
    order.push("turn");
    turn.resolve();
  });
  void Promise.resolve()
    .then(() => order.push("first"))
    .then(() => order.push("second"));
  await turn.promise;
  expect(order).toEqual(["first", "second", "turn"]);
});
