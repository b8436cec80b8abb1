import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A folder that is gone when the test is over. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "launch-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Writes an executable shell script. */
export async function writeScript(path: string, body: string): Promise<void> {
  await writeFile(path, `#!/bin/sh\n${body}\n`);
  await chmod(path, 0o755);
}

/** A progress that remembers what it was told. */
export function recordedProgress() {
  const lines: string[] = [];
  return {
    lines,
    say: (line: string) => void lines.push(line),
    step: <T>(label: string, work: () => Promise<T>): Promise<T> => {
      lines.push(label);
      return work();
    },
  };
}

/** A signal that nobody aborts. */
export const calm = new AbortController().signal;
