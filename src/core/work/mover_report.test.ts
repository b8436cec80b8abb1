import { describe, expect, test } from "vitest";
import { parseLine, parseTermination } from "./mover_report.ts";
import { failureOfClass, sampleResult } from "./testing/samples.ts";

describe("parseLine()", () => {
  test("knows progress, logs and results", () => {
    const progress = { version: 1, step: "snapshot", files: 3 };
    const log = { level: "info", message: "hello" };
    const result = sampleResult();
    expect(parseLine(JSON.stringify({ progress }))).toEqual({ progress });
    expect(parseLine(JSON.stringify({ log }))).toEqual({ log });
    expect(parseLine(JSON.stringify({ result }))).toEqual({ result });
  });

  test.each([
    "",
    "plain words",
    "{broken",
    "[1]",
    "null",
    '{"other":1}',
    '{"progress":{"version":1}}',
    '{"progress":{"version":99,"step":"snapshot"}}',
    '{"result":{"version":1}}',
    JSON.stringify({ result: sampleResult({ version: 2 }) }),
    JSON.stringify({ result: sampleResult({ version: 0 }) }),
  ])("takes %s for text", (line) => {
    expect(parseLine(line)).toEqual({ text: line });
  });

  test("knows to whom all belongs that could not be read, where that is one", () => {
    const read = (owner: unknown) =>
      parseLine(
        JSON.stringify({ result: { ...sampleResult(), failure: { class: "SourceUnreadable", owner } } }),
      );
    const owner = { uid: 1000, gid: 2000 };
    expect(read(owner)).toMatchObject({ result: { failure: { owner } } });
    for (const other of [
      undefined,
      1000,
      { uid: 1000 },
      { uid: "1000", gid: "2000" },
      { uid: -1, gid: 0 },
      { uid: 0, gid: 2 ** 32 },
    ])
      expect(read(other)).not.toHaveProperty("result.failure.owner");
  });

  test("takes a class that it does not know for a failure of the engine", () => {
    const failure = { class: "FromTheFuture", message: "m", remedy: "r" };
    expect(parseLine(JSON.stringify({ result: { ...sampleResult(), failure } }))).toMatchObject({
      result: { failure: { class: "EngineFailed", message: "m", remedy: "r" } },
    });
    expect(parseLine(JSON.stringify({ result: { ...sampleResult(), failure: 7 } }))).toMatchObject({
      result: { failure: { class: "EngineFailed", message: "the mover failed and gave no reason" } },
    });
  });
});

describe("parseTermination()", () => {
  test("reads the result, whole", () => {
    const result = sampleResult({ failure: failureOfClass("Full"), shortened: true });
    expect(parseTermination(JSON.stringify(result))).toEqual(result);
  });

  test("finds it in the end of a log", () => {
    const result = sampleResult();
    const log = `ds"}}\n{"log":{"level":"info","message":"m"}}\n${JSON.stringify({ result })}\n`;
    expect(parseTermination(log)).toEqual(result);
  });

  test.each([undefined, "", "Error: boom\n    at x.js:1", '{"version":1'])("finds none in %s", (message) => {
    expect(parseTermination(message)).toBeUndefined();
  });
});
