import { describe, expect, test } from "vitest";
import { problemText } from "../../kube/schema/problem.ts";
import type { Stored } from "../store/store.ts";
import { builtinKinds } from "./builtin_kinds.ts";
import type { Fields } from "./fields.ts";
import type { KindInfo } from "./kind_info.ts";

// What each kind is completed with and refused for is compared with a real API server in
// test/cluster/builtin_kinds.test.ts; here is what depends on a state that only a running cluster reaches.

function kind(name: string): KindInfo {
  const found = builtinKinds.find(({ resource }) => resource.kind === name);
  if (!found) throw new Error(`${name} is not built in`);
  return found;
}

const metadata = { name: "it", uid: "1-2", resourceVersion: "1", creationTimestamp: "2026-01-01T00:00:00Z" };

function object(name: string, fields: Fields): Stored {
  const { resource, defaults } = kind(name);
  const apiVersion = resource.group ? `${resource.group}/v1` : "v1";
  const given = { apiVersion, kind: name, metadata, ...fields };
  return defaults ? defaults(given) : given;
}

function problems(name: string, fields: Fields, old?: Fields): readonly string[] {
  const found = kind(name).check?.(object(name, fields), old && object(name, old)) ?? [];
  return found.map(problemText);
}

describe("a bound claim", () => {
  const claim = (size: string, more: Fields = {}) => ({
    spec: {
      accessModes: ["ReadWriteOnce"],
      resources: { requests: { storage: size } },
      volumeName: "v",
      ...more,
    },
    status: { phase: "Bound", capacity: { storage: "2Gi" } },
  });

  test("may grow", () => {
    expect(problems("PersistentVolumeClaim", claim("4Gi"), claim("2Gi"))).toEqual([]);
  });

  test("may shrink what it asks for, but not below what it has", () => {
    expect(problems("PersistentVolumeClaim", claim("3Gi"), claim("4Gi"))).toEqual([]);
    expect(problems("PersistentVolumeClaim", claim("2Gi"), claim("4Gi"))).toEqual([
      "spec.resources.requests.storage: Forbidden: field can not be less than status.capacity",
    ]);
  });

  test("keeps its volume and its access modes", () => {
    const rule =
      "spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims";
    expect(problems("PersistentVolumeClaim", claim("2Gi", { volumeName: "w" }), claim("2Gi"))).toEqual([
      rule,
    ]);
    const modes = { accessModes: ["ReadWriteMany"] };
    expect(problems("PersistentVolumeClaim", claim("2Gi", modes), claim("2Gi"))).toEqual([rule]);
  });

  test("may change its attributes class", () => {
    const change = claim("2Gi", { volumeAttributesClassName: "fast" });
    expect(problems("PersistentVolumeClaim", change, claim("2Gi"))).toEqual([]);
  });
});

describe("a Job", () => {
  const job = (pod: Fields, more: Fields = {}) => ({
    ...more,
    spec: {
      suspend: true,
      manualSelector: true,
      selector: { matchLabels: { a: "b" } },
      template: {
        metadata: { labels: { a: "b" } },
        spec: { restartPolicy: "Never", containers: [{ name: "m", image: "i" }], ...pod },
      },
    },
  });

  test("that was started once keeps where its pods go", () => {
    const started = { status: { startTime: "2026-01-01T00:00:00Z" } };
    const change = { nodeSelector: { disk: "fast" } };
    expect(problems("Job", job(change), job({}))).toEqual([]);
    expect(problems("Job", job(change, started), job({}, started)).join()).toMatch(
      /^spec\.template: Invalid value: .*: field is immutable$/,
    );
  });

  test("is refused what only clusters do", () => {
    const { spec } = job({});
    expect(
      problems("Job", { spec: { ...spec, completionMode: "Indexed", backoffLimitPerIndex: 1 } }),
    ).toEqual([
      "spec.backoffLimitPerIndex: Forbidden: an embedded control plane does not have it: use a cluster",
      'spec.completionMode: Unsupported value: "Indexed": supported values: "NonIndexed"',
    ]);
  });

  test("gets a selector by its uid when it is created, and its pods the labels", () => {
    const { manualSelector: _, selector: __, ...spec } = job({}).spec;
    const created = kind("Job").onCreate?.(object("Job", { spec }));
    expect(created?.spec).toMatchObject({
      selector: { matchLabels: { "batch.kubernetes.io/controller-uid": "1-2" } },
      template: { metadata: { labels: { a: "b", "job-name": "it", "controller-uid": "1-2" } } },
    });
    expect(created && kind("Job").check?.(created, undefined)).toEqual([]);
  });
});

describe("a pod", () => {
  const pod = (more: Fields) => ({ spec: { containers: [{ name: "m", image: "i" }], ...more } });

  test("has no sidecars here", () => {
    const initContainers = [{ name: "s", image: "i", restartPolicy: "Always" }];
    expect(problems("Pod", pod({ initContainers }))).toEqual([
      "spec.initContainers[0].restartPolicy: Forbidden: an embedded control plane runs no sidecars: make it a container",
    ]);
  });

  test("is given a node once", () => {
    expect(problems("Pod", pod({ nodeName: "here" }), pod({}))).toEqual([]);
    expect(problems("Pod", pod({ nodeName: "there" }), pod({ nodeName: "here" })).join()).toMatch(
      /^spec: Forbidden: pod updates may not change fields other than /,
    );
  });
});

test("a namespace is held until it is emptied, from its creation on", () => {
  expect(kind("Namespace").onCreate?.(object("Namespace", { spec: {} })).spec).toEqual({
    finalizers: ["kubernetes"],
  });
});

test("defaults of what has them already change nothing", () => {
  const samples: readonly (readonly [string, Fields])[] = [
    ["Pod", { spec: { containers: [{ name: "m", image: "i" }] } }],
    [
      "Job",
      { spec: { template: { spec: { containers: [{ name: "m", image: "i" }], volumes: [{ name: "v" }] } } } },
    ],
    ["StatefulSet", { spec: { template: { spec: {} } } }],
    ["PersistentVolume", { spec: { hostPath: { path: "/x" } } }],
    ["Secret", { stringData: { a: "b" } }],
    ["MutatingWebhookConfiguration", { webhooks: [{ rules: [{}] }] }],
    ["CustomResourceDefinition", { spec: { names: { kind: "Thing" } } }],
  ];
  for (const [name, fields] of samples) {
    const once = object(name, fields);
    expect(kind(name).defaults?.(once)).toEqual(once);
  }
});

test("fields of pods, events and secrets can be selected by", () => {
  const select = (name: string, path: string, fields: Fields) =>
    kind(name).selectableFields[path]?.(object(name, fields));
  expect(select("Pod", "spec.nodeName", { spec: { nodeName: "here" } })).toBe("here");
  expect(select("Pod", "status.phase", {})).toBe("Pending");
  expect(select("Event", "involvedObject.name", { involvedObject: { name: "x" } })).toBe("x");
  expect(select("Secret", "type", {})).toBe("Opaque");
  expect(select("Job", "status.successful", { status: { succeeded: 2 } })).toBe("2");
});
