import { expect, test } from "vitest";
import { backup, GROUP } from "../testing/samples.ts";
import { misspelt } from "./misspelt.ts";

const KNOWN = {
  prefix: `${GROUP}/`,
  names: [`${GROUP}/hold`, `${GROUP}/cancel`, `${GROUP}/refresh`],
  switches: [`${GROUP}/hold`, `${GROUP}/cancel`],
};

const said = (annotations: Record<string, string>) => misspelt(backup({ metadata: { annotations } }), KNOWN);

test.each<[string, string, readonly string[]]>([
  ["hold", "true", []],
  ["refresh", "yes", []],
  ["hold", "yes", [`${GROUP}/hold: "yes" does nothing: only "true" counts`]],
  ["hold", "True", [`${GROUP}/hold: "True" does nothing: only "true" counts`]],
  ["hodl", "true", [`${GROUP}/hodl is not known, and does nothing: did you mean ${GROUP}/hold?`]],
  ["something-else", "1", [`${GROUP}/something-else is not known, and does nothing`]],
])("%s: %s", (name, value, wanted) => {
  expect(said({ [`${GROUP}/${name}`]: value })).toEqual(wanted);
});

test("marks of others, and an object without any, are none of our business", () => {
  expect(said({ "example.org/hodl": "true" })).toEqual([]);
  expect(misspelt(backup(), KNOWN)).toEqual([]);
});

test("labels are looked at, too", () => {
  const labels = { [`${GROUP}/hodl`]: "true" };
  expect(misspelt(backup({ metadata: { labels } }), KNOWN)).toHaveLength(1);
});
