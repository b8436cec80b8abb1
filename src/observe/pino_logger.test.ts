import { mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type LogLevel, pinoLogger, recovering } from "./pino_logger.ts";

function capture(level?: LogLevel) {
  const lines: Record<string, unknown>[] = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
  return { lines, log: pinoLogger(level ? { level, destination } : { destination }) };
}

test("a line has its level, time, fields and message, and nothing more", () => {
  const { lines, log } = capture();
  log.info({ key: "ns/a" }, "reconciled");
  expect(lines).toEqual([
    {
      level: "info",
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      key: "ns/a",
      msg: "reconciled",
    },
  ]);
});

test("a child adds its fields to each line", () => {
  const { lines, log } = capture();
  log.child({ controller: "mirror" }).child({ key: "ns/a" }).warn({ reason: "Down" }, "failed");
  expect(lines[0]).toMatchObject({
    level: "warn",
    controller: "mirror",
    key: "ns/a",
    reason: "Down",
    msg: "failed",
  });
});

test("lines below the level are not written", () => {
  const { lines, log } = capture("warn");
  log.debug({}, "a");
  log.info({}, "b");
  log.error({}, "c");
  expect(lines.map((line) => line.msg)).toEqual(["c"]);
});

test("secrets are left out of fields, children and messages", () => {
  const { lines, log } = capture();
  log.child({ token: "hush" }).info({ env: { PASSWORD: "hush" } }, "at https://u:hush@host");
  expect(JSON.stringify(lines)).not.toContain("hush");
  expect(lines[0]).toMatchObject({ token: "[redacted]", env: { PASSWORD: "[redacted]" } });
});

test("somebody else gets each line as JSON, however it is shown, without secrets", () => {
  const shown: string[] = [];
  const told: string[] = [];
  const destination = { write: (line: string) => void shown.push(line) };
  const log = pinoLogger({ format: "text", destination, alsoTo: (line) => void told.push(line) });
  log.debug({}, "a");
  log.info({ token: "hush" }, "b");
  expect(shown).toEqual([expect.stringContaining("INFO  b token=[redacted]")]);
  expect(told.map((line) => JSON.parse(line))).toMatchObject([
    { level: "info", msg: "b", token: "[redacted]" },
  ]);
});

// Only Linux has a file that is always full.
const isLinux = process.platform === "linux";

test.runIf(isLinux)("after a full disk the log goes on, with what fitted into the wait", () => {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-log-"));
  const file = join(folder, "log");
  try {
    const stream = recovering("/dev/full");
    const log = pinoLogger({ destination: stream });
    // More than what may wait, in lines that leave no room for another.
    for (let line = 0; line < 40; line++) log.info({ line }, "x".repeat(2 ** 15));
    Object.assign(stream, { fd: openSync(file, "a") });
    for (const line of ["lost", "next", "last"]) log.info({ line }, "x".repeat(2 ** 15));
    stream.destroy();
    const written = readFileSync(file, "utf8").trimEnd().split("\n");
    const lines = written.map((text) => JSON.parse(text).line);
    expect(lines.slice(0, 2)).toEqual([0, 1]);
    expect(lines.slice(-2)).toEqual(["next", "last"]);
    expect(lines.length).toBeGreaterThan(30);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test.runIf(isLinux)("on a full disk nobody fails for their log", () => {
  const told: string[] = [];
  const log = pinoLogger({ destination: recovering("/dev/full"), alsoTo: (line) => void told.push(line) });
  log.error({}, "a");
  log.child({ key: "ns/a" }).error({}, "b");
  expect(told.map((line) => JSON.parse(line).msg)).toEqual(["a", "b"]);
});
