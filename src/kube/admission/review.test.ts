import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseReview, writeReview } from "./review.ts";

const request = {
  uid: "u-1",
  operation: "UPDATE",
  kind: { group: "", version: "v1", kind: "ConfigMap" },
  resource: { group: "", version: "v1", resource: "configmaps" },
  subResource: "status",
  name: "a",
  namespace: "n",
  userInfo: { username: "jane", uid: "7", groups: ["admins"], extra: {} },
  object: { metadata: { name: "a" }, unknown: [1] },
  oldObject: { metadata: { name: "a" } },
  dryRun: true,
};
const review = { apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", request };

function parse(value: unknown, type = "application/json") {
  return parseReview(Buffer.from(JSON.stringify(value)), type);
}

describe("parseReview()", () => {
  test("reads a complete request", () => {
    expect(parse(review, "application/json; charset=utf-8")).toEqual({
      ok: true,
      value: {
        uid: "u-1",
        operation: "UPDATE",
        resource: request.resource,
        subResource: "status",
        name: "a",
        namespace: "n",
        object: request.object,
        oldObject: request.oldObject,
        user: { username: "jane", uid: "7", groups: ["admins"] },
        dryRun: true,
      },
    });
  });

  test("takes null for an absent object", () => {
    const parsed = parse({ ...review, request: { ...request, object: null } });
    expect(parsed).toMatchObject({ ok: true, value: { object: undefined } });
  });

  test.each([
    [{ kind: "Pod" }, "the body is not an AdmissionReview"],
    [
      { ...review, apiVersion: "admission.k8s.io/v1beta1" },
      'of version "admission.k8s.io/v1beta1"; send admission',
    ],
    [{ ...review, request: undefined }, "the review holds no request"],
    [{ ...review, request: { ...request, uid: "" } }, "the request has no uid"],
    [
      { ...review, request: { ...request, operation: "CONNECT" } },
      '"CONNECT" is none of CREATE,UPDATE,DELETE',
    ],
    [{ ...review, request: { ...request, resource: {} } }, "the request has no resource"],
    [{ ...review, request: { ...request, object: { metadata: [] } } }, "is not a Kubernetes object"],
  ])("refuses %j", (value, message) => {
    expect(parse(value)).toMatchObject({
      ok: false,
      error: { status: 400, message: expect.stringContaining(message) },
    });
  });

  test("refuses bytes that are not UTF-8", () => {
    expect(parseReview(Buffer.from([0x22, 0xff, 0x22]), "application/json")).toMatchObject({
      ok: false,
      error: { message: expect.stringContaining("the body is not JSON") },
    });
  });

  test("refuses other encodings with 415", () => {
    expect(parse(review, "application/vnd.kubernetes.protobuf")).toMatchObject({
      ok: false,
      error: { status: 415 },
    });
  });
});

describe("writeReview()", () => {
  test("keeps warnings within what a header can carry", () => {
    const texts = fc.array(fc.string({ unit: "binary", maxLength: 600 }), { maxLength: 60 });
    fc.assert(
      fc.property(texts, (warnings) => {
        const { response } = JSON.parse(writeReview("u", { allowed: true, warnings }));
        const kept: string[] = response.warnings ?? [];
        for (const warning of kept) {
          expect(warning).not.toMatch(/\p{Cc}/u);
          expect(warning).not.toBe("");
          expect([...warning].length).toBeLessThanOrEqual(256);
        }
        expect(kept.join("").length).toBeLessThanOrEqual(4096);
      }),
    );
  });

  test("cuts a long warning with an ellipsis and joins its lines", () => {
    const { response } = JSON.parse(
      writeReview("u", { allowed: true, warnings: ["a\r\nb", "x".repeat(300)] }),
    );
    expect(response.warnings).toEqual(["a b", `${"x".repeat(255)}…`]);
  });

  test("denies with 403 unless told otherwise, and never with a patch", () => {
    const { response } = JSON.parse(
      writeReview("u", { allowed: false, message: "no" }, [{ op: "remove", path: "/a" }]),
    );
    expect(response).toEqual({
      uid: "u",
      allowed: false,
      status: { status: "Failure", code: 403, reason: "Forbidden", message: "no" },
    });
  });
});
