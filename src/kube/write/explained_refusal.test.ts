import { expect, test } from "vitest";
import { ApiError } from "../api_error.ts";
import { Failure } from "../failure.ts";
import { explainedRefusal } from "./explained_refusal.ts";

const remedies = {
  forbidden: () => ({ reason: "Forbidden", remedy: "Grant it." }),
  invalid: "Correct it.",
};
const refused = (code: number, reason: string, message: string, details = {}) =>
  explainedRefusal(
    new ApiError({ request: "create jobs", code, status: { code, reason, message, details } }),
    "Job a/b",
    remedies,
  );

test.each([
  [
    refused(404, "NotFound", 'namespaces "a" not found'),
    [
      "structural",
      "NamespaceMissing",
      'Job a/b could not be created: namespaces "a" not found. Create the namespace.',
    ],
  ],
  [
    refused(403, "Forbidden", "no"),
    ["structural", "Forbidden", "Job a/b could not be created: no. Grant it."],
  ],
  [
    refused(422, "Invalid", "bad"),
    ["structural", "Invalid", "Job a/b could not be created: bad. Correct it."],
  ],
  [
    refused(403, "Forbidden", "ends", { causes: [{ reason: "NamespaceTerminating" }] }),
    [
      "terminal",
      "NamespaceTerminating",
      "Job a/b could not be created: ends. The namespace is being deleted: nothing new begins in it.",
    ],
  ],
])("%s", (failure, [kind, reason, message]) => {
  expect(failure).toBeInstanceOf(Failure);
  expect(failure).toMatchObject({ class: kind, reason, message });
});

test.each([
  [409, "Conflict"],
  [409, "AlreadyExists"],
  [500, "InternalError"],
])("%i %s is nothing to explain", (code, reason) => {
  expect(refused(code, reason, "m")).toBeInstanceOf(ApiError);
});
