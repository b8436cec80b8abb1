import { expect, test } from "vitest";
import { MADE_FOR } from "../../../core/volumes/claim_request.ts";
import { standIn } from "../../../core/volumes/populator/decide_new_claim.ts";
import { primeMeta } from "../../../core/volumes/populator/population_marks.ts";
import { FIRST_ATTEMPT } from "../../../core/work/run_record.ts";
import { restoreResource } from "../../../kinds/kopiur/generated/restore.ts";
import { ApiError } from "../../../kube/api_error.ts";
import { RecordingClient } from "../../../kube/testing/recording_client.ts";
import { VirtualClock } from "../../../lib/virtual_clock.ts";
import type { KopiurPorts } from "../ports.ts";
import { AT, NOW, restore, SETTINGS } from "../testing/samples.ts";
import { observeRestore } from "./observe_restore.ts";
import { claimRequest } from "./restore_target.ts";
import { RESTORE } from "./restore_tasks.ts";
import { claimOf } from "./testing/restore_samples.ts";

const resolved = { repository: { kind: "Repository", name: "nas" }, snapshotID: "k1", pinnedAt: AT } as const;
const target = restore().spec.target?.pvc;
if (!target) throw new Error("the sample has another target");
const source = { resource: restoreResource, name: "again", uid: "uid-again" };
const prime = claimOf(
  { ...primeMeta(standIn(claimRequest(restore(), target)), source), uid: "uid-prime" },
  { volumeName: "pvc-uid-prime" },
);
const others = claimOf({ name: "restored", annotations: { [MADE_FOR]: "uid-other" } });

/** With these claims, and nothing else. */
function portsOf(claims: readonly ReturnType<typeof claimOf>[]): KopiurPorts {
  const found = (name: string) => claims.find(({ metadata }) => metadata.name === name);
  const none = { get: () => undefined, indexed: () => [] };
  const client = new RecordingClient(({ resource, name }) => {
    const claim = resource.kind === "PersistentVolumeClaim" && found(name?.name ?? "");
    if (claim) return claim;
    throw new ApiError({ request: "get", code: 404, status: { code: 404, reason: "NotFound" } });
  });
  const byKey = { ...none, get: (key: string) => found(key.split("/")[1] ?? "") };
  const caches = { restores: none, backups: none, configs: none, repositories: none, claims: byKey };
  const lookup = { get: () => undefined };
  return {
    client,
    caches,
    lookup,
    settings: SETTINGS,
    clock: new VirtualClock(NOW),
  } as unknown as KopiurPorts;
}

const observe = (claims: readonly ReturnType<typeof claimOf>[], work: object = {}) =>
  observeRestore(portsOf(claims), restore({ status: { resolved, work } }), AbortSignal.timeout(60_000));

test("a mover is seen that writes into the prime claim, also when there is another's claim of the target's name", async () => {
  const writing = { [RESTORE]: { ...FIRST_ATTEMPT, job: "uid-job" } };
  const observed = await observe([prime, others], writing);
  expect(observed).toMatchObject({ claim: others, through: { prime } });
  expect(observed.run).toBeDefined();
});

test("another's claim of the target's name is all that is seen where nothing was begun", async () => {
  const observed = await observe([others]);
  expect(observed).toMatchObject({ claim: others });
  expect(observed).not.toHaveProperty("through");
  expect(observed).not.toHaveProperty("run");
});
