import { expect, test } from "vitest";
import { accessesOf, accessName } from "./request_access.ts";

test.each([
  ["GET", "/api/v1/pods", { verb: "list", group: "", resource: "pods" }],
  [
    "GET",
    "/api/v1/namespaces/shop",
    { verb: "get", group: "", resource: "namespaces", namespace: "shop", name: "shop" },
  ],
  [
    "GET",
    "/api/v1/namespaces?watch=true&fieldSelector=metadata.name%3Dshop",
    { verb: "watch", group: "", resource: "namespaces", name: "shop" },
  ],
  [
    "GET",
    "/api/v1/namespaces/shop/pods/a/log?follow=true",
    { verb: "get", group: "", resource: "pods/log", namespace: "shop", name: "a" },
  ],
  [
    "PATCH",
    "/apis/apps/v1/namespaces/shop/deployments/web/scale",
    { verb: "patch", group: "apps", resource: "deployments/scale", namespace: "shop", name: "web" },
  ],
  [
    "DELETE",
    "/apis/batch/v1/namespaces/shop/jobs?labelSelector=a",
    { verb: "deletecollection", group: "batch", resource: "jobs", namespace: "shop" },
  ],
  [
    "GET",
    "/apis/storage.k8s.io/v1/csidrivers/x",
    { verb: "get", group: "storage.k8s.io", resource: "csidrivers", name: "x" },
  ],
] as const)("accessesOf() reads %s %s as an authorizer does", (method, path, access) => {
  expect(accessesOf({ method, path })).toEqual([access]);
});

test("accessesOf() needs the right to create for an apply, and none to learn which kinds there are", () => {
  const headers = { "content-type": "application/apply-patch+yaml" };
  const verbs = accessesOf({ method: "PATCH", path: "/api/v1/namespaces/a/configmaps/b", headers });
  expect(verbs.map(({ verb }) => verb)).toEqual(["patch", "create"]);
  expect(accessesOf({ method: "GET", path: "/apis/batch/v1" })).toEqual([]);
});

test.each([
  ["list pods", { verb: "list", group: "", resource: "pods" }],
  ["patch jobs.batch/status", { verb: "patch", group: "batch", resource: "jobs/status" }],
])("accessName() says %s", (text, access) => {
  expect(accessName(access)).toBe(text);
});
