import { expect, test } from "vitest";
import { AHEAD, whyPassedOver } from "./passed_over.ts";

const NOW = Date.parse("2026-05-10T00:00:00Z");
const ahead = (ms: number) => new Date(NOW + ms).toISOString();

test.each<
  [what: string, candidate: Parameters<typeof whyPassedOver>[0], asOf: string | undefined, why: string]
>([
  ["that is whole, and of the past", { startedAt: ahead(-1) }, undefined, ""],
  ["by a clock that is a little ahead", { startedAt: ahead(AHEAD) }, undefined, ""],
  [
    "from the future",
    { startedAt: ahead(AHEAD + 1) },
    undefined,
    "it is from the future (2026-05-10T00:05:00.001Z)",
  ],
  ["from the future, for a time that was asked for", { startedAt: ahead(AHEAD + 1) }, ahead(2 * AHEAD), ""],
  [
    "of a time that nobody can read",
    { startedAt: "yesterday" },
    undefined,
    "it is from the future (yesterday)",
  ],
  [
    "that is not whole",
    { startedAt: ahead(-1), incomplete: "cancelled" },
    ahead(0),
    "it is incomplete: cancelled",
  ],
])("whyPassedOver() of one %s", (_, candidate, asOf, why) => {
  const said = whyPassedOver(candidate, { asOf, now: NOW });
  if (why === "") expect(said).toBeUndefined();
  else expect(said).toContain(why);
});
