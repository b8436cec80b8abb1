import { describe, expect, test } from "vitest";
import type { Node } from "./observed_staging.ts";
import { placed } from "./placement.ts";
import { decide } from "./testing/decide_one.ts";
import { claim, object, pod, source } from "./testing/staging_samples.ts";

const taints = [
  { key: "dedicated", value: "db", effect: "NoSchedule" },
  { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" },
  { key: "node.kubernetes.io/not-ready", effect: "NoExecute" },
];
const node = object<Node>("Node", { name: "node-1" }, { spec: { taints } });
const onNode = (name: string) => [
  { matchFields: [{ key: "metadata.name", operator: "In", values: [name] }] },
];
const ready = (placement?: object) => ({
  phase: "Ready",
  captured: false,
  volumes: [{ source, claim: "data", ...(placement ? { placement } : {}) }],
});
const withModes = (...accessModes: string[]) => claim({ accessModes }, { phase: "Bound", accessModes });
const direct = (seen: Parameters<typeof decide>[0]["seen"] = {}) =>
  decide({ request: { method: "Direct" }, seen });

describe("Direct", () => {
  test("mounts the claim itself, anywhere while nobody uses it, and makes nothing", () => {
    expect(direct()).toEqual({ state: ready(), intents: [] });
  });

  test("runs beside the pod that uses the volume, and tolerates what its node has", () => {
    expect(direct({ pods: [pod("db")], nodes: [node] }).state).toEqual(
      ready({
        node: "node-1",
        terms: onNode("node-1"),
        tolerations: [
          { key: "dedicated", operator: "Equal", value: "db", effect: "NoSchedule" },
          { key: "node.kubernetes.io/unschedulable", operator: "Exists", effect: "NoSchedule" },
        ],
      }),
    );
  });

  test("tolerates what the pod tolerates where its node cannot be seen", () => {
    const tolerations = [
      { key: "dedicated", operator: "Exists" },
      { key: "node.kubernetes.io/unreachable", operator: "Exists", effect: "NoExecute" },
    ];
    const user = pod("db", { spec: { containers: [], nodeName: "node-1", tolerations } });
    expect(direct({ pods: [user] }).state).toEqual(
      ready({
        node: "node-1",
        terms: onNode("node-1"),
        tolerations: [{ key: "dedicated", operator: "Exists" }],
      }),
    );
  });

  test("prefers the pod that stays", () => {
    const at = (nodeName: string) => ({ containers: [], nodeName });
    const leaving = pod("a", {
      metadata: { ...pod("a").metadata, deletionTimestamp: "2026-01-01T00:00:00Z" },
      spec: at("old"),
    });
    const starting = pod("b", { spec: at("starting"), status: { phase: "Pending" } });
    const running = pod("c", { spec: at("running") });
    const ended = pod("d", { spec: at("ended"), status: { phase: "Succeeded" } });
    const nodeOf = (...pods: ReturnType<typeof pod>[]) => {
      const { state } = direct({ pods });
      return state.phase === "Ready" ? state.volumes[0]?.placement?.node : undefined;
    };
    expect(nodeOf(leaving, starting, running, ended)).toBe("running");
    expect(nodeOf(leaving, starting)).toBe("starting");
    expect(nodeOf(leaving)).toBe("old");
    expect(nodeOf(ended)).toBeUndefined();
  });

  test.each([
    [["ReadWriteMany"], false],
    [["ReadOnlyMany"], false],
    [["ReadWriteOnce", "ReadWriteMany"], false],
    [["ReadWriteOnce", "ReadOnlyMany"], true],
    [["ReadWriteOnce"], true],
  ])("of a volume with %s is placed: %s", (modes, expected) => {
    const { state } = direct({ claim: withModes(...modes), pods: [pod("db")] });
    expect(state.phase === "Ready" && state.volumes[0]?.placement !== undefined).toBe(expected);
  });

  test("of a volume for one pod is refused while a pod uses it, other than its own mover", () => {
    const single = withModes("ReadWriteOncePod");
    expect(direct({ claim: single, pods: [pod("db")] }).state).toEqual({
      phase: "Refused",
      class: "transient",
      reason: "SourceInUse",
      message:
        "PersistentVolumeClaim shop/data is for one pod at a time (ReadWriteOncePod), and pod db uses it. Use the copy method Snapshot or Clone, or stop the pod while the backup runs.",
    });
    expect(direct({ claim: single }).state).toEqual(ready());
    expect(direct({ claim: single, pods: [pod("db", { status: { phase: "Failed" } })] }).state).toEqual(
      ready(),
    );
    const metadata = { ...pod("mover").metadata, labels: { "holdfast.dev/run-owner": "owner-1" } };
    expect(direct({ claim: single, pods: [pod("mover", { metadata })] }).state).toEqual(ready());
  });
});

describe("placed()", () => {
  const zone = (value: string) => ({ matchExpressions: [{ key: "zone", operator: "In", values: [value] }] });
  const at = (name: string) => ({ terms: onNode(name), tolerations: [{ key: name, operator: "Exists" }] });

  test("leaves settings alone that need no place", () => {
    const settings = { image: "mover:1", tolerations: [] };
    expect(placed(settings, [])).toBe(settings);
  });

  test("adds to what the settings ask for, and takes nothing away", () => {
    const preferred = [{ weight: 1, preference: zone("x") }];
    const podAffinity = { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: "zone" }] };
    const settings = {
      image: "mover:1",
      affinity: {
        podAffinity,
        nodeAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: preferred,
          requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [zone("a"), zone("b")] },
        },
      },
      tolerations: [{ key: "own", operator: "Exists" }],
    };
    expect(placed(settings, [at("n1"), at("n1")])).toEqual({
      image: "mover:1",
      affinity: {
        podAffinity,
        nodeAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: preferred,
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [
              { ...zone("a"), ...onNode("n1")[0] },
              { ...zone("b"), ...onNode("n1")[0] },
            ],
          },
        },
      },
      tolerations: [
        { key: "own", operator: "Exists" },
        { key: "n1", operator: "Exists" },
      ],
    });
  });

  test("never names the node past the scheduler", () => {
    expect(JSON.stringify(placed({}, [at("n1")]))).not.toContain("nodeName");
  });
});
