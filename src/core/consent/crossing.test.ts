import { expect, test } from "vitest";
import { BACKUPS, backup, GROUP, meta } from "../testing/samples.ts";
import {
  type ConsentRules,
  type Crossing,
  crossed,
  crossingProblem,
  crossingTo,
  type Judgement,
  judgeCrossing,
  secretsBehind,
} from "./crossing.ts";
import { listed } from "./permission.ts";
import { referenceForbidden } from "./repository_permission.ts";

const shop = { apiVersion: "v1", kind: "Namespace", metadata: meta("shop", { labels: { tier: "gold" } }) };

/** Rules by which a Repository of this judgement is referred to. */
const rules = (judgement: Judgement): ConsentRules => ({
  kinds: {
    Repository: {
      resource: BACKUPS,
      judge: (_, tenant) => {
        const gold = listed({ selector: { matchLabels: { tier: "gold" } } }, tenant);
        return judgement === "granted" && gold !== "granted" ? "denied" : judgement;
      },
      forbidden: ({ name = "", ...crossing }, from) =>
        referenceForbidden({ ...crossing, name }, { from, list: "its list" }),
    },
  },
  repositoryList: "its list",
  namespace: (name) => (name === "shop" ? shop : "absent"),
});

const object = (consents = "") =>
  backup({
    metadata: { namespace: "shop", annotations: { [`${GROUP}/consented-references`]: consents } },
  });
const [nas] = crossingTo("Repository", { name: "nas", namespace: "billing" }, { from: "shop", field: "to" });
if (!nas) throw new Error("it stays in its namespace");
const both: readonly Crossing[] = [nas, secretsBehind(nas, [nas])];

test("a reference that stays in its namespace crosses nothing", () => {
  const from = { from: "shop", field: "to" };
  expect(crossingTo("Repository", { name: "nas", namespace: "shop" }, from)).toEqual([]);
  expect(crossingTo("Repository", { name: "nas" }, from)).toEqual([]);
  expect(crossingTo("Repository", undefined, from)).toEqual([]);
});

test.each<[Judgement, string, readonly object[]]>([
  ["granted", "", []],
  ["denied", "", [{ refuse: { reason: "CrossNamespaceForbidden", field: "to" } }]],
  ["denied", "Repository/billing/nas", [{ refuse: { reason: "LendingForbidden", field: "to" } }]],
  ["denied", "Repository/billing/nas,Secret/billing/*", []],
  ["absent", "", [{ warn: "to: Repository billing/nas does not exist yet, and is waited for" }]],
  [
    "unknown",
    "",
    [{ warn: "to: Repository billing/nas could not be looked up; the operator checks it later" }],
  ],
])("a target that is %s, with the consents %j", (judgement, consents, findings) => {
  expect(crossed(object(consents), both, rules(judgement))).toMatchObject(findings);
});

test("the Secrets are for whom the way to them is for, by the labels of the namespace too", () => {
  const secrets = secretsBehind(nas, [nas]);
  expect(judgeCrossing(secrets, "shop", rules("granted"))).toBe("granted");
  expect(judgeCrossing(secrets, "elsewhere", rules("granted"))).toBe("denied");
  expect(judgeCrossing(secretsBehind(nas, []), "shop", rules("granted"))).toBe("denied");
});

test("a consent counts only where webhooks guard it", () => {
  const consented = object("Repository/billing/nas,Secret/billing/*");
  const problem = (guarded: boolean) => crossingProblem(consented, both, { rules: rules("denied"), guarded });
  expect(problem(true)).toBeUndefined();
  expect(problem(false)).toMatchObject({ class: "structural", reason: "CrossNamespaceForbidden" });
});

test("somebody has to answer for every kind", () => {
  expect(() => judgeCrossing({ ...nas, kind: "Film" }, "shop", rules("granted"))).toThrow("Film");
});
