import { expect, test } from "vitest";
import { together } from "./together.ts";

const untilAborted = (signal: AbortSignal) =>
  new Promise<never>((_, reject) =>
    signal.addEventListener("abort", () => reject(new Error("aborted")), { once: true }),
  );

test("together() aborts the other, waits for it, and throws the first failure", async () => {
  let ended = false;
  const other = (signal: AbortSignal) => untilAborted(signal).finally(() => (ended = true));
  await expect(together(undefined, other, () => Promise.reject(new Error("first")))).rejects.toThrow("first");
  expect(ended).toBe(true);
});

test("together() passes an abort on", async () => {
  const controller = new AbortController();
  const done = together(controller.signal, untilAborted, untilAborted);
  controller.abort();
  await expect(done).rejects.toThrow("aborted");
});
