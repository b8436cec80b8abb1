import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { ReplicationSources } from "../../src/cli/migrate/volsync.ts";
import { describeTree, treeDifferences } from "../../src/engines/testing/tree.ts";
import { ANNOTATIONS } from "../../src/kinds/kopiur/annotations.ts";
import { backupResource } from "../../src/kinds/kopiur/generated/backup.ts";
import { repositoryResource } from "../../src/kinds/kopiur/generated/repository.ts";
import { Namespaces, Secrets } from "../../src/kube/builtin.ts";
import { startS3 } from "../engines/servers.ts";
import { installCrds } from "../scenarios/install_crds.ts";
import { VOLSYNC_CRDS } from "../scenarios/volsync_crds.ts";
import { backUpAsVolsync } from "../scenarios/volsync_mover.ts";
import type { CliPlace } from "./cli_place.ts";

const namespace = "media";
const OWNER = { uid: 568, gid: 568 };

/** A volume that VolSync backed up to S3 goes on with Holdfast, and what VolSync saved comes back. */
export function migratesFromVolsync(place: () => CliPlace, done: (line: string) => Promise<string>): void {
  test("goes on where VolSync was, and brings back what that had saved", { timeout: 240_000 }, async () => {
    const { client } = place();
    await using stack = new AsyncDisposableStack();
    const folder = stack.adopt(mkdtempSync(join(tmpdir(), "migrate-")), (path) =>
      rmSync(path, { recursive: true, force: true }),
    );
    const s3 = stack.adopt(await startS3(folder), (server) => server.stop());
    const { backend, credentials } = s3.at("");
    if (!("s3" in backend)) throw new Error("the S3 server is none");
    const { endpoint, bucket } = backend.s3;
    const settings = {
      RESTIC_REPOSITORY: `s3:${endpoint}/${bucket}/photos`,
      RESTIC_PASSWORD: "correct horse",
      ...credentials,
    };
    const annotations = { [ANNOTATIONS.allowPrivilegedMovers]: "true" };
    await client.create(Namespaces, { metadata: { name: namespace, annotations } });
    await client.create(Secrets, { metadata: { namespace, name: "photos-restic" }, stringData: settings });
    await place().claim(namespace, "photos");
    // Of all names, one that could be taken for the folder that VolSync has volumes in.
    await place().put(namespace, "photos", [
      { path: "", folder: {}, ...OWNER },
      { path: "data", folder: {}, ...OWNER },
      { path: "data/sea.raw", file: { random: { bytes: 300_000, seed: 4 } }, ...OWNER },
      { path: "data/notes.txt", file: { text: "from before" }, mode: 0o600, ...OWNER },
    ]);
    const volume = await place().volume(namespace, "photos");
    const before = await describeTree(volume);
    await backUpAsVolsync(volume, settings);
    await installCrds(client, VOLSYNC_CRDS, new AbortController().signal);
    while (!(await client.serves(ReplicationSources))) await pause(20);
    await place().create(ReplicationSources, namespace, "photos", {
      sourcePVC: "photos",
      paused: true,
      trigger: { schedule: "17 3 * * *" },
      restic: {
        repository: "photos-restic",
        copyMethod: "Direct",
        retain: { daily: 7 },
        moverSecurityContext: { runAsUser: OWNER.uid, runAsGroup: OWNER.gid },
      },
    });

    expect(await done(`migrate volsync -n ${namespace}`)).toContain("kind: Repository");
    expect((await client.list(repositoryResource, { namespace })).items).toEqual([]);
    await done(`migrate volsync -n ${namespace} --apply`);
    const old = await discovered(place());
    expect(
      await done(`restore backup/${old} --to old --capacity 100Mi --privileged --yes -n ${namespace}`),
    ).toMatch(/is done: /);
    expect(await changes(before, await place().volume(namespace, "old"))).toEqual([]);

    await place().put(namespace, "photos", [{ path: "data/new.txt", file: { text: "after" }, ...OWNER }]);
    await done(`backup now photos --name ours -n ${namespace}`);
    await done(`restore config/photos --to new --privileged --yes -n ${namespace}`);
    expect(await changes(await describeTree(volume), await place().volume(namespace, "new"))).toEqual([]);
    await done(`migrate volsync -n ${namespace} --apply`);
    expect(await done(`list repositories -n ${namespace}`)).toMatch(/^photos-restic +Ready +restic/m);
  });
}

/** The Backup that stands for the snapshot that was there before. */
async function discovered({ client }: CliPlace): Promise<string> {
  for (const end = performance.now() + 120_000; performance.now() < end; await pause(100)) {
    const { items } = await client.list(backupResource, { namespace });
    const found = items.find(({ status }) => status?.phase === "Discovered");
    if (found) return found.metadata.name;
  }
  const { items } = await client.list(repositoryResource, { namespace });
  throw new Error(`nothing was discovered: ${JSON.stringify(items.map(({ status }) => status))}`);
}

/** Of the folder itself restic keeps nothing where it was backed up from within. */
async function changes(wanted: Awaited<ReturnType<typeof describeTree>>, folder: string) {
  return treeDifferences(
    wanted.filter(({ path }) => path !== ""),
    (await describeTree(folder)).filter(({ path }) => path !== ""),
  );
}
