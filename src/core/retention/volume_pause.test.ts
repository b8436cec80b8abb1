import { expect, test } from "vitest";
import { type EndedBackup, volumePause, volumePauseText } from "./volume_pause.ts";

const backup = (at: number, bytes: number, more: Partial<EndedBackup> = {}): EndedBackup => ({
  name: `b${at}`,
  at,
  succeeded: true,
  bytes,
  acknowledged: false,
  ...more,
});
const usual = [backup(1, 1000), backup(2, 1100)];
const failed = [3, 4, 5].map((at) => backup(at, 0, { succeeded: false }));

test.each([
  ["nothing is known", [], undefined],
  ["sizes are as usual", [...usual, backup(3, 900)], undefined],
  ["the source is nearly empty", [...usual, backup(3, 10)], "SourceShrank"],
  ["it stays so", [...usual, backup(3, 10), backup(4, 10)], "SourceShrank"],
  [
    "somebody has acknowledged it",
    [...usual, backup(3, 10, { acknowledged: true }), backup(4, 10)],
    undefined,
  ],
  [
    "it shrank again since",
    [...usual, backup(3, 500, { acknowledged: true }), backup(4, 10)],
    "SourceShrank",
  ],
  ["it has its size again", [...usual, backup(3, 10), backup(4, 1000)], undefined],
  ["two backups failed", [...usual, ...failed.slice(1)], undefined],
  ["three did", [...usual, ...failed], "RepeatedFailures"],
  ["one succeeded since", [...usual, ...failed, backup(6, 1000)], undefined],
])("volumePause() where %s", (_, backups, reason) => {
  expect(volumePause(backups)?.reason).toBe(reason);
});

test("volumePauseText() names the way to acknowledge that the source shrank", () => {
  const words = { kind: "ResticBackup", annotation: "example.com/acknowledge-shrink" };
  const shrank = volumePause([...usual, backup(3, 10)]);
  expect(shrank && volumePauseText(shrank, words)).toEqual({
    reason: "SourceShrank",
    message: expect.stringMatching(
      /^Retention deletes no good backup: the source shrank to 10 bytes in b3.* To acknowledge it, annotate ResticBackup b3 with example.com\/acknowledge-shrink: "true"\.$/,
    ),
  });
  const fails = volumePause([...usual, ...failed]);
  expect(fails && volumePauseText(fails, words).message).not.toContain("acknowledge-shrink");
});
