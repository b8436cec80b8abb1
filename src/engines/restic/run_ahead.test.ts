import { expect, test } from "vitest";
import { VirtualClock } from "../../lib/virtual_clock.ts";
import { parseSurvey } from "../fidelity/survey.ts";
import type { Remains } from "./remains.ts";
import { runAhead } from "./run_ahead.ts";

const ROOT = { uid: 0, gid: 0 };
const APP = { uid: 1000, gid: 1000 };

function remains(files: number, ...owners: readonly object[]): Remains {
  return { survey: parseSurvey({ files, owners }), fidelity: "Full", text: "t", losses: [] };
}

/** A backup whose first run waits until it is sure, and what was run with the remains of how many files. */
function scene({ canWait = true }: { readonly canWait?: boolean } = {}) {
  const clock = new VirtualClock();
  const likely = Promise.withResolvers<Remains | undefined>();
  const all = Promise.withResolvers<Remains>();
  all.promise.catch(() => {});
  const runs: string[] = [];
  const working = runAhead({ likely: likely.promise, all: all.promise }, clock, {
    canWait,
    first: async ({ survey }, sure) => {
      runs.push(`first: ${survey.files}`);
      try {
        await sure;
      } catch (error) {
        runs.push("ended");
        throw error;
      }
      return "made at first";
    },
    anew: async ({ survey }) => {
      runs.push(`anew: ${survey.files}`);
      return "made anew";
    },
  });
  working.catch(() => {});
  return { clock, likely, all, runs, working };
}

test("what is begun with the likely remains goes on when all say the same of the source", async () => {
  const { clock, likely, all, runs, working } = scene();
  likely.resolve(remains(1, APP, ROOT));
  await clock.advance(0);
  expect(runs).toEqual(["first: 1"]);
  // How many files an owner has is no matter.
  all.resolve(remains(9, ROOT, APP));
  expect(await working).toMatchObject({ result: "made at first", remains: { survey: { files: 9 } } });
  expect(runs).toEqual(["first: 1"]);
});

test("it ends, and then another is begun, when they say something else", async () => {
  const { clock, likely, all, runs, working } = scene();
  likely.resolve(remains(1, APP));
  await clock.advance(0);
  all.resolve(remains(9, APP, ROOT));
  expect(await working).toMatchObject({ result: "made anew", remains: { survey: { files: 9 } } });
  expect(runs).toEqual(["first: 1", "ended", "anew: 9"]);
});

test("it is ended, too, when they take too long: it holds a lock", async () => {
  const { clock, likely, all, runs, working } = scene();
  likely.resolve(remains(1, APP));
  await clock.advance(9999);
  expect(runs).toEqual(["first: 1"]);
  await clock.advance(1);
  expect(runs).toEqual(["first: 1", "ended"]);
  all.resolve(remains(9, APP));
  expect(await working).toMatchObject({ result: "made anew" });
});

test("nothing is begun ahead where it could not wait, or all is known by then", async () => {
  const unable = scene({ canWait: false });
  unable.likely.resolve(remains(1, APP));
  await unable.clock.advance(0);
  expect(unable.runs).toEqual([]);
  unable.all.resolve(remains(9, APP));
  expect(await unable.working).toMatchObject({ result: "made at first" });
  expect(unable.runs).toEqual(["first: 9"]);

  const known = scene();
  known.all.resolve(remains(9, APP, ROOT));
  known.likely.resolve(remains(1, APP));
  expect(await known.working).toMatchObject({ result: "made at first" });
  expect(known.runs).toEqual(["first: 9"]);
});

test("remains that cannot be read fail the backup, before it has begun and afterwards", async () => {
  const before = scene();
  before.all.reject(new Error("unreadable"));
  await expect(before.working).rejects.toThrow("unreadable");
  expect(before.runs).toEqual([]);

  const after = scene();
  after.likely.resolve(remains(1, APP));
  await after.clock.advance(0);
  after.all.reject(new Error("unreadable"));
  await expect(after.working).rejects.toThrow("unreadable");
  expect(after.runs).toEqual(["first: 1", "ended"]);
});

test("a run that fails by itself does not wait for the remains", async () => {
  const never = new Promise<Remains>(() => {});
  const failing = runAhead({ likely: Promise.resolve(remains(1, APP)), all: never }, new VirtualClock(), {
    canWait: true,
    first: () => Promise.reject(new Error("wrong password")),
    anew: () => Promise.reject(new Error("not to be run")),
  });
  await expect(failing).rejects.toThrow("wrong password");
});
