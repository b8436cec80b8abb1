import { expect, test } from "vitest";
import { aborted } from "./aborted.ts";

test("it resolves when the signal aborts, or has aborted already", async () => {
  await aborted(AbortSignal.abort());
  const stop = new AbortController();
  let over = false;
  const end = aborted(stop.signal).then(() => {
    over = true;
  });
  await Promise.resolve();
  expect(over).toBe(false);
  stop.abort(new Error("enough"));
  await end;
  expect(over).toBe(true);
});
