import { describe, expect, test } from "vitest";
import type { Claim } from "../../volumes/claim_request.ts";
import { primeMeta } from "../../volumes/populator/population_marks.ts";
import { claimOf, RESTORES, restore } from "../testing/restore_samples.ts";
import type { ObservedClaim } from "./observe_populations.ts";
import { type ClaimMemory, fillPurpose, toFill } from "./population_memory.ts";

const FROM = { resource: RESTORES.resource, name: "again", uid: "uid-again" };

/** A claim whose prime claim was made at this minute. */
function observed(name: string, minute: number, memory: ClaimMemory = {}, claim: object = {}): ObservedClaim {
  const born = claimOf({ name, uid: `uid-${name}`, ...claim });
  const creationTimestamp = `2026-05-24T00:${String(minute).padStart(2, "0")}:00Z`;
  const prime = claimOf({ ...primeMeta(born, FROM), uid: `uid-prime-${name}`, creationTimestamp });
  return { name, claim: born, bound: undefined, prime, volume: undefined, memory };
}

const names = (claims: readonly ObservedClaim[], work: object = {}, unsourced: readonly string[] = []) =>
  toFill(restore({ status: { work } }), claims, ({ name }) => !unsourced.includes(name)).map(
    ({ name }) => name,
  );

describe("toFill()", () => {
  const six = ["f", "e", "d", "c", "b", "a"].map((name, i) => observed(name, 6 - i));

  test("gives the four oldest, so that what is remembered of them stays small", () => {
    expect(names(six)).toEqual(["a", "b", "c", "d"]);
  });

  test("goes on with what was begun, before anything older", () => {
    const [f, e, ...others] = six as [ObservedClaim, ObservedClaim, ...ObservedClaim[]];
    const pinned = { ...e, memory: { resolved: { pinnedAt: "2026-05-24T00:00:00Z" } } };
    const work = f.prime ? { [fillPurpose(f.prime)]: { attempt: 1, step: "Work", failures: 0 } } : {};
    expect(names([f, pinned, ...others], work)).toEqual(["e", "f", "a", "b"]);
  });

  test("looks at those that do not know their source, and gives none of the four places to them", () => {
    expect(names(six, {}, ["a", "b"])).toEqual(["a", "b", "c", "d", "e", "f"]);
    expect(names(six, {}, ["a", "f"])).toEqual(["a", "b", "c", "d", "e", "f"]);
    expect(names(six, {}, ["f"])).toEqual(["a", "b", "c", "d", "f"]);
  });

  test("leaves out what is filled, failed, bound, or going, and what is another claim's", () => {
    const filled = observed("filled", 1, { filled: true });
    const failed = observed("failed", 1, { failed: { edition: "1", reason: "Corrupt" } });
    const going = observed("going", 1, {}, { deletionTimestamp: "2026-05-24T00:02:00Z" });
    const bound = observed("bound", 1);
    const foreign = { ...observed("foreign", 1), prime: observed("other", 1).prime };
    const claims = [
      filled,
      failed,
      going,
      { ...bound, claim: { ...(bound.claim as Claim), spec: { volumeName: "v" } } },
      foreign,
      { ...observed("bare", 1), prime: undefined },
      observed("ready", 9),
    ];
    expect(names(claims)).toEqual(["ready"]);
  });
});
