import { expect, test } from "vitest";
import { ReportListener } from "./heard_report.ts";
import { sampleRequest, sampleResult } from "./testing/samples.ts";

const progress = (files: number, more = {}) =>
  JSON.stringify({ progress: { version: 1, step: "snapshot", files, ...more } });
const log = (message: string, level = "info") => JSON.stringify({ log: { level, message } });

function listener(...lines: readonly string[]) {
  const heard = new ReportListener(sampleRequest.id);
  for (const line of lines) heard.add(line);
  return heard;
}

test("keeps the newest progress and the last lines", () => {
  const { heard } = listener(
    progress(1),
    log("begun"),
    log("secret details", "debug"),
    progress(5),
    "a trace",
  );
  expect(heard.progress?.files).toBe(5);
  expect(heard.logTail).toEqual(["begun", "a trace"]);
  expect(heard.result).toBeUndefined();
});

test("says how bad a line is", () => {
  expect(listener(log("slow", "warn"), log("broken", "error")).heard.logTail).toEqual([
    "warn: slow",
    "error: broken",
  ]);
});

test("leaves out what was cut in the middle", () => {
  expect(listener('{"progress":{"version":1,"st').heard.logTail).toEqual([]);
});

test("takes the result of its own run alone", () => {
  const result = sampleResult();
  expect(listener(JSON.stringify({ result: { ...result, run: "other" } })).heard.result).toBeUndefined();
  expect(listener(JSON.stringify({ result })).heard.result).toEqual(result);
});

test("does not go back when lines come again", () => {
  const heard = listener(log("one"), progress(5), log("two"));
  heard.rewind();
  for (const line of [log("one"), progress(3), log("two"), log("three")]) heard.add(line);
  expect(heard.heard.progress?.files).toBe(5);
  expect(heard.heard.logTail).toEqual(["one", "two", "three"]);
});

test("does not go back to less that was moved", () => {
  const { heard } = listener(progress(0, { movedBytes: 9 }), progress(0, { movedBytes: 3 }));
  expect(heard.progress).toMatchObject({ movedBytes: 9 });
});

test("begins anew with a new step or source", () => {
  const { heard } = listener(progress(5, { source: "a" }), progress(1, { source: "b" }));
  expect(heard.progress).toMatchObject({ files: 1, source: "b" });
});

test("does not go back to connecting or prepared when lines come again", () => {
  const at = (step: string) => JSON.stringify({ progress: { version: 1, step } });
  const { heard } = listener(at("Connecting"), at("Prepared"), at("Connecting"));
  expect(heard.progress?.step).toBe("Prepared");
  const working = listener(at("Prepared"), at("snapshot"), at("Connecting"), at("Prepared"));
  expect(working.heard.progress?.step).toBe("snapshot");
});
