import { expect, test } from "vitest";
import { logText } from "./log_text.ts";

const times = { startedAt: "2026-01-01T00:00:00Z", endedAt: "2026-01-01T00:00:09Z" };

test.each<[what: string, line: unknown, text: object]>([
  ["a remark", { log: { level: "info", message: "hello" } }, { line: "hello" }],
  ["a warning", { log: { level: "warn", message: "hm" } }, { line: "warn: hm" }],
  ["progress", { progress: { version: 1, step: "snapshot", bytes: 10 } }, { progress: "snapshot 10 B" }],
  [
    "success",
    { result: { version: 1, run: "r", ...times } },
    { line: `done: from ${times.startedAt} to ${times.endedAt}` },
  ],
  [
    "failure",
    {
      result: {
        version: 1,
        run: "r",
        ...times,
        failure: { class: "Full", message: "no room", retry: "structural", remedy: "", detail: "ENOSPC" },
      },
    },
    { line: "failed (Full): no room\nENOSPC" },
  ],
])("%s is put into words", (_, line, text) => {
  expect(logText(JSON.stringify(line))).toEqual(text);
});

test("whatever else a mover says is shown as it is", () => {
  expect(logText("Error: boom")).toEqual({ line: "Error: boom" });
});
