import { describe, expect, test } from "vitest";
import { fitted } from "../../../core/reconcile/fitted_status.ts";
import { waits } from "../../../core/reconcile/problem.ts";
import { specFingerprint } from "../../../core/reconcile/spec_fingerprint.ts";
import { AT, NOW } from "../../../core/testing/samples.ts";
import { ANNOTATIONS, REQUEST_ANNOTATIONS } from "../../../kinds/kopiur/annotations.ts";
import { SNAPSHOT_CLEANUP } from "../../../kinds/kopiur/finalizers.ts";
import type { Backup, BackupSpec, BackupStatus } from "../../../kinds/kopiur/generated/backup.ts";
import { LABELS } from "../../../kinds/kopiur/labels.ts";
import type { ObjectMeta } from "../../../kube/object.ts";
import { MAX_STATUS } from "../../../kube/write/status.ts";
import type { NamespaceState } from "../multi_namespace/namespace_state.ts";
import { MOST_NAMESPACES } from "../multi_namespace/namespaces_of.ts";
import { backup, config } from "../testing/samples.ts";
import { type ChildEntry, childIn, isMultiNamespace } from "./child.ts";
import { decideChildren } from "./decide_children.ts";
import type { ObservedChild, ObservedChildren } from "./tell_child.ts";

const asking = (
  status: BackupStatus = {},
  metadata: Partial<ObjectMeta> = {},
  spec: Partial<BackupSpec> = {},
): Backup => backup({ metadata: { finalizers: [SNAPSHOT_CLEANUP], ...metadata }, spec, status });

const READY: NamespaceState = { state: "ready", reason: "Ready", message: "The recipe can be run." };
const EMPTY: NamespaceState = { state: "empty", reason: "NoSources", message: "No claim matches." };
const FORBIDDEN: NamespaceState = {
  state: "failed",
  reason: "CrossNamespaceForbidden",
  message: "Nobody consents.",
};

/** The Backup that does the work in a namespace. */
function working(namespace: string, status: BackupStatus = {}, metadata: Partial<ObjectMeta> = {}): Backup {
  const annotations = {
    [REQUEST_ANNOTATIONS.by]: "billing/first",
    [REQUEST_ANNOTATIONS.edition]: specFingerprint(asking()),
    [REQUEST_ANNOTATIONS.consent]: "namespace",
  };
  const place = childIn(asking(), namespace);
  return backup({ metadata: { ...place, uid: `uid-${namespace}`, annotations, ...metadata }, status });
}

function part(namespace: string, more: Partial<ObservedChild> = {}): ObservedChild {
  const place = childIn(asking(), namespace);
  const base = { namespace, place, known: undefined, child: undefined, config: "data-1" };
  return {
    ...base,
    consent: "namespace",
    doubt: waits("NamespaceUnknown", "m"),
    readyState: READY,
    unseen: false,
    ...more,
  };
}

const known = (namespace: string, phase: ChildEntry["phase"], more: object = {}): ChildEntry => ({
  ...childIn(asking(), namespace),
  uid: `uid-${namespace}`,
  phase,
  ...more,
});

const decide = (children: readonly ObservedChild[], more: Partial<ObservedChildren> = {}) => {
  const seen = children.flatMap((one) => one.known ?? []);
  const status = seen.length > 0 ? { backupRefs: seen } : {};
  return decideChildren({
    backup: asking(status),
    children: { each: children },
    problem: undefined,
    namespaceGoing: false,
    now: NOW,
    ...more,
  });
};

const does = (...[children, more]: Parameters<typeof decide>) =>
  decide(children, more).intents.flatMap((intent): readonly string[] =>
    intent.type === "Children" ? intent.intents.map(({ type }) => type) : [intent.type],
  );

const ready = ({ status }: { readonly status?: BackupStatus }) =>
  status?.conditions?.find(({ type }) => type === "Ready");

const succeeded: BackupStatus = {
  phase: "Succeeded",
  timing: { startTime: "2026-05-24T02:00:00Z", endTime: "2026-05-24T02:05:00Z" },
  stats: { files: 3, sizeBytes: 10 },
};

test("a Backup is of several namespaces by its recipe, and once begun by its status", () => {
  const namespaceSelector = { matchNames: ["shop"] };
  const sources = [{ pvcSelector: { namespaceSelector }, sourcePathStrategy: "PVCName" as const }];
  const reaching = config({ spec: { sources } });
  expect(isMultiNamespace(asking(), reaching)).toBe(true);
  expect(isMultiNamespace(asking(), config())).toBe(false);
  expect(isMultiNamespace(asking(), undefined)).toBe(false);
  expect(isMultiNamespace(asking({ resolved: { engine: "kopia" } }), reaching)).toBe(false);
  expect(isMultiNamespace(asking({ backupRefs: [] }), undefined)).toBe(true);
});

describe("a Backup of several namespaces", () => {
  test("cannot go before it has looked after the others", () => {
    const unheld = asking({}, { finalizers: [] });
    expect(does([part("shop")], { backup: unheld })).toEqual(["Hold"]);
  });

  test("has one made in each, by the recipe there", () => {
    const { status, intents } = decide([part("billing"), part("shop")]);
    expect(status).toMatchObject({
      phase: "Pending",
      backupRefs: [
        { ...childIn(asking(), "billing"), phase: "Pending" },
        { ...childIn(asking(), "shop"), phase: "Pending" },
      ],
    });
    const drafts = [
      { metadata: { namespace: "billing" } },
      { metadata: { namespace: "shop" }, spec: { configRef: { name: "data-1" } } },
    ];
    expect(intents).toMatchObject([
      { type: "Children", intents: drafts.map((draft) => ({ type: "Make", draft })) },
    ]);
  });

  test("passes on that a schedule asked for it, but not for which slot", () => {
    const scheduled = asking({}, { labels: { [LABELS.backupSchedule]: "nightly" } });
    const [intent] = decide([part("shop")], { backup: scheduled }).intents;
    const labels = { [LABELS.backupSchedule]: "nightly", [LABELS.origin]: "scheduled" };
    expect(intent).toMatchObject({ intents: [{ draft: { metadata: { labels } } }] });
  });

  test("begins nothing while its recipe may be run nowhere, and may still name another", () => {
    const problem = waits("ConfigNotReady", "Why.");
    const decision = decide([part("shop")], { problem });
    expect(decision).toMatchObject({ intents: [], wakeAt: NOW + 30_000, status: { phase: "Pending" } });
    expect(decision.status?.backupRefs).toBeUndefined();
  });

  test("waits where no claim matches anywhere", () => {
    const decision = decide([part("lab", { readyState: EMPTY }), part("shop", { readyState: EMPTY })]);
    expect(ready(decision)).toMatchObject({ reason: "NoSources" });
    expect(decision.status?.backupRefs).toBeUndefined();
  });

  test("that was cancelled before its beginning begins nowhere", () => {
    const cancelled = asking({}, { annotations: { [ANNOTATIONS.cancel]: "true" } });
    expect(decide([part("shop")], { backup: cancelled })).toMatchObject({
      intents: [],
      status: { phase: "Failed" },
    });
  });

  test("goes on in the others where one does not consent, and has failed at their end", () => {
    const lab = part("lab", { readyState: FORBIDDEN, consent: "nobody" });
    const running = part("shop", {
      known: known("shop", "Pending"),
      child: working("shop", { phase: "Running" }),
    });
    expect(does([lab, part("shop")])).toEqual(["Make"]);
    expect(decide([lab, running]).status).toMatchObject({
      phase: "Running",
      backupRefs: [
        { namespace: "lab", phase: "Failed", message: "Nobody consents." },
        { namespace: "shop", phase: "Running" },
      ],
    });
    const done = part("shop", { known: known("shop", "Running"), child: working("shop", succeeded) });
    const decision = decide([lab, done]);
    expect(decision.status?.phase).toBe("Failed");
    expect(ready(decision)).toMatchObject({
      status: "False",
      reason: "FailedInPart",
      message: "It failed in lab: Nobody consents. It succeeded in shop.",
    });
  });

  test("has succeeded when it has wherever there was something, with the figures of all", () => {
    const late = {
      ...succeeded,
      timing: { startTime: "2026-05-24T02:01:00Z", endTime: "2026-05-24T02:10:00Z" },
    };
    const decision = decide([
      part("billing", { known: known("billing", "Running"), child: working("billing", succeeded) }),
      part("lab", { readyState: EMPTY }),
      part("shop", { known: known("shop", "Running"), child: working("shop", late) }),
    ]);
    expect(decision.status).toMatchObject({
      phase: "Succeeded",
      backupRefs: [{ phase: "Succeeded" }, { namespace: "lab", phase: "Skipped" }, { phase: "Succeeded" }],
      timing: { startTime: "2026-05-24T02:00:00Z", endTime: "2026-05-24T02:10:00Z", durationSeconds: 600 },
      stats: { files: 6, sizeBytes: 20 },
    });
    expect(ready(decision)?.message).toBe("Backed up in billing, shop. No claim matches in lab.");
  });

  test("stays what it came to when the others are pruned", () => {
    const status: BackupStatus = {
      ...succeeded,
      observedGeneration: 1,
      backupRefs: [known("billing", "Succeeded"), known("shop", "Succeeded")],
    };
    const children = ["billing", "shop"].map((name) => part(name, { known: known(name, "Succeeded") }));
    const decision = decide(children, { backup: asking(status) });
    expect(decision).toMatchObject({ intents: [], status });
  });

  test("fails where the other one was deleted before its end", () => {
    const decision = decide([part("shop", { known: known("shop", "Running") })]);
    expect(decision).toMatchObject({ intents: [], status: { phase: "Failed" } });
    expect(ready(decision)?.message).toContain("was deleted before its end");
  });

  test("that has ended begins anew where nothing was begun only once it is edited", () => {
    const refusal = { namespace: "lab", phase: "Failed", message: "Nobody consents." } as const;
    const ended: BackupStatus = {
      phase: "Failed",
      observedGeneration: 1,
      backupRefs: [refusal],
      timing: { endTime: AT },
    };
    const now = part("lab", { known: refusal });
    expect(does([now], { backup: asking(ended) })).toEqual([]);
    expect(does([now], { backup: asking(ended, { generation: 2 }) })).toEqual(["Make"]);
  });

  test("that succeeded stays so, though it is cancelled or edited where there was nothing to back up", () => {
    const skipped = { namespace: "lab", phase: "Skipped", message: "No claim matches." } as const;
    const seen = known("shop", "Succeeded");
    const ended: BackupStatus = { ...succeeded, observedGeneration: 1, backupRefs: [skipped, seen] };
    const children = [
      part("lab", { known: skipped }),
      part("shop", { known: seen, child: working("shop", succeeded) }),
    ];
    const cancel = { annotations: { [ANNOTATIONS.cancel]: "true" } };
    for (const metadata of [cancel, { generation: 2 }]) {
      const decision = decide(children, { backup: asking(ended, metadata) });
      expect(decision.status).toMatchObject({ phase: "Succeeded", backupRefs: [skipped, {}] });
    }
    expect(does(children, { backup: asking(ended, { generation: 2 }) })).toEqual(["Adapt"]);
  });

  test("tells how many snapshots each holds, also where it failed: only a hook after them may have", () => {
    const status = { phase: "Failed", snapshots: [{ kopiaSnapshotID: "k1" }] } as unknown as BackupStatus;
    const decision = decide([
      part("lab", { child: working("lab", { phase: "Failed" }) }),
      part("shop", { child: working("shop", status) }),
    ]);
    expect(decision.status?.backupRefs).toMatchObject([{ snapshots: 0 }, { snapshots: 1 }]);
  });

  test("keeps the name of what was just made, whatever is to be said since", () => {
    const { uid: _, ...made } = known("shop", "Pending");
    const waiting: NamespaceState = { state: "waiting", reason: "Pending", message: "Why." };
    for (const readyState of [FORBIDDEN, EMPTY, waiting, undefined]) {
      const { status } = decide([part("shop", { known: made, readyState }), part("lab")]);
      expect(status?.backupRefs?.[0]).toMatchObject({ name: made.name });
    }
  });

  test("ends although one was refused by the API server, and tries that again once it is edited", () => {
    const place = childIn(asking(), "lab");
    const refusal = { ...place, phase: "Failed", refused: true, message: "Quota." } as const;
    const status: BackupStatus = {
      phase: "Running",
      observedGeneration: 1,
      backupRefs: [refusal, known("shop", "Running")],
    };
    const children = (child: BackupStatus) => [
      part("lab", { known: refusal }),
      part("shop", { known: known("shop", "Running"), child: working("shop", child) }),
    ];
    const running = children({ phase: "Running" });
    expect(does(running, { backup: asking(status) })).toEqual([]);
    const decision = decide(children(succeeded), { backup: asking(status) });
    expect(decision).toMatchObject({ intents: [], status: { phase: "Failed" } });
    expect(ready(decision)?.message).toBe("It failed in lab: Quota. It succeeded in shop.");
    const edited = decide(running, { backup: asking(status, { generation: 2 }) });
    expect(edited.intents).toMatchObject([{ intents: [{ type: "Make" }, { type: "Adapt" }] }]);
    expect(edited.status?.backupRefs?.[0]).toEqual({ ...place, phase: "Pending" });
  });

  test("is told of no end by an operator that does not see it", () => {
    const seen = known("shop", "Running");
    const decision = decide([part("shop", { known: seen, unseen: true })]);
    expect(decision).toMatchObject({ intents: [], status: { phase: "Running", backupRefs: [seen] } });
  });

  test("takes no other Backup of that name for its own", () => {
    const foreign = working("shop", succeeded, { annotations: {} });
    const decision = decide([part("shop", { child: foreign })]);
    expect(decision).toMatchObject({ intents: [], status: { phase: "Failed" } });
    expect(ready(decision)?.message).toContain("was not made for this one");
  });

  test("passes edits on, and to cancel even without consent", () => {
    const edited = asking({ backupRefs: [known("shop", "Failed")] }, { generation: 2 });
    const seen = { known: known("shop", "Failed"), child: working("shop", { phase: "Failed" }) };
    expect(does([part("shop", seen)], { backup: edited })).toEqual(["Adapt"]);
    const withdrawn = { ...seen, consent: "nobody", readyState: FORBIDDEN } as const;
    expect(does([part("shop", withdrawn)], { backup: edited })).toEqual([]);
    const annotations = { [ANNOTATIONS.cancel]: "true" };
    const cancelled = asking({ backupRefs: [known("shop", "Running")] }, { annotations });
    expect(does([part("shop", withdrawn)], { backup: cancelled })).toEqual(["Adapt"]);
  });
});

describe("a Backup of several namespaces that goes", () => {
  const going = (spec: Partial<BackupSpec> = {}) =>
    asking(
      { backupRefs: [known("lab", "Succeeded"), known("shop", "Succeeded")] },
      { deletionTimestamp: AT },
      spec,
    );
  const both = (more: Partial<ObservedChild> = {}) => [
    part("lab", { child: working("lab", succeeded), ...more }),
    part("shop", { child: working("shop", succeeded) }),
  ];

  test("takes the others along first", () => {
    expect(does(both(), { backup: going() })).toEqual(["Remove", "Remove"]);
    const left = [
      part("lab"),
      part("shop", { child: working("shop", succeeded, { deletionTimestamp: AT }) }),
    ];
    expect(decide(left, { backup: going() })).toMatchObject({ intents: [], status: { phase: "Deleting" } });
    expect(does([part("lab"), part("shop")], { backup: going() })).toEqual(["LetGo"]);
  });

  test("leaves what its policy keeps, and what is in a namespace that does not consent any more", () => {
    expect(does(both(), { backup: going({ deletionPolicy: "Retain" }) })).toEqual(["LetGo"]);
    expect(does(both({ consent: "nobody" }), { backup: going() })).toEqual(["Remove"]);
    expect(does(both(), { backup: going(), namespaceGoing: true })).toEqual(["LetGo"]);
  });

  test("goes without what this operator does not see, and says that it stays", () => {
    const unseen = part("shop", { known: known("shop", "Succeeded"), consent: "unknown", unseen: true });
    const { intents, events } = decide([part("lab"), unseen], { backup: going() });
    expect(intents).toMatchObject([{ type: "LetGo" }]);
    const { name } = childIn(asking(), "shop");
    expect(events).toMatchObject([
      { message: expect.stringContaining(`Backup shop/${name}, if it is there, stays`) },
    ]);
  });

  test("waits while it is not known who consents", () => {
    const unknown = [part("lab", { child: working("lab", succeeded), consent: "unknown" })];
    expect(decide(unknown, { backup: going() })).toMatchObject({
      intents: [],
      status: { phase: "Deleting" },
    });
  });
});

test("a Backup of as many namespaces as there may be has room for all of them in its status", () => {
  const message = "x".repeat(2000);
  const children = Array.from({ length: MOST_NAMESPACES }, (_, n) => {
    const namespace = `${n}-`.padEnd(63, "n");
    const readyState: NamespaceState = { state: "failed", reason: "Why", message };
    const place = { namespace, name: "b".repeat(63) };
    const seen = { ...place, uid: "u".repeat(36), phase: "Running", snapshots: 16 } as const;
    return part(namespace, { place, known: seen, readyState });
  });
  const status = fitted(decide(children).status ?? {});
  expect(status.backupRefs).toHaveLength(MOST_NAMESPACES);
  expect(Buffer.byteLength(JSON.stringify(status))).toBeLessThan(MAX_STATUS);
  expect(ready({ status })?.message.length).toBeLessThan(1024);
});
