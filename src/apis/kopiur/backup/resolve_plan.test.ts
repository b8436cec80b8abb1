import { describe, expect, test } from "vitest";
import { HOOKS } from "../../../core/backup/hooks_memory.ts";
import { STAGING } from "../../../core/backup/staging_memory.ts";
import { specFingerprint } from "../../../core/reconcile/spec_fingerprint.ts";
import { NOW, SETTINGS } from "../../../core/testing/samples.ts";
import { FIRST_ATTEMPT, type RunRecord } from "../../../core/work/run_record.ts";
import { NOTHING_DONE } from "../../../core/workloads/hooks/hook_progress.ts";
import type { Backup } from "../../../kinds/kopiur/generated/backup.ts";
import type { BackupConfig } from "../../../kinds/kopiur/generated/backup_config.ts";
import type { Repository } from "../../../kinds/kopiur/generated/repository.ts";
import type { KubeObject, ObjectKey } from "../../../kube/object.ts";
import { VirtualClock } from "../../../lib/virtual_clock.ts";
import { BY_RECIPE } from "../caches.ts";
import type { KopiurPorts } from "../ports.ts";
import { readyRepository } from "../references.ts";
import { backup, readyConfig, readyNas } from "../testing/samples.ts";
import { makePlan } from "./plan.ts";
import { resolveAgain, resolvePlan } from "./resolve_plan.ts";

const claim: KubeObject = backup({ metadata: { name: "data" } });
const before = (() => {
  const repository = readyRepository(readyNas(), "billing/nas" as ObjectKey);
  const claims = new Map([["billing/data", claim]]);
  const plan = makePlan({ backup: backup(), config: readyConfig(), repository, claims });
  if (!plan.ok) throw new Error(plan.error.message);
  return plan.value;
})();
const corrected = readyConfig({
  metadata: { generation: 2 },
  spec: { copyMethod: "Clone" },
  status: { observedGeneration: 2 },
});
const GIVEN_UP = { edition: "e", failures: 1, refusal: { reason: "NotACsiVolume" } };

interface Scene {
  readonly record?: Partial<RunRecord>;
  readonly work?: object;
  readonly config?: typeof corrected;
  readonly ready?: boolean;
}

interface Found {
  readonly config: BackupConfig;
  readonly repository: Repository;
  /** Backups by that recipe. */
  readonly earlier?: readonly Backup[];
}

function portsWith({ config, repository, earlier = [] }: Found): KopiurPorts {
  const byRecipe = (index: string, key: string) =>
    index === BY_RECIPE && key === "billing/data" ? earlier : [];
  return {
    clock: new VirtualClock(NOW),
    client: {},
    settings: SETTINGS,
    caches: {
      namespaces: { get: () => ({ metadata: { name: "billing" } }) },
      configs: { get: () => config },
      claims: { get: () => claim },
      backups: { indexed: byRecipe },
      repositories: { get: () => repository },
    },
  } as unknown as KopiurPorts;
}

/** The copy method of what follows for a Backup that was refused; undefined where it stays with what it had. */
async function method({
  record,
  work,
  config = corrected,
  ready = true,
}: Scene): Promise<string | undefined> {
  const ports = portsWith({ config, repository: readyNas(ready ? {} : { status: { phase: "Failed" } }) });
  const remembered = { snapshot: { ...FIRST_ATTEMPT, edition: specFingerprint(backup()), ...record } };
  const status = { resolved: before, work: { ...remembered, [STAGING]: GIVEN_UP, ...work } };
  const again = await resolveAgain(ports, backup({ status }), before, new AbortController().signal);
  return again?.copyMethod;
}

describe("a Backup that was refused", () => {
  test("goes by its recipe, once that is corrected", async () => {
    expect(await method({})).toBe("Clone");
  });

  test.each<[string, Scene]>([
    ["its recipe is as it was", { config: readyConfig() }],
    ["its recipe is not resolved since the edit", { config: readyConfig({ metadata: { generation: 2 } }) }],
    ["the repository is not ready", { ready: false }],
    ["nothing was refused", { work: { [STAGING]: undefined } }],
    ["it has a Job", { record: { job: "uid-1" } }],
    ["a mover has run", { record: { attempt: 2, startedAt: "2026-05-24T02:00:00Z" } }],
    ["a mover has left something", { record: { attempt: 2, leftovers: ["run-1"] } }],
    ["a mover may still work", { record: { attempt: 2, unseen: ["run-1"] } }],
    ["it has failed", { record: { outcome: "Failed" } }],
    [
      "its hooks have still to run",
      {
        work: {
          [HOOKS]: { round: 1, moment: "After", attempt: 1, before: NOTHING_DONE, after: NOTHING_DONE },
        },
      },
    ],
  ])("stays with what it had while %s", async (_, scene) => {
    expect(await method(scene)).toBeUndefined();
  });

  test("takes what is there now when it is edited after it had failed, unless a mover had run", async () => {
    const scene = { config: readyConfig(), work: { [STAGING]: undefined } };
    const record = { edition: "another", outcome: "Failed" } as const;
    expect(await method({ ...scene, record })).toBe("Direct");
    const ran = { ...record, startedAt: "2026-05-24T02:00:00Z" };
    expect(await method({ ...scene, record: ran })).toBeUndefined();
  });
});

describe("the owner of what the recipe's last Backup stored", () => {
  const owner = { uid: 1000, gid: 2000 };
  const entry = {
    kopiaSnapshotID: "k1",
    identity: { username: "u", hostname: "h", sourcePath: "/p" },
    owner,
  };
  const earlier = [backup({ status: { phase: "Succeeded", snapshots: [entry] } })];
  const auth = { secretRef: { name: "creds" } };
  const inS3 = readyNas({ spec: { backend: { s3: { bucket: "backups", addressing: "Auto", auth } } } });

  const ownerNow = (found: Partial<Found>) => {
    const now = resolvePlan(portsWith({ config: readyConfig(), repository: inS3, ...found }), backup());
    if (!now.ok) throw new Error(now.error.message);
    return now.value.owner;
  };

  test("is as whom the next one is made", () => {
    expect(ownerNow({ earlier })).toEqual(owner);
    expect(ownerNow({})).toBeUndefined();
  });

  test("counts for nothing with a repository on a volume, which is one user's", () => {
    expect(ownerNow({ earlier, repository: readyNas() })).toBeUndefined();
  });
});
