import { describe, expect, test } from "vitest";
import { unlessAborted } from "./unless_aborted.ts";

const never = new Promise<never>(() => {});

describe("unlessAborted()", () => {
  test("passes on how the promise ends", async () => {
    const { signal } = new AbortController();
    expect(await unlessAborted(Promise.resolve(1), signal)).toBe(1);
    await expect(unlessAborted(Promise.reject(new Error("no")), signal)).rejects.toThrow("no");
    expect(await unlessAborted(Promise.resolve(2))).toBe(2);
  });

  test("ends with the signal's reason, before and while it waits", async () => {
    const reason = new Error("enough");
    await expect(unlessAborted(Promise.resolve(1), AbortSignal.abort(reason))).rejects.toBe(reason);
    const stop = new AbortController();
    const waiting = unlessAborted(never, stop.signal);
    stop.abort(reason);
    await expect(waiting).rejects.toBe(reason);
  });

  test("an aborted wait leaves no rejection behind when the promise fails later", async () => {
    const late = Promise.withResolvers<void>();
    const waiting = unlessAborted(late.promise, AbortSignal.abort(new Error("enough")));
    await expect(waiting).rejects.toThrow("enough");
    late.reject(new Error("too late"));
    await new Promise((resolve) => setImmediate(resolve));
  });
});
