import { expect, test } from "vitest";
import { VirtualClock } from "../../lib/virtual_clock.ts";
import { Screen } from "../screen.ts";
import { elapsed } from "./elapsed.ts";

test("each second is shown, and nothing is left of it at the end", async () => {
  const clock = new VirtualClock(0);
  const written: string[] = [];
  const progress = new Screen(
    { isTTY: true, columns: 80, write: (text) => written.push(String(text)) },
    clock,
  );
  const end = elapsed({ progress, clock }, "check");
  await clock.advance(2_000);
  expect(written.filter((text) => text.includes("check"))).toEqual(["  check: 1 s", "  check: 2 s"]);
  end();
  expect(written.at(-1)).toBe("\r\u001b[2K");
  await clock.advance(5_000);
  expect(written.filter((text) => text.includes("check"))).toHaveLength(2);
});
