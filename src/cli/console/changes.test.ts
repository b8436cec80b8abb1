import { expect, test } from "vitest";
import { VirtualClock } from "../../lib/virtual_clock.ts";
import { changes } from "./changes.ts";
import type { OnChange } from "./live_objects.ts";

async function told(looksAt: string | undefined, followed: string | undefined): Promise<string> {
  const clock = new VirtualClock();
  const handlers = new Set<OnChange>();
  const live = {
    onChange: (handler: OnChange) => {
      handlers.add(handler);
      return () => void handlers.delete(handler);
    },
  };
  const gone = new AbortController();
  const said: string[] = [];
  const stream = changes({ live, clock, namespace: looksAt, signal: gone.signal });
  const read = (async () => {
    for await (const text of stream) said.push(text);
  })();
  await clock.advance(1);
  for (const handler of handlers) handler("Backup", followed);
  await clock.advance(1_000);
  gone.abort();
  await read;
  return said.join("");
}

test.each([
  ["of all, where all are followed", undefined, undefined, true],
  ["of all, where a page was opened in one", undefined, "away", true],
  ["of one, where it is followed", "away", "away", true],
  ["of one, where all are followed", "away", undefined, true],
  ["of one, where another is followed", "away", "home", false],
])("a page hears of changes %s", async (_, looksAt, followed, hears) => {
  expect((await told(looksAt, followed)).includes('{"kinds":["Backup"]}')).toBe(hears);
});
