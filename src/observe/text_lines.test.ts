import { expect, test } from "vitest";
import { pinoLogger } from "./pino_logger.ts";

function capture() {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  return { lines, log: pinoLogger({ format: "text", level: "debug", destination }) };
}

test("a line has its time, level, message and fields, in this order", () => {
  const { lines, log } = capture();
  log.child({ controller: "backup" }).info({ key: "ns/a", tries: 2 }, "reconciled");
  log.error({}, "down");
  expect(lines).toEqual([
    expect.stringMatching(
      /^\d{4}-\d\d-\d\dT[\d:.]+Z INFO {2}reconciled controller=backup key=ns\/a tries=2\n$/,
    ),
    expect.stringMatching(/Z ERROR down\n$/),
  ]);
});

test.each([
  ["two words", '"two words"'],
  ["", '""'],
  ["a=b", '"a=b"'],
  ['say "a"', '"say \\"a\\""'],
  ["one\ntwo", '"one\\ntwo"'],
  [{ a: [1] }, '{"a":[1]}'],
  [null, "null"],
])("the value %j is written so that it ends where it ends", (value, text) => {
  const { lines, log } = capture();
  log.warn({ value, after: 1 }, "seen");
  expect(lines[0]).toContain(` value=${text} after=1\n`);
});

test("a message of several lines is one line", () => {
  const { lines, log } = capture();
  log.info({}, "first\r\n  second\nthird");
  expect(lines[0]).toContain("first second third\n");
});

test("secrets are left out", () => {
  const { lines, log } = capture();
  log.info({ token: "hush" }, "at https://u:hush@host");
  expect(lines.join("")).not.toContain("hush");
});
