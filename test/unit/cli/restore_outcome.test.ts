import { afterAll, beforeAll, expect, test } from "vitest";
import { backupResource } from "../../../src/kinds/kopiur/generated/backup.ts";
import { restoreResource } from "../../../src/kinds/kopiur/generated/restore.ts";
import { ignoreGone } from "../../../src/kube/api_error.ts";
import { PersistentVolumeClaims } from "../../../src/kube/builtin.ts";
import { sleep, systemClock } from "../../../src/lib/clock.ts";
import { CliGround } from "./cli_ground.ts";

const namespace = "default";
let ground: CliGround;

beforeAll(async () => {
  ground = await CliGround.open();
  const metadata = { namespace, name: "monday" };
  const claim = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
  await ground.client.create(PersistentVolumeClaims, {
    metadata: { namespace, name: "documents" },
    spec: claim,
  });
  await ground.client.create(backupResource, { metadata, spec: { configRef: { name: "documents" } } });
}, 60_000);

afterAll(() => ground[Symbol.asyncDispose]());

/** In the operator's place: the Restore has completed, and this is said of it. */
async function completed(name: string, [type, reason, message]: readonly [string, string, string]) {
  while (!(await ground.client.get(restoreResource, { namespace, name }).catch(ignoreGone)))
    await sleep(systemClock, 20);
  const lastTransitionTime = new Date(systemClock.now()).toISOString();
  const conditions = [{ type, status: "True", reason, message, lastTransitionTime }] as const;
  const patch = { status: { phase: "Completed", conditions } } as const;
  await ground.client.patch(
    restoreResource,
    { namespace, name },
    { type: "merge", patch },
    { subresource: "status" },
  );
}

async function ended(name: string, said: readonly [string, string, string]) {
  const [end] = await Promise.all([
    ground.run(`restore backup/monday --into documents --yes --name ${name}`),
    completed(name, said),
  ]);
  return end;
}

test("a restore that brought back what the snapshot holds is done, and says what that is", async () => {
  const message = "That is not the whole source.";
  expect(await ended("half", ["Restored", "Incomplete", message])).toMatchObject({
    code: 0,
    stdout: `restore/half is done\n  ${message}\n`,
  });
});

test("a restore into a volume that something used meanwhile is no success", async () => {
  const message = "web-0 came back while the data was written.";
  const { code, stdout, stderr } = await ended("used", ["VolumeModifiedDuringRestore", "Used", message]);
  expect([code, stdout]).toEqual([1, ""]);
  expect(stderr).toContain(
    `error: restore/used is done, and its data is in doubt\n  why: ${message}\n  fix: Restore once more`,
  );
});
