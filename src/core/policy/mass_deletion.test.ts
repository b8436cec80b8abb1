import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Deletion, decideMassDeletion, MASS_DELETION } from "./mass_deletion.ts";

const SECOND = 1000;
const T = Date.UTC(2026, 4, 24);
const LATER = T + 3600 * SECOND;
const settings = { most: 3, window: 60 * SECOND, pause: 10 * SECOND };

const deletion = (seconds: number, more: Partial<Deletion> = {}): Deletion => ({
  id: `b${seconds}`,
  requestedAt: T + seconds * SECOND,
  seenAt: T + seconds * SECOND,
  ...more,
});
const decide = (deletions: readonly Deletion[], acknowledged?: string, now = LATER) =>
  decideMassDeletion({ deletions, acknowledged, now, settings });

describe("decideMassDeletion()", () => {
  test("few are carried out", () => {
    expect(decide([deletion(0), deletion(1), deletion(2)])).toEqual({ release: ["b0", "b1", "b2"] });
    expect(decide([])).toEqual({ release: [] });
  });

  test("one too many, and all of them are held", () => {
    const decision = decide([deletion(0), deletion(1), deletion(2), deletion(3)]);
    expect(decision).toEqual({
      release: [],
      held: {
        ids: ["b0", "b1", "b2", "b3"],
        token: "2026-05-24T00:00:03.000Z",
        message:
          "4 deletions are held, because more than 3 were asked for within 60 seconds: if they are meant, acknowledge 2026-05-24T00:00:03.000Z; if not, keep their snapshots by their deletion policy before they are let go",
      },
    });
  });

  test("spread over a longer time they are not too many", () => {
    expect(decide([0, 21, 42, 63, 84, 105].map((at) => deletion(at))).held).toBeUndefined();
  });

  test("those apart from the crowd go on", () => {
    const deletions = [0, 500, 501, 502, 503, 900].map((at) => deletion(at));
    expect(decide(deletions)).toMatchObject({
      release: ["b0", "b900"],
      held: { ids: ["b500", "b501", "b502", "b503"] },
    });
  });

  test("those that were carried out count", () => {
    const done = [0, 1, 2].map((at) => deletion(at, { done: true }));
    expect(decide([...done, deletion(3)]).held?.ids).toEqual(["b3"]);
    expect(decide(done)).toEqual({ release: [] });
  });

  test("each waits a little, so that a crowd shows before its first is carried out", () => {
    const first = decide([deletion(0)], undefined, T);
    expect(first).toEqual({ release: [], wakeAt: T + 10 * SECOND });
    expect(decide([deletion(0)], undefined, T + 10 * SECOND)).toEqual({ release: ["b0"] });
    const crowd = [0, 0, 0, 0].map((at, i) => deletion(at, { id: `b${i}` }));
    expect(decide(crowd, undefined, T + 1)).toMatchObject({
      release: [],
      held: { ids: ["b0", "b1", "b2", "b3"] },
    });
  });

  test("a clock that was set back does not make it wait for hours", () => {
    const now = T - 5 * 3600 * SECOND;
    expect(decide([deletion(0)], undefined, now).wakeAt).toBe(now + 10 * SECOND);
  });

  test("an acknowledgement lets go of all that was held, at once, and of nothing later", () => {
    const crowd = [0, 1, 2, 3].map((at) => deletion(at));
    const token = decide(crowd).held?.token;
    expect(decide(crowd, token, T + 4 * SECOND)).toEqual({ release: ["b0", "b1", "b2", "b3"] });
    const more = [10, 11, 12, 13].map((at) => deletion(at));
    expect(decide([...crowd, ...more], token)).toMatchObject({
      release: ["b0", "b1", "b2", "b3"],
      held: { ids: ["b10", "b11", "b12", "b13"], token: "2026-05-24T00:00:13.000Z" },
    });
    expect(decide([...crowd, deletion(10)], token).held).toBeUndefined();
  });

  test("and still does after a restart, when some are gone", () => {
    expect(decide([deletion(2), deletion(3)], "2026-05-24T00:00:03.000Z").release).toEqual(["b2", "b3"]);
  });

  test("anything else acknowledges nothing", () => {
    const crowd = [0, 1, 2, 3].map((at) => deletion(at));
    for (const word of ["", "yes", "2026-05-23T23:59:59.000Z"]) {
      expect(decide(crowd, word).held?.ids).toHaveLength(4);
    }
  });

  test("is never past more than the usual number within any window, unless acknowledged", () => {
    const requested = fc.array(fc.nat(3600), { maxLength: 80 });
    fc.assert(
      fc.property(requested, (seconds) => {
        const deletions = seconds.map((at, i) => deletion(at, { id: `b${i}` }));
        const { release, held } = decideMassDeletion({ deletions, now: LATER + MASS_DELETION.pause });
        const free = deletions.filter(({ id }) => release.includes(id)).map(({ requestedAt }) => requestedAt);
        for (const start of free) {
          const within = free.filter((at) => at >= start && at - start <= MASS_DELETION.window);
          expect(within.length).toBeLessThanOrEqual(MASS_DELETION.most);
        }
        expect(release.length + (held?.ids.length ?? 0)).toBe(deletions.length);
      }),
    );
  });
});
