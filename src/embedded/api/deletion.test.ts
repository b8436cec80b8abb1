import { describe, expect, test } from "vitest";
import { parseDeleteOptions } from "./deletion.ts";

const none = new URLSearchParams();

describe("parseDeleteOptions()", () => {
  test("reads the body", () => {
    const preconditions = { uid: "u", resourceVersion: "7" };
    const body = {
      kind: "DeleteOptions",
      propagationPolicy: "Foreground",
      gracePeriodSeconds: 0,
      preconditions,
    };
    expect(parseDeleteOptions(body, none)).toEqual({
      dryRun: false,
      propagation: "Foreground",
      gracePeriodSeconds: 0,
      uid: "u",
      resourceVersion: "7",
    });
  });

  test("reads the query only when there is no body", () => {
    const query = new URLSearchParams("dryRun=All&propagationPolicy=Orphan&gracePeriodSeconds=5");
    expect(parseDeleteOptions(undefined, query)).toEqual({
      dryRun: true,
      propagation: "Orphan",
      gracePeriodSeconds: 5,
    });
    expect(parseDeleteOptions({}, query)).toEqual({ dryRun: false });
  });

  test("understands the older word for a policy", () => {
    expect(parseDeleteOptions({ orphanDependents: true }, none)).toMatchObject({ propagation: "Orphan" });
    expect(parseDeleteOptions({ orphanDependents: false }, none)).toMatchObject({
      propagation: "Background",
    });
  });

  test.each([
    [{ propagationPolicy: "Sideways" }, "propagationPolicy: Unsupported value"],
    [{ dryRun: ["Some"] }, "dryRun: Unsupported value"],
    [{ gracePeriodSeconds: -1 }, "gracePeriodSeconds: Invalid value: -1"],
    [{ kind: "Pod", apiVersion: "v1" }, 'no kind "Pod" is registered for version "v1"'],
  ])("refuses %j", (body, message) => {
    expect(() => parseDeleteOptions(body, none)).toThrow(message);
  });
});
