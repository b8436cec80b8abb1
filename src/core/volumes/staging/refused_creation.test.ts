import { expect, test } from "vitest";
import { ApiError } from "../../../kube/api_error.ts";
import { explainedCreation } from "./refused_creation.ts";

const refusal = (code: number, reason: string, message: string, cause?: string) =>
  new ApiError({
    request: "create",
    code,
    status: { code, reason, message, details: { causes: cause ? [{ reason: cause }] : [] } },
  });
const explained = (error: unknown) => explainedCreation(error, "VolumeSnapshot shop/x");

test.each([
  [
    refusal(403, "Forbidden", "namespace shop is being terminated", "NamespaceTerminating"),
    "terminal",
    "NamespaceTerminating",
    "namespace shop is being terminated. The namespace is being deleted: nothing new begins in it.",
  ],
  [
    refusal(403, "Forbidden", "exceeded quota: storage"),
    "structural",
    "QuotaExceeded",
    "exceeded quota: storage. A copy is as large as its source: raise the namespace's quota.",
  ],
  [
    refusal(403, "Forbidden", "cannot create resource"),
    "structural",
    "Forbidden",
    "cannot create resource. Grant the operator this right, or meet the rule that refuses it.",
  ],
  [
    refusal(422, "Invalid", "spec.accessModes: unsupported"),
    "structural",
    "Invalid",
    "spec.accessModes: unsupported. Correct the class, the access modes or the labels of the copies.",
  ],
])("%s is explained", (error, failureClass, reason, message) => {
  expect(explained(error)).toMatchObject({
    class: failureClass,
    reason,
    message: `VolumeSnapshot shop/x could not be created: ${message}`,
    cause: error,
  });
});

test("what is no refusal stays as it was", () => {
  for (const error of [refusal(409, "Conflict", "changed"), refusal(503, "", "busy"), new Error("cut")]) {
    expect(explained(error)).toBe(error);
  }
});
