import { expect, test } from "vitest";
import type { RepositorySpec } from "../repository/repository.ts";
import { AT, readyNas, SETTINGS } from "../testing/samples.ts";
import { askPurpose } from "./resolution.ts";
import type { Pinned, RestoreApi, RestoreSpec } from "./restore.ts";
import { askTask, RESTORE, restoreTask } from "./restore_tasks.ts";
import { RESTORES, restore } from "./testing/restore_samples.ts";

const PLACE = { namespace: "billing", consent: false, settings: SETTINGS, api: RESTORES };

const pinned: Pinned = {
  repository: { kind: "Repository", name: "nas", namespace: "billing", uniqueID: "id-0" },
  snapshotID: "k1",
  root: "root-1",
  runID: "run-1",
  pinnedAt: AT,
};

const NAS = { kind: "Repository", name: "nas", namespace: "billing" } as const;

const placeOf = (ours: boolean, prime = ours) => ({ purpose: RESTORE, claim: "restored", ours, prime });

function make(
  spec: Partial<RestoreSpec> = {},
  more: {
    engine?: "kopia" | "restic";
    backend?: RepositorySpec["backend"];
    pinned?: Pinned;
    ours?: boolean;
    prime?: boolean;
    limit?: RestoreApi["limit"];
  } = {},
) {
  const { engine = "kopia", backend, limit = RESTORES.limit } = more;
  const repository = readyNas({ spec: { engine, ...(backend ? { backend } : {}) } });
  const context = { ...PLACE, restore: restore({ spec }), api: { ...RESTORES, limit }, repository };
  return restoreTask(context, placeOf(more.ours ?? true, more.prime), more.pinned ?? pinned);
}

function task(...args: Parameters<typeof make>) {
  const made = make(...args);
  if (!made.ok) throw new Error(made.error.message);
  return made.value;
}

const options = (more: Partial<RestoreSpec["options"]>) => ({
  options: { ...restore().spec.options, ...more },
});

test("the first attempt wants an empty volume; later ones write over what an earlier one left", () => {
  const made = task();
  const work = {
    snapshot: { id: "k1", run: "run-1", root: "root-1" },
    target: "/tmp/target",
    existing: "Refuse",
    deleteExtra: false,
    sparse: true,
    atomic: true,
    ownership: "BestEffort",
    own: restore().metadata.uid,
  };
  expect(made.work).toMatchObject({ repository: { expectedId: "id-0" }, work: { restore: work } });
  expect(made.workAgain?.work).toEqual({ restore: { ...work, existing: "Overwrite" } });
  expect(made.volumes).toEqual([
    { name: "target", claim: "restored", readOnly: false, mountPath: "/tmp/target", fresh: true },
  ]);
});

test("a volume that nobody has seen must be empty, however often that was tried", () => {
  const context = { restore: restore({ spec: options({ existingFiles: "OverwriteChanged" }) }), ...PLACE };
  const place = { ...placeOf(true), unseen: true };
  const made = restoreTask({ ...context, repository: readyNas() }, place, pinned);
  expect(made.ok && made.value.work.work).toMatchObject({ restore: { existing: "Refuse" } });
  expect(made.ok && made.value.workAgain).toBeUndefined();
});

test("what is in somebody else's volume is never taken for what an earlier attempt left", () => {
  const made = task({}, { ours: false });
  expect(made.workAgain).toBeUndefined();
  expect(made.work.work).not.toHaveProperty("restore.own");
});

test("a volume that has to be empty is gone on with where an attempt of the same restore stopped, and never emptied", () => {
  const target = { pvcRef: { name: "data", scaleDownWorkloads: true } };
  const made = task(
    { target, ...options({ existingFiles: "Refuse", enableFileDeletion: true }) },
    { ours: false, prime: false },
  );
  expect(made.work.work).toMatchObject({
    restore: { existing: "Refuse", own: restore().metadata.uid, resume: true, deleteExtra: false },
  });
  expect(made.workAgain).toBeUndefined();
  const over = task({ target, ...options({ existingFiles: "Overwrite" }) }, { ours: false, prime: false });
  expect(over.work.work).not.toHaveProperty("restore.own");
  expect(over.work.work).not.toHaveProperty("restore.resume");
});

test("a claim that pods can mount is written again after a failure, and never emptied", () => {
  const made = task({}, { ours: true, prime: false });
  expect(made.work.work).not.toHaveProperty("restore.own");
  expect(made.workAgain?.work).toMatchObject({ restore: { existing: "Overwrite" } });
  expect(made.workAgain?.work).not.toHaveProperty("restore.own");
});

test("options are handed on", () => {
  const made = task(
    options({ path: "letters", existingFiles: "OverwriteChanged", enableFileDeletion: true, sparse: false }),
  );
  expect(made.work.work).toMatchObject({
    restore: { path: "letters", existing: "OverwriteChanged", deleteExtra: true, sparse: false },
  });
  expect(made.workAgain).toBeUndefined();
});

test.each<[Partial<RestoreSpec["options"]>, string]>([
  [{ ignorePermissionErrors: true }, "BestEffort"],
  [{ ignorePermissionErrors: false }, "Exact"],
  [{ ignorePermissionErrors: true, ownership: "Exact" }, "Exact"],
  [{ ownership: "Skip" }, "Skip"],
])("with %j owners are %s", (more, ownership) => {
  expect(task(options(more)).work.work).toMatchObject({ restore: { ownership } });
});

test("what an engine cannot do is left out where that loses nothing, otherwise refused before a pod runs", () => {
  expect(task({}, { engine: "restic" }).work.work).toMatchObject({ restore: { atomic: false } });
  const asked: unknown[][] = [];
  const limit: RestoreApi["limit"] = (_, ...more) => {
    asked.push(more);
    return { reason: "Unsupported", field: "f", what: "it cannot", why: "it is so", fix: "Leave it out" };
  };
  const refused = {
    ok: false,
    error: { reason: "Unsupported", message: "It cannot: it is so. Leave it out." },
  };
  expect(make({}, { pinned: { ...pinned, fidelity: "Engine" }, limit })).toMatchObject(refused);
  expect(asked).toEqual([["kopia", "Engine"]]);
});

test("it runs as the only owner of what it restores", () => {
  const auth = { secretRef: { name: "creds" } };
  const backend = { s3: { bucket: "backups", addressing: "Auto", auth } } as const;
  const one = task({}, { backend, pinned: { ...pinned, owner: { uid: 1000, gid: 2000 } } });
  expect(one.mover.securityContext).toMatchObject({ runAsUser: 1000, runAsGroup: 2000 });
  expect(task({}, { backend, pinned }).mover.securityContext).toMatchObject({ runAsUser: 65534 });
});

test("it runs as the other movers do of a repository on a volume, whose files are theirs alone", () => {
  const made = task({}, { pinned: { ...pinned, owner: { uid: 1000, gid: 2000 } } });
  expect(made.mover.securityContext).toMatchObject({ runAsUser: 65534, runAsGroup: 65534 });
});

test("a moment that is asked for is asked of the repository, so that nothing newer takes its place", () => {
  const identity = { username: "u", hostname: "h", path: "/p" };
  const asOf = "2026-05-23T20:00:00Z";
  const context = { repository: readyNas(), ...PLACE, restore: restore() };
  const asked = askTask(context, { purpose: "ask" }, { identity, point: { asOf } });
  expect(asked.ok && asked.value.work.work).toEqual({
    catalog: { filter: identity, until: asOf, limit: 100 },
  });
});

test("an edit of the Restore is another attempt, which overwrites; asking is a task of its own", () => {
  const context = { repository: readyNas(), ...PLACE };
  const identity = { username: "u", hostname: "h", path: "/p" };
  const purpose = askPurpose(restore(), { repository: NAS, identity });
  const asked = askTask({ ...context, restore: restore() }, { purpose }, { identity, point: {} });
  expect(asked.ok && asked.value.work.work).toEqual({ catalog: { filter: identity, limit: 100 } });
  const edited = restoreTask(
    { ...context, restore: restore({ metadata: { generation: 2 } }) },
    placeOf(true),
    pinned,
  );
  expect(edited.ok && edited.value.purpose).toBe(task().purpose);
  expect(edited.ok && edited.value.workAgain?.work).toMatchObject({ restore: { existing: "Overwrite" } });
  expect(asked.ok && asked.value.purpose).not.toBe(task().purpose);
});

test("another question is another run: no answer is taken for that of an earlier one", () => {
  const identity = { username: "u", hostname: "h", path: "/p" };
  const asked = { repository: NAS, identity };
  const first = askPurpose(restore(), asked);
  const others = [
    askPurpose(restore({ metadata: { generation: 2 } }), asked),
    askPurpose(restore(), { ...asked, repository: { ...NAS, namespace: "shop" } }),
    askPurpose(restore(), { ...asked, repository: { kind: "ClusterRepository", name: "nas" } }),
    ...Object.keys(identity).map((part) =>
      askPurpose(restore(), { ...asked, identity: { ...identity, [part]: "x" } }),
    ),
  ];
  expect(new Set([first, ...others]).size).toBe(others.length + 1);
});
