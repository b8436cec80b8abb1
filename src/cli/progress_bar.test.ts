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

  test("shows what was done where the end is not known", () => {
    expect(progressBar({ files: 0 })).toBe("0 B in 0 files");
  });
});
