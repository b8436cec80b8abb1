import { expect, test } from "vitest";
import type { Backup } from "../../kinds/kopiur/generated/backup.ts";
import { VirtualClock } from "../../lib/virtual_clock.ts";
import { Screen } from "../screen.ts";
import { native } from "../testing/cli_samples.ts";
import { showProgress } from "./show_progress.ts";

const GIB = 2 ** 30;
const running = (bytes: number) =>
  native<Backup>("Backup", "b", {
    status: {
      phase: "Running",
      progress: { hashedBytes: bytes, files: 1_234_567, estimatedBytes: 100 * GIB, secondsRemaining: 34_200 },
    },
  });

/** What is written when a backup is shown every five seconds, doing 1 GiB in each. */
async function written(output: { readonly isTTY?: boolean; readonly columns?: number }, seconds: number) {
  const clock = new VirtualClock();
  const parts: string[] = [];
  const progress = new Screen({ ...output, write: (text) => parts.push(String(text)) }, clock);
  const show = showProgress<Backup>({ progress, clock }, ({ status }) => status?.progress);
  for (let at = 0; at <= seconds; at += 5) {
    show(running((at / 5) * GIB));
    await clock.advance(5_000);
  }
  return parts;
}

test("on a terminal a bar is written over, and is never wider than that", async () => {
  const [stand, first, wipe, second] = await written({ isTTY: true, columns: 100 }, 5);
  expect([stand, wipe]).toEqual(["Running\n", "\r\u001b[2K"]);
  expect(first).toMatch(/^ {2}░{30} {3}0 % 0 B in 1234567 files of 100\.0 GiB, 9h30m left$/);
  expect(second).toMatch(
    /^ {2}░+ {3}1 % 1\.0 GiB in 1234567 files of 100\.0 GiB, 204\.8 MiB\/s, 9h30m left$/,
  );
  expect(second).toHaveLength(99);
});

test("on a narrow terminal what it says stays, and the bar makes room", async () => {
  const parts = await written({ isTTY: true, columns: 80 }, 20);
  const shown = parts.filter((part) => part.startsWith("  "));
  expect(shown).toHaveLength(5);
  for (const line of shown) {
    expect(line.length).toBeLessThan(80);
    expect(line).toMatch(/9h30m left$/);
  }
});

test("elsewhere it is a plain line every half a minute", async () => {
  const parts = await written({}, 65);
  expect(parts).toEqual([
    "Running\n",
    expect.stringMatching(/^ {2}6 % 6\.0 GiB in 1234567 files of 100\.0 GiB, 204\.8 MiB\/s, 9h30m left\n$/),
    expect.stringMatching(/^ {2}12 % 12\.0 GiB in .* left\n$/),
  ]);
});
