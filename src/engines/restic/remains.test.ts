import { describe, expect, test } from "vitest";
import type { FidelityProgram } from "../fidelity/fidelity_program.ts";
import { parseSurvey } from "../fidelity/survey.ts";
import { knowsRoot, readRemains, recordIn } from "./remains.ts";

const few = { count: 2, examples: ["a", "b"] };

/** A helper that finds this. */
function finding(found: object, record = "the record"): Pick<FidelityProgram, "remains"> {
  return {
    remains: async () => ({
      record: (async function* () {
        yield Buffer.from(record);
      })(),
      survey: Promise.resolve(parseSurvey(found)),
      stop: () => {},
    }),
  };
}

/** Digits of a number that repeats nowhere, so that nothing can be saved by compressing them. */
function noise(): string {
  let state = 1;
  return Array.from({ length: 100_000 }, () => {
    state = (state * 48_271) % 2_147_483_647;
    return String.fromCharCode(state % 128);
  }).join("");
}

test("a record knows of the root folder when its first entry is about it", () => {
  expect(knowsRoot(Buffer.from('{"holdfast":1}\n{"p":"","k":"d","m":493}\n{"end":true}\n'))).toBe(true);
  expect(knowsRoot(Buffer.from('{"holdfast":1}\n{"p":"a","k":"d"}\n{"p":"","k":"d"}\n'))).toBe(false);
  expect(knowsRoot(Buffer.from('{"holdfast":1}\n{"end":true}\n'))).toBe(false);
});

describe("readRemains", () => {
  test("loses nothing of a source that restic keeps completely", async () => {
    const { losses, fidelity } = await readRemains(finding({}), { source: "/s" });
    expect({ losses, fidelity }).toEqual({ losses: [], fidelity: "Full" });
  });

  test("loses nothing either when only the root folder's own attributes do not fit into a tag", async () => {
    const { text, losses, fidelity } = await readRemains(finding({}, noise()), { source: "/s" });
    expect({ text, losses, fidelity }).toEqual({ text: undefined, losses: [], fidelity: "Full" });
  });

  test("keeps what restic does not as a text that a tag can hold", async () => {
    const { text = "", losses, fidelity } = await readRemains(finding({ times: few }), { source: "/s" });
    expect(text).toMatch(/^[\w-]+$/);
    expect({ losses, fidelity }).toEqual({ losses: [], fidelity: "Full" });
    expect((await recordIn(text)).toString()).toBe("the record");
  });

  test("counts as lost what fills more than a tag", async () => {
    const { text, losses, fidelity } = await readRemains(finding({ linkedSymlinks: few }, noise()), {
      source: "/s",
    });
    expect({ text, fidelity }).toEqual({ text: undefined, fidelity: "Engine" });
    expect(losses).toMatchObject([
      { kind: "HardLink", count: 2, reason: expect.stringContaining("too much") },
    ]);
  });

  test("counts as lost what it is told not to keep, and sockets in any case", async () => {
    const options = { source: "/s", fidelity: "Engine" } as const;
    const { text, losses } = await readRemains(finding({ times: few, sockets: few }), options);
    expect(text).toBeUndefined();
    expect(losses.map(({ kind }) => kind)).toEqual(["Time", "Socket"]);
  });
});
