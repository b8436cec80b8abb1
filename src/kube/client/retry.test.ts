import { expect, test } from "vitest";
import { HttpFailure } from "../../lib/http.ts";
import { seededRandom } from "../../lib/random.ts";
import { VirtualClock } from "../../lib/virtual_clock.ts";
import { withRetries } from "./retry.ts";

test("a server that does not answer is given up after as long as somebody waits for it", async () => {
  const clock = new VirtualClock(0);
  const failure = new HttpFailure("refused", { code: "ECONNREFUSED", sent: false });
  const { signal } = new AbortController();
  const options = { clock, random: seededRandom(1), signal, isRead: true, patience: 2_000 };
  const ended = withRetries(() => Promise.reject(failure), options).catch((error: unknown) => error);
  await clock.advance(2_000);
  expect(await ended).toBe(failure);
});
