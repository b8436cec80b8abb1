import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { askLine } from "./ask_line.ts";

/** Asks on a terminal where these keys are pressed. */
async function answered(keys: string | undefined, isTTY = true) {
  const input = new PassThrough();
  const output = Object.assign(new PassThrough(), { isTTY });
  const stop = new AbortController();
  const interrupt = () => stop.abort(new Error("SIGINT"));
  const answer = askLine("Do it? ", { input, output, signal: stop.signal, interrupt });
  if (keys === undefined) input.end();
  else input.write(keys);
  return answer;
}

test("a line is the answer", async () => {
  expect(await answered("yes\r")).toBe("yes");
  expect(await answered("yes\n", false)).toBe("yes");
});

test("Ctrl-D is the end of the input", async () => {
  expect(await answered("\u0004")).toBeUndefined();
  expect(await answered(undefined, false)).toBeUndefined();
});

test("Ctrl-C interrupts", async () => {
  await expect(answered("\u0003")).rejects.toThrow("aborted");
});
