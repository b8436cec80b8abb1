import { describe, expect, test } from "vitest";
import { builtinKinds } from "../kinds/builtin_kinds.ts";
import { Refusal } from "./refusal.ts";
import { ServedKinds } from "./served_kinds.ts";
import { targetOf } from "./target.ts";

const kinds = new ServedKinds(builtinKinds);

function short(path: string) {
  const target = targetOf(path, kinds);
  if (!target) return undefined;
  const { kind, namespace, name, subresource } = target;
  return [kind.resource.kind, namespace, name, subresource];
}

describe("targetOf()", () => {
  test.each([
    ["/api/v1/pods", ["Pod", "", undefined, undefined]],
    ["/api/v1/namespaces/a/pods", ["Pod", "a", undefined, undefined]],
    ["/api/v1/namespaces/a/pods/", ["Pod", "a", undefined, undefined]],
    ["/api/v1/namespaces/a/pods/p", ["Pod", "a", "p", undefined]],
    ["/api/v1/namespaces/a/pods/p/log", ["Pod", "a", "p", "log"]],
    ["/api/v1/namespaces", ["Namespace", "", undefined, undefined]],
    ["/api/v1/namespaces/a", ["Namespace", "", "a", undefined]],
    ["/api/v1/namespaces/a/status", ["Namespace", "", "a", "status"]],
    ["/api/v1/nodes/n", ["Node", "", "n", undefined]],
    ["/apis/batch/v1/namespaces/a/jobs/j/status", ["Job", "a", "j", "status"]],
    ["/apis/rbac.authorization.k8s.io/v1/clusterroles/a%3Ab", ["ClusterRole", "", "a:b", undefined]],
  ])("finds the target of %s", (path, expected) => {
    expect(short(path)).toEqual(expected);
  });

  test.each([
    "/",
    "/api",
    "/api/v1",
    "/apis",
    "/apis/batch",
    "/apis/batch/v1",
    "/apis/nobody.example.com/v1/things",
    "/healthz",
  ])("finds none behind %s", (path) => {
    expect(short(path)).toBeUndefined();
  });

  test.each([
    "/api/v1/nonsense",
    "/api/v1/pods/p",
    "/api/v1/namespaces/a/pods/p/log/more",
    "/api/v1/namespaces/../pods",
    "/api/v1/namespaces/a/pods/..",
    "/api/v1/namespaces/a/pods/%2e%2e",
    "/api/v1/namespaces/a/pods/x%2Fy",
    "/api/v1/namespaces//pods",
    "/api/v1/namespaces/a/pods/%zz",
  ])("refuses %s", (path) => {
    expect(() => short(path)).toThrow(Refusal);
  });
});
