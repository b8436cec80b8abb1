import { expect, test } from "vitest";
import { VirtualClock } from "../../lib/virtual_clock.ts";
import { Reporter } from "../report/reporter.ts";
import { type WorkContext, watched } from "./context.ts";

test("what several operations of one work move adds up", async () => {
  const clock = new VirtualClock();
  const lines: { readonly progress: object }[] = [];
  const reporter = new Reporter({ clock, write: (line) => void lines.push(JSON.parse(line)) });
  const { onProgress } = watched(
    { reporter, signal: new AbortController().signal } as WorkContext,
    "catalog",
  );
  for (const progress of [
    { movedBytes: 5 },
    { movedBytes: 7 },
    { movedBytes: 2 },
    { files: 1 },
    { movedBytes: 3 },
  ]) {
    await clock.advance(1000);
    onProgress(progress);
  }
  const about = { version: 1, step: "catalog" };
  expect(lines.map(({ progress }) => progress)).toEqual([
    about,
    { ...about, movedBytes: 5 },
    { ...about, movedBytes: 7 },
    { ...about, movedBytes: 9 },
    { ...about, files: 1 },
    { ...about, movedBytes: 10 },
  ]);
});
