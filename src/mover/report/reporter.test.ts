import { describe, expect, test } from "vitest";
import { VirtualClock } from "../../lib/virtual_clock.ts";
import { Reporter } from "./reporter.ts";

function reporting() {
  const clock = new VirtualClock();
  const lines: unknown[] = [];
  const reporter = new Reporter({ clock, write: (line) => lines.push(JSON.parse(line)) });
  const files = () => lines.map((line) => (line as { progress?: { files?: number } }).progress?.files);
  return { clock, lines, reporter, files };
}

const result = { version: 1, run: "r", startedAt: "", endedAt: "" };

describe("Reporter", () => {
  test("says the first progress at once, then the latest once a second", async () => {
    const { clock, reporter, files } = reporting();
    for (const n of [1, 2, 3]) reporter.progress("snapshot", { files: n });
    expect(files()).toEqual([1]);
    await clock.advance(999);
    reporter.progress("snapshot", { files: 4 });
    expect(files()).toEqual([1]);
    await clock.advance(1);
    expect(files()).toEqual([1, 4]);
    reporter.progress("snapshot", { files: 5 });
    await clock.advance(1000);
    expect(files()).toEqual([1, 4, 5]);
    await clock.advance(5000);
    reporter.progress("snapshot", { files: 6 });
    expect(files()).toEqual([1, 4, 5, 6]);
  });

  test("says a new step or source at once, and nothing of the one before", async () => {
    const { clock, lines, reporter } = reporting();
    reporter.progress("Connecting");
    reporter.progress("snapshot", {}, "a");
    reporter.progress("snapshot", { files: 1 }, "a");
    reporter.progress("snapshot", {}, "b");
    await clock.advance(5000);
    expect(lines).toEqual([
      { progress: { version: 1, step: "Connecting" } },
      { progress: { version: 1, step: "snapshot", source: "a" } },
      { progress: { version: 1, step: "snapshot", source: "b" } },
    ]);
  });

  test("says the latest figures before the result, and nothing after it", async () => {
    const { clock, lines, reporter } = reporting();
    reporter.progress("check", { files: 1 });
    reporter.progress("check", { files: 2 });
    reporter.log("info", "two\nlines");
    reporter.result(result);
    await clock.advance(5000);
    expect(lines).toEqual([
      { progress: { version: 1, step: "check", files: 1 } },
      { log: { level: "info", message: "two\nlines" } },
      { progress: { version: 1, step: "check", files: 2 } },
      { result },
    ]);
  });
});
