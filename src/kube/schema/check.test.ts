import { describe, expect, test } from "vitest";
import { crdWith, text } from "../../../test/unit/broken_crd.ts";
import { BROKEN } from "../../../test/unit/schema_broken.ts";
import { celEvaluator } from "./cel.ts";
import { checkCrd, checkCrds, MAX_CRD_BYTES } from "./check.ts";
import { type Crd, crdOf } from "./crd.ts";
import { sampleKind } from "./sample_kind.ts";

const cel = celEvaluator();

describe("the checker", () => {
  test("finds nothing in the sample", () => {
    expect(checkCrd(crdOf(sampleKind), cel)).toEqual([]);
  });

  test("finds nothing in the CRD that the broken ones are made from", () => {
    expect(checkCrd(crdWith("a.example", { it: text }) as Crd, cel)).toEqual([]);
  });

  test.each(BROKEN)("finds $name", ({ crd, path, message }) => {
    const findings = checkCrd(crd("a.example") as Crd, cel);
    const hits = findings.filter(
      (finding) => finding.path.includes(path) && finding.message.includes(message),
    );
    expect(hits, JSON.stringify(findings)).toHaveLength(1);
  });

  test("warns of a missing description, and no more", () => {
    const [finding] = checkCrd(crdWith("a.example", { it: { type: "boolean" } }) as Crd, cel);
    expect(finding?.severity).toBe("warning");
  });

  test("finds a CRD that is too large", () => {
    const fields = Object.fromEntries(
      Array.from({ length: 2000 }, (_, i) => [`field${i}`, { ...text, description: "x".repeat(99) }]),
    );
    const findings = checkCrd(crdWith("a.example", fields) as Crd, cel);
    expect(findings).toEqual([
      { path: "", severity: "error", message: expect.stringContaining(`more than ${MAX_CRD_BYTES}`) },
    ]);
  });

  test("finds a name that two kinds of a group claim", () => {
    const one = crdOf({ ...sampleKind, kind: "One", plural: "ones", singular: "one", shortNames: ["x"] });
    const two = crdOf({ ...sampleKind, kind: "Two", plural: "twos", singular: "two", shortNames: ["x"] });
    const messages = checkCrds([one, two], cel).map(({ message }) => message);
    expect(messages).toEqual([
      "x.sample.test.holdfast.dev is claimed by ones.sample.test.holdfast.dev and twos.sample.test.holdfast.dev",
    ]);
  });

  test("lets two groups use one name", () => {
    const other = crdOf({ ...sampleKind, group: "other.example" });
    expect(checkCrds([crdOf(sampleKind), other], cel)).toEqual([]);
  });
});
