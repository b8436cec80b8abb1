import { expect, test } from "vitest";
import { ApiError } from "../api_error.ts";
import { pathOf, type Resource } from "../resource.ts";
import { findResource } from "./find_resource.ts";

const answers: Readonly<Record<string, object>> = {
  "/apis/apps": { preferredVersion: { version: "v1" } },
  "/apis/apps/v1": {
    resources: [
      { name: "statefulsets/scale", kind: "Scale", namespaced: true },
      { name: "statefulsets", kind: "StatefulSet", namespaced: true },
    ],
  },
};

const reader = {
  get: async (resource: Resource) => {
    const path = pathOf(resource);
    const answer = answers[path];
    const status = path === "/apis/example.com" ? {} : { code: 404, reason: "NotFound" };
    if (!answer) throw new ApiError({ request: path, code: 404, status });
    return answer;
  },
} as unknown as Parameters<typeof findResource>[0];

test("a kind is found by its group's preferred version", async () => {
  expect(await findResource(reader, { group: "apps", kind: "StatefulSet" })).toEqual({
    group: "apps",
    version: "v1",
    kind: "StatefulSet",
    plural: "statefulsets",
    namespaced: true,
  });
});

test.each([
  ["a kind that its group does not have", "apps", "Scaled"],
  ["a kind that is only part of another", "apps", "Scale"],
  ["a group that is not there", "example.com", "Thing"],
  ["a group of which the server says so itself", "example.org", "Thing"],
])("%s is not found", async (_, group, kind) => {
  expect(await findResource(reader, { group, kind })).toBeUndefined();
});
