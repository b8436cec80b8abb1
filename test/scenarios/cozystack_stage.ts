import { treeDifferences } from "../../src/engines/testing/tree.ts";
import { type Backup, backupResource } from "../../src/kinds/cozystack/generated/backup.ts";
import { backupClassResource } from "../../src/kinds/cozystack/generated/backup_class.ts";
import { jobResource } from "../../src/kinds/cozystack/generated/job.ts";
import { volumeResource } from "../../src/kinds/cozystack/generated/volume.ts";
import { isInvalid } from "../../src/kube/api_error.ts";
import { type Pod, StatefulSets } from "../../src/kube/builtin.ts";
import type { Client } from "../../src/kube/client.ts";
import type { Draft, KubeObject, Partially } from "../../src/kube/object.ts";
import type { Resource } from "../../src/kube/resource.ts";
import type { Account } from "./account.ts";
import { exampleRules } from "./cozystack_roles.ts";
import { HOUSEHOLD } from "./household.ts";
import { Stage } from "./stage.ts";
import type { ScenarioWorld } from "./world.ts";

export const DATABASE = { apiGroup: "apps", kind: "StatefulSet", name: "db" };
export const VOLUMES = ["data-db-0", "data-db-1"] as const;

/** What a pod that an administrator describes does: it keeps the volumes of an application in a repository of restic. */
const KEEPS = `
  const { execFileSync } = require("node:child_process");
  const { MODE, BACKUP } = process.env;
  const restic = (...args) =>
    execFileSync("/usr/local/bin/restic", ["--no-cache", "--quiet", ...args], { stdio: "inherit" });
  if (!require("node:fs").existsSync("/dumps/config")) restic("init");
  if (MODE === "backup") restic("backup", "--tag", BACKUP, "/volumes");
  if (MODE === "restore")
    restic("restore", "latest:/volumes", "--tag", BACKUP, "--target", "/volumes", "--delete", "--sparse");
`;

/** A namespace of a tenant with an application of two volumes, which has no pods, and what administrators provide. */
export class CozystackStage implements AsyncDisposable {
  readonly world: ScenarioWorld;
  readonly stage: Stage;
  /** With the rights of a tenant in this namespace alone. */
  readonly tenant: Account;

  private constructor(stage: Stage, tenant: Account) {
    this.world = stage.world;
    this.stage = stage;
    this.tenant = tenant;
  }

  static async enter(world: ScenarioWorld): Promise<CozystackStage> {
    const stage = await Stage.enter(world, "kopia");
    const [cluster, home] = ["backup-tenant", "backup-operator"].map(exampleRules);
    const rules = { cluster: cluster ?? [], home: home ?? [] };
    return new CozystackStage(stage, await world.account({ rules, home: stage.namespace }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.tenant[Symbol.asyncDispose]();
    await this.stage[Symbol.asyncDispose]();
  }

  get namespace(): string {
    return this.stage.namespace;
  }

  /** As an administrator does, or whoever is named. The server fills in the defaults, so a spec need not be whole. */
  create<T extends KubeObject & { readonly spec: object }>(
    resource: Resource<T>,
    name: string,
    spec: Partially<T["spec"]>,
    client: Client = this.world.client,
  ): Promise<T> {
    const metadata = { name, ...(resource.namespaced ? { namespace: this.namespace } : {}) };
    return client.create(resource, { metadata, spec } as unknown as Draft<T>);
  }

  /** The same as the tenant. */
  plans<T extends KubeObject & { readonly spec: object }>(
    resource: Resource<T>,
    name: string,
    spec: Partially<T["spec"]>,
  ): Promise<T> {
    return this.create(resource, name, spec, this.tenant.client);
  }

  async application(name: string = DATABASE.name): Promise<void> {
    await this.world.client.create(StatefulSets, {
      metadata: { namespace: this.namespace, name },
      spec: {
        replicas: 0,
        serviceName: name,
        selector: { matchLabels: { app: name } },
        template: {
          metadata: { labels: { app: name } },
          spec: { containers: [{ name: "main", image: this.world.moverImage }] },
        },
        volumeClaimTemplates: [
          {
            metadata: { name: "data" },
            spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "100Mi" } } },
          },
        ],
      },
    });
  }

  /** Its volumes with something in them. */
  async filled(): Promise<void> {
    for (const volume of VOLUMES) await this.stage.filledClaim(volume, HOUSEHOLD);
  }

  /** A class by which volumes go into a repository of the native API. */
  async volumeClass(name: string): Promise<void> {
    await this.stage.repositoryOnVolume();
    await this.create(volumeResource, name, {
      repository: { kind: "Repository", name: "repository" },
      copyMethod: "Direct",
      groupBy: "None",
      mover: { privilegedMode: true },
    });
    await this.create(backupClassResource, name, {
      strategies: [{ strategyRef: { kind: "Volume", name }, application: DATABASE }],
    });
  }

  /** A class by which a pod of the administrators' own takes the volumes. */
  async podClass(name: string): Promise<void> {
    await this.stage.claim("dumps");
    const volumes = VOLUMES.map((_, n) => ({
      name: `data-${n}`,
      persistentVolumeClaim: { claimName: `data-{{ .Application.metadata.name }}-${n}` },
    }));
    const spec: NonNullable<Pod["spec"]> = {
      restartPolicy: "Never",
      automountServiceAccountToken: false,
      containers: [
        {
          name: "main",
          image: this.world.moverImage,
          imagePullPolicy: "Never",
          command: ["/usr/local/bin/node", "-e", KEEPS],
          env: [
            { name: "MODE", value: "{{ .Mode }}" },
            { name: "BACKUP", value: "{{ .Backup.metadata.name }}" },
            { name: "RESTIC_REPOSITORY", value: "/dumps" },
            { name: "RESTIC_PASSWORD", value: "{{ .Parameters.password }}" },
            { name: "TMPDIR", value: "/scratch" },
          ],
          securityContext: { runAsUser: 0, runAsGroup: 0 },
          volumeMounts: [
            { name: "dumps", mountPath: "/dumps" },
            { name: "scratch", mountPath: "/scratch" },
            ...volumes.map(({ name: volume }, n) => ({ name: volume, mountPath: `/volumes/${n}` })),
          ],
        },
      ],
      volumes: [
        { name: "dumps", persistentVolumeClaim: { claimName: "dumps" } },
        { name: "scratch", emptyDir: {} },
        ...volumes,
      ],
    };
    await this.create(jobResource, name, {
      template: { spec } as unknown as Record<string, unknown>,
      artifact: { uri: "restic:///dumps/{{ .Backup.metadata.name }}" },
    });
    const parameters = { password: "a-password" };
    await this.create(backupClassResource, name, {
      strategies: [{ strategyRef: { kind: "Job", name }, application: DATABASE, parameters }],
    });
  }

  /** The first Backup of a Plan that is ready, as the tenant sees it. */
  async backupOf(plan: string): Promise<Backup> {
    const { namespace } = this;
    const found = await this.stage.eventually(`Plan ${plan} has made a Backup`, async () => {
      const { items } = await this.tenant.client.list(backupResource, { namespace });
      const value = items.find(
        ({ spec, status }) => spec.planRef?.name === plan && status?.phase === "Ready",
      );
      return { done: value !== undefined, value };
    });
    return found as Backup;
  }

  /** Something is lost, something changed, something added. */
  async damage(): Promise<void> {
    for (const name of VOLUMES) {
      await this.world.put({ namespace: this.namespace, name }, [
        { path: "stray", file: { text: "damage" } },
        { path: "letters/first.txt", file: { text: "Dear burglar,\n" }, mode: 0o777, uid: 0, gid: 0 },
        { path: "letters", folder: {}, mode: 0o700, mtime: 1n },
      ]);
    }
  }

  /** How the volumes of an application differ from what they were: bytes, owners, modes, times. */
  async differences(
    application: string,
    wanted: readonly Awaited<ReturnType<Stage["describe"]>>[],
  ): Promise<readonly string[]> {
    const found = await Promise.all(VOLUMES.map((_, n) => this.stage.describe(`data-${application}-${n}`)));
    return found.flatMap((one, n) => treeDifferences(wanted[n] ?? [], one));
  }

  /** Waits until the API server asks the webhooks. */
  async guarded(): Promise<void> {
    const template = { spec: { containers: [], nodeName: "{{ .Mode" } };
    await this.stage.eventually("the webhooks are asked", async () => {
      const draft = {
        metadata: { name: this.namespace },
        spec: { template },
      } as unknown as Draft<KubeObject>;
      const value = await this.world.client
        .create(jobResource as unknown as Resource<KubeObject>, draft, { dryRun: true })
        .then(() => undefined)
        .catch((error: unknown) => error);
      return { done: isInvalid(value), value };
    });
  }
}
