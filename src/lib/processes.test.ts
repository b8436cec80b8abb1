import { describe, expect, test } from "vitest";
import { systemProcesses as processes } from "./processes.ts";

const shell = (script: string, options: Parameters<typeof processes.run>[2] = {}) =>
  processes.run("sh", ["-c", script], options);

/** Aborts once the program has had the time to begin. */
const soon = () => AbortSignal.timeout(200);

describe("systemProcesses.run()", () => {
  test("gives what a program printed and how it ended", async () => {
    const finished = await shell("cat; echo no >&2; exit 3", { stdin: "yes" });
    expect(finished).toEqual({ code: 3, signal: null, stdout: Buffer.from("yes"), stderr: "no\n" });
  });

  test("rejects when it cannot be started, when it was aborted before, and on too much output", async () => {
    await expect(processes.run("/nonexistent/program", [])).rejects.toThrow("could not be started");
    const reason = new Error("never mind");
    await expect(shell("exit 0", { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    await expect(shell("echo 12345", { maxOutput: 4 })).rejects.toThrow("wrote more than 4 bytes");
  });

  test("rejects with the signal's reason once the program has ended", async () => {
    await expect(shell("exec sleep 20", { signal: soon() })).rejects.toMatchObject({ name: "TimeoutError" });
  });

  test("kills a program that does not end when asked", async () => {
    const stubborn = shell("trap '' TERM; while :; do sleep 0.05; done", { signal: soon(), grace: 100 });
    await expect(stubborn).rejects.toMatchObject({ name: "TimeoutError" });
  });

  test.each([
    [
      "an aborted program that is asked to end",
      "sleep 10 & wait",
      () => ({ signal: soon() }),
      "aborted due to timeout",
    ],
    ["a program that has ended", "sleep 10 & exit 0", () => ({ signal: soon() }), "aborted due to timeout"],
    [
      "a program that wrote too much",
      "sleep 10 & echo 12345; wait",
      () => ({ maxOutput: 4 }),
      "more than 4 bytes",
    ],
  ])("does not wait for what %s has left behind", async (_, script, options, why) => {
    const begun = performance.now();
    await expect(shell(script, options())).rejects.toThrow(why);
    expect(performance.now() - begun).toBeLessThan(8_000);
  });
});
