import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { heldOrNot } from "../../src/apis/plumber/admission/held_modes.ts";
import { parsePvc } from "../../src/apis/plumber/policy/parse_pvc.ts";
import { DEFAULTS } from "../../src/apis/plumber/settings.ts";
import { conditionsHold } from "../../src/embedded/api/webhook_match.ts";

import { MODES, type Mode, RESTORE_MODES } from "../../src/kinds/plumber/words.ts";

interface Policy {
  readonly spec: {
    readonly matchConditions: readonly { readonly expression: string }[];
    readonly variables: readonly { readonly name: string; readonly expression: string }[];
    readonly validations: readonly { readonly expression: string; readonly message: string }[];
  };
}

const text = readFileSync("charts/holdfast/templates/plumber-labels.yaml", "utf8");
const plain = text
  .split("\n---\n")[0]
  ?.split("\n")
  .filter((line) => !line.includes("{{"))
  .join("\n");
const { spec } = parse(plain ?? "") as Policy;

const pvc = (annotations: object | undefined, labels: object = { "pvc-plumber.io/enabled": "true" }) => ({
  metadata: { namespace: "media", name: "data", labels, ...(annotations ? { annotations } : {}) },
});

/** What the API server says of a PVC by the chart's policy. */
function denials(object: object, oldObject: object | null = null): readonly string[] {
  const holds = (expression: string) => {
    const whole = spec.variables.reduce(
      (now, variable) => now.replaceAll(`variables.${variable.name}`, `(${variable.expression})`),
      expression,
    );
    return conditionsHold([{ expression: whole }], { object, oldObject });
  };
  if (!spec.matchConditions.every(({ expression }) => holds(expression))) return [];
  return spec.validations.filter(({ expression }) => !holds(expression)).map(({ message }) => message);
}

const key = (name: string) => `pvc-plumber.io/${name}`;

describe("the policy of the chart", () => {
  test.each([
    ["mode", "Strict", "one of never, audit, permissive, enforce, strict, force"],
    ["mode", "", "one of never, audit, permissive, enforce, strict, force"],
    ["restore-mode", "maybe", "one of never, audit, permissive, enforce, strict, force"],
    ["backup-identity", "Media/Data", "a name or namespace/name"],
    ["backup-identity", "a/b/c", "a name or namespace/name"],
    ["backup-identity", "", "a name or namespace/name"],
    ["backup-identity", "-a", "a name or namespace/name"],
  ])("denies %s %j, on a PVC that asks for protection", (name, value, message) => {
    const wrong = pvc({ [key(name)]: value });
    expect(denials(wrong)).toEqual([expect.stringContaining(`${key(name)} must be ${message}`)]);
    expect(denials(wrong, pvc(undefined))).toHaveLength(1);
    expect(denials(pvc({ [key(name)]: value }, { app: "x" }))).toEqual([]);
  });

  test("lets what was wrong before stay: Kubernetes itself edits PVCs", () => {
    const old = pvc({ [key("mode")]: "Strict" }, { [key("enabled")]: "yes" });
    const bound = pvc(
      { [key("mode")]: "Strict", "pv.kubernetes.io/bind-completed": "yes" },
      { [key("enabled")]: "yes" },
    );
    expect(denials(bound, old)).toEqual([]);
    expect(denials(pvc({ [key("mode")]: "STRICT" }, { [key("enabled")]: "yes" }), old)).toHaveLength(1);
    expect(denials(pvc({ [key("mode")]: "Strict" }, { [key("enabled")]: "no" }), old)).toHaveLength(1);
  });

  test.each([
    ["mode", "never", "audit", "permissive", "enforce", "strict", "force", "Audit", "enforce "],
    ["restore-mode", "never", "force", "none"],
    [
      "backup-identity",
      "library",
      "photos/library",
      "a.b-c/d",
      "a",
      "a/",
      "/a",
      "a_b",
      `${"a".repeat(253)}`,
      "a".repeat(254),
    ],
  ])("takes the same values of %s as the operator", (name, ...values) => {
    for (const value of values) {
      const object = pvc({ [key(name)]: value });
      const { problems } = parsePvc(object as never, DEFAULTS);
      expect([value, denials(object).length]).toEqual([value, problems.length]);
    }
  });

  test("denies wrong values of labels, and nothing of a PVC without annotations", () => {
    expect(denials(pvc(undefined, { [key("tier")]: "monthly" }))).toEqual([
      "pvc-plumber.io/tier must be one of hourly, daily, weekly, manual, disabled",
    ]);
    expect(denials(pvc(undefined))).toEqual([]);
    expect(denials(pvc({ other: "x" }), pvc(undefined))).toEqual([]);
  });
});

/** What the API server does with a PVC while no operator answers. */
function whileDown(annotations: object | undefined, operator: Mode): readonly string[] {
  return heldOrNot(operator)
    .filter(({ condition }) => conditionsHold([condition], { object: pvc(annotations) }))
    .map(({ onFailure }) => onFailure);
}

describe("while the operator is down", () => {
  const DENYING = ["enforce", "strict", "force"];

  test("a PVC is held by the mode of its restore, and by strict", () => {
    for (const operator of MODES)
      for (const mode of [undefined, ...RESTORE_MODES])
        for (const restore of [undefined, ...RESTORE_MODES]) {
          const annotations = {
            ...(mode ? { [key("mode")]: mode } : {}),
            ...(restore ? { [key("restore-mode")]: restore } : {}),
          };
          const held = DENYING.includes(restore ?? mode ?? operator) || (mode ?? operator) === "strict";
          const found = { operator, mode, restore, answer: whileDown(annotations, operator) };
          expect(found).toEqual({ operator, mode, restore, answer: [held ? "deny" : "allow"] });
        }
  });

  test("a PVC without annotations has the operator's mode, and one that nobody understands is held", () => {
    expect(whileDown(undefined, "audit")).toEqual(["allow"]);
    expect(whileDown(undefined, "enforce")).toEqual(["deny"]);
    expect(whileDown({ other: "x" }, "permissive")).toEqual(["allow"]);
    expect(whileDown({ [key("mode")]: "Strict" }, "audit")).toEqual(["deny"]);
    expect(whileDown({ [key("backup-identity")]: "photos/data" }, "permissive")).toEqual(["allow"]);
  });
});
