import { expect, test } from "vitest";
import { readBody } from "../../lib/http.ts";
import type { GrantedRules } from "../policy_rules.ts";
import { accessesOf, LimitedSender } from "./limited_sender.ts";

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

const RULES: GrantedRules = {
  cluster: [{ apiGroups: [""], resources: ["pods"], verbs: ["list"] }],
  home: [{ apiGroups: [""], resources: ["secrets"], resourceNames: ["mine"], verbs: ["get"] }],
};

test("LimitedSender refuses what no rule grants, and remembers it", async () => {
  const sent: string[] = [];
  const sender = new LimitedSender(
    {
      async send({ path }) {
        sent.push(path);
        return { status: 200, headers: {}, body: (async function* () {})() };
      },
      close() {},
    },
    { rules: RULES, home: "home" },
  );
  const status = async (path: string) => (await sender.send({ method: "GET", path })).status;
  expect(await status("/api/v1/namespaces/shop/pods")).toBe(200);
  expect(await status("/api/v1/namespaces/home/secrets/mine")).toBe(200);
  expect(await status("/api/v1/namespaces/home/secrets/other")).toBe(403);
  expect(await status("/api/v1/namespaces/shop/secrets/mine")).toBe(403);
  const refused = await sender.send({ method: "GET", path: "/api/v1/nodes" });
  expect(JSON.parse(String(await readBody(refused.body)))).toMatchObject({ reason: "Forbidden" });
  expect(sent).toHaveLength(2);
  expect([...sender.refused]).toEqual(["cannot get secrets", "cannot list nodes without a namespace"]);
});
