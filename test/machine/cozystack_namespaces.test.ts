import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { backupClassResource } from "../../src/kinds/cozystack/generated/backup_class.ts";
import { backupJobResource } from "../../src/kinds/cozystack/generated/backup_job.ts";
import { restoreJobResource } from "../../src/kinds/cozystack/generated/restore_job.ts";
import { volumeResource } from "../../src/kinds/cozystack/generated/volume.ts";
import { ANNOTATIONS } from "../../src/kinds/kopiur/annotations.ts";
import { clusterRepositoryResource } from "../../src/kinds/kopiur/generated/cluster_repository.ts";
import { restoreResource } from "../../src/kinds/kopiur/generated/restore.ts";
import { Namespaces, PersistentVolumeClaims, Secrets, StatefulSets } from "../../src/kube/builtin.ts";
import type { HttpClient } from "../../src/kube/client/http_client.ts";
import type { Draft, KubeObject } from "../../src/kube/object.ts";
import type { Resource } from "../../src/kube/resource.ts";
import { testEngines } from "../../tools/images/test_engines.ts";
import { STORAGES } from "../engines/servers.ts";
import { volumeHandle } from "../scenarios/volume_handle.ts";
import { HoldfastHome } from "./holdfast_home.ts";

/* Restoring into another namespace, in the program as people use it, with the webhooks of all APIs. */

const PATIENCE = 60_000;
const DATABASE = { apiGroup: "apps", kind: "StatefulSet", name: "db" };
const SECRET = { namespace: "platform", name: "tenants" };

interface Phased extends KubeObject {
  readonly status?: { readonly phase?: string };
}

async function until<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
  const end = performance.now() + PATIENCE;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (performance.now() > end) throw new Error(`waited in vain: ${what}`);
    await pause(100);
  }
}

/** The words to write the story in. */
class Story {
  readonly client: HttpClient;

  constructor(client: HttpClient) {
    this.client = client;
  }

  create<T extends KubeObject>(resource: Resource<T>, name: string, spec: object, namespace?: string) {
    const metadata = { name, ...(namespace ? { namespace } : {}) };
    return this.client.create(resource, { metadata, spec } as unknown as Draft<T>);
  }

  phase<T extends Phased>(
    resource: Resource<T>,
    name: string,
    phase: string,
    namespace?: string,
  ): Promise<T> {
    return until(`${name} is ${phase}`, async () => {
      const found = await this.client.get(resource, { name, ...(namespace ? { namespace } : {}) });
      if (found.status?.phase === "Failed") throw new Error(JSON.stringify(found.status, null, 2));
      return found.status?.phase === phase ? found : undefined;
    });
  }
}

test.runIf(process.getuid?.() === 0)(
  "an application comes back in another namespace, for who may restore there",
  { timeout: 300_000 },
  async () => {
    await using home = new HoldfastHome();
    const folder = mkdtempSync(join(tmpdir(), "holdfast-s3-"));
    await using stack = new AsyncDisposableStack();
    stack.defer(() => rmSync(folder, { recursive: true, force: true }));
    const server = await STORAGES.find(({ kind }) => kind === "s3")?.start(folder);
    if (!server) throw new Error("there is no S3 server to start");
    stack.defer(() => server.stop());
    const { backend, credentials } = server.at("tenants/");
    const { output } = home.runProgram("tools/run/start.ts", ["--no-demo"], {
      HOLDFAST_PROGRAMS: JSON.stringify(testEngines()),
    });
    await until("the program", async () => output.find((line) => line.includes("is ready")));
    const { client } = await home.client();
    const story = new Story(client);
    const annotations = { [ANNOTATIONS.allowPrivilegedMovers]: "true" };
    for (const name of ["platform", "tenant-a", "tenant-b"]) {
      await client.create(Namespaces, { metadata: { name, annotations } });
    }

    const stringData = { ...credentials, KOPIA_PASSWORD: "a-password-of-this-test" };
    await client.create(Secrets, { metadata: SECRET, stringData });
    if (!("s3" in backend)) throw new Error("the S3 server has another backend");
    const { bucket, endpoint, region } = backend.s3;
    await story.create(clusterRepositoryResource, "tenants", {
      backend: { s3: { bucket, endpoint, region, prefix: "tenants/", auth: { secretRef: SECRET } } },
      encryption: { passwordSecretRef: SECRET },
      create: { enabled: true },
      allowedNamespaces: { all: true },
    });
    await story.phase(clusterRepositoryResource, "tenants", "Ready");
    await story.create(volumeResource, "volumes", {
      repository: { name: "tenants" },
      copyMethod: "Direct",
      groupBy: "None",
      mover: { privilegedMode: true },
    });
    await story.create(backupClassResource, "standard", {
      strategies: [{ strategyRef: { kind: "Volume", name: "volumes" }, application: DATABASE }],
    });

    const claim = { namespace: "tenant-a", name: "data-db-0" };
    await story.create(
      PersistentVolumeClaims,
      claim.name,
      { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "100Mi" } } },
      claim.namespace,
    );
    const volume = async (namespace: string) =>
      join(home.folder, "node", "volumes", await volumeHandle(client, { ...claim, namespace }));
    const source = await until("the volume", () => volume(claim.namespace).catch(() => undefined));
    mkdirSync(source, { recursive: true });
    writeFileSync(join(source, "orders"), "1000 orders");
    await story.create(
      StatefulSets,
      "db",
      {
        replicas: 0,
        serviceName: "db",
        selector: { matchLabels: { app: "db" } },
        template: {
          metadata: { labels: { app: "db" } },
          spec: { containers: [{ name: "db", image: "db" }] },
        },
        volumeClaimTemplates: [{ metadata: { name: "data" }, spec: {} }],
      },
      "tenant-a",
    );
    const spec = { applicationRef: DATABASE, backupClassName: "standard" };
    await story.create(backupJobResource, "first", spec, "tenant-a");
    await story.phase(backupJobResource, "first", "Succeeded", "tenant-a");

    // Whoever writes this may do everything, so that the webhook notes the consent.
    const away = { backupRef: { name: "first" }, targetNamespace: "tenant-b" };
    const job = await story.create(restoreJobResource, "away", away, "tenant-a");
    expect(job.metadata.annotations).toMatchObject({
      "backups.cozystack.io/consented-references": "RestoreJob/tenant-b/*",
    });
    await story.phase(restoreJobResource, "away", "Succeeded", "tenant-a");
    expect(readFileSync(join(await volume("tenant-b"), "orders"), "utf8")).toBe("1000 orders");
    await until("nothing of the restore is left", async () => {
      const { items } = await client.list(restoreResource, { namespace: "tenant-b" });
      return items.length === 0 || undefined;
    });
  },
);
