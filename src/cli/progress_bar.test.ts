import { describe, expect, test } from "vitest";
import { progressBar } from "./progress_bar.ts";

describe("progressBar", () => {
  test("shows the share where the end is known", () => {
    expect(progressBar({ bytes: 2 ** 20, estimatedBytes: 2 ** 21, files: 3 })).toBe(
      `${"█".repeat(15)}${"░".repeat(15)}  50 % 1.0 MiB in 3 files of 2.0 MiB`,
    );
  });

  test("counts what was hashed and what was cached, and never shows more than all", () => {
    const text = progressBar({ hashedBytes: 2 ** 20, cachedBytes: 2 ** 20, estimatedBytes: 2 ** 20 });
    expect(text).toContain("100 % 2.0 MiB of 1.0 MiB");
  });

  test("says how fast it goes, and how long it takes: in the engine's words, or by that pace", () => {
    const progress = { bytes: 2 ** 20, estimatedBytes: 2 ** 21 };
    expect(progressBar(progress, { perSecond: 2 ** 19 })).toMatch(/of 2\.0 MiB, 512\.0 KiB\/s, 2s left$/);
    expect(progressBar({ ...progress, secondsRemaining: 90 }, { perSecond: 2 ** 19 })).toMatch(/1m30s left$/);
    expect(progressBar({ bytes: 2 ** 20 }, { perSecond: 2 ** 19 })).toBe("1.0 MiB, 512.0 KiB/s");
  });

  test("makes the bar as wide as there is room, or leaves it out", () => {
    const progress = { bytes: 2 ** 20, estimatedBytes: 2 ** 21 };
    const text = " 50 % 1.0 MiB of 2.0 MiB";
    expect(progressBar(progress, { room: text.length + 11 })).toBe(
      `${"█".repeat(5)}${"░".repeat(5)} ${text}`,
    );
    expect(progressBar(progress, { room: text.length + 5 })).toBe(text.trimStart());
    expect(progressBar(progress, { room: 0 })).toBe(text.trimStart());
  });

  test("shows what was done where the end is not known", () => {
    expect(progressBar({ files: 0 })).toBe("0 B in 0 files");
  });
});
