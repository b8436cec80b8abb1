import { mkdtemp, rm } from "node:fs/promises";
import { describe, test } from "vitest";
import {
  type RunningStorage,
  StorageUnavailable,
  type StorageUnderTest,
} from "../../src/engines/testing/backend_cases.ts";
import { ConfigMaps } from "../../src/kube/builtin.ts";
import { CAPABILITIES, type EngineName } from "../../src/wire/capabilities.ts";
import { STORAGES, startS3 } from "../engines/servers.ts";
import { comesBack } from "../scenarios/backup_and_restore.ts";
import { embeddedCan, embeddedWorld } from "../scenarios/embedded_world.ts";
import { LONG, Moments } from "../scenarios/faults_moments.ts";
import { Stage } from "../scenarios/stage.ts";
import { AUTHORITIES, authoritiesOf, storageOf } from "../scenarios/storage_of.ts";

const SECRET = "repository";
const moments = new Moments(29);

/** S3 has scenarios of its own, and one way to log in to SFTP is enough. Azure's server takes long to start. */
const UNDER_TEST: readonly StorageUnderTest[] = [
  ...STORAGES.filter(
    ({ kind, name }) =>
      !["s3", "rclone"].includes(kind) && name !== "SFTP with a password" && (LONG || kind !== "azure"),
  ),
  { name: "rclone", kind: "rclone", start: rcloneOnS3 },
];

/** A mover can write no folder of this machine: its remote is a server. */
async function rcloneOnS3(folder: string): Promise<RunningStorage> {
  const s3 = await startS3(folder);
  const { backend, credentials = {} } = s3.at("");
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY } = credentials;
  const { bucket, endpoint } = (backend as Extract<typeof backend, { readonly s3: object }>).s3;
  // The bucket is there: to make sure of it, rclone would go on trying to create it.
  const lines = [
    ...["[store]", "type = s3", "provider = Other", "region = us-east-1", `endpoint = ${endpoint}`],
    "no_check_bucket = true",
    ...[`access_key_id = ${AWS_ACCESS_KEY_ID}`, `secret_access_key = ${AWS_SECRET_ACCESS_KEY}`],
  ];
  return {
    at: (name) => ({
      backend: { rclone: { remote: `store:${bucket}/${name}` } },
      credentials: { RCLONE_CONFIG: `${lines.join("\n")}\n` },
    }),
    stop: () => s3.stop(),
  };
}

/** One engine for each storage, another each time; in the long run both, where both know it. */
function enginesFor({ kind }: StorageUnderTest): readonly EngineName[] {
  const known = (["kopia", "restic"] as const).filter((name) => CAPABILITIES[name].backends.includes(kind));
  const [first = "kopia", ...others] = known;
  return LONG ? known : [moments.oneOf<EngineName>([first, ...others])];
}

describe.runIf(embeddedCan)("a Repository on another storage, in the embedded world", () => {
  for (const storage of UNDER_TEST) {
    test.for(enginesFor(storage))(
      `${storage.name}, with %s: a volume comes back as it was`,
      {
        timeout: 300_000,
      },
      async (engine, { skip }) => {
        // Movers have a /tmp of their own, and must see the certificate that their environment names.
        const folder = await mkdtemp("/var/tmp/hf-storage-");
        await using stack = new AsyncDisposableStack();
        stack.defer(() => rm(folder, { recursive: true, force: true }));
        const server = await storage.start(folder).catch((error: unknown) => {
          if (error instanceof StorageUnavailable) return skip(error.message);
          throw error;
        });
        stack.defer(() => server.stop());
        const world = stack.use(await embeddedWorld({ moverEnv: server.env ?? {} }));
        const stage = stack.use(await Stage.enter(world, engine));
        const place = server.at("household");
        const ca = authoritiesOf(place);
        if (ca) {
          await world.client.create(ConfigMaps, {
            metadata: { namespace: stage.namespace, name: AUTHORITIES.configMapName },
            data: { [AUTHORITIES.key]: ca },
          });
        }
        const credentials = { ...place.credentials } as Readonly<Record<string, string>>;
        await comesBack(stage, await stage.repository(storageOf(place, SECRET), credentials));
      },
    );
  }
});
