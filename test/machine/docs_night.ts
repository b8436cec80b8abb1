import { setTimeout as pause } from "node:timers/promises";
import { planResource } from "../../src/kinds/cozystack/generated/plan.ts";
import { ANNOTATIONS } from "../../src/kinds/kopiur/annotations.ts";
import { backupResource } from "../../src/kinds/kopiur/generated/backup.ts";
import { backupConfigResource } from "../../src/kinds/kopiur/generated/backup_config.ts";
import { backupScheduleResource } from "../../src/kinds/kopiur/generated/backup_schedule.ts";
import { clusterRepositoryResource } from "../../src/kinds/kopiur/generated/cluster_repository.ts";
import { maintenanceResource } from "../../src/kinds/kopiur/generated/maintenance.ts";
import { repositoryResource } from "../../src/kinds/kopiur/generated/repository.ts";
import { restoreResource } from "../../src/kinds/kopiur/generated/restore.ts";
import { Namespaces, PersistentVolumeClaims, PersistentVolumes, Secrets } from "../../src/kube/builtin.ts";
import type { Draft, KubeObject, ObjectName } from "../../src/kube/object.ts";
import type { Resource } from "../../src/kube/resource.ts";
import type { Ended } from "../scenarios/cli_program.ts";
import { CliPlace } from "./cli_place.ts";
import { furnishDrill } from "./docs_drill.ts";

const NIGHT = "night";
/** Where the operator of `npm start` keeps what is the cluster's. */
const PLATFORM = "holdfast";
const PASSWORD = { namespace: PLATFORM, name: "password" };
const KEEPER = { namespace: PLATFORM, name: "shared-keeper" };

/** How long an object may take to the state that a page finds it in. */
const PATIENCE = 120_000;

interface Phased extends KubeObject {
  readonly status?: { readonly phase?: string };
}

/** `npm start` with the objects that guides and runbooks are about, each in the state in which they find it. */
export class DocsNight implements AsyncDisposable {
  readonly place: CliPlace;
  #begun = 0;

  private constructor(place: CliPlace) {
    this.place = place;
  }

  static async open(): Promise<DocsNight> {
    const night = new DocsNight(await CliPlace.open());
    try {
      await night.#furnish();
      return night;
    } catch (error) {
      await night[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Runs `holdfast` with these words. Where it asks, the answer is yes; `backup/running` is one that runs now. */
  async run(words: readonly string[]): Promise<Ended> {
    const asks = words[0] === "restore" && !words.includes("--dry-run");
    const running = words.includes("backup/running") ? `backup/${await this.#backupUnderWay()}` : "";
    const typed = words.map((word) => (word === "backup/running" ? running : word));
    return this.place.run(asks ? [...typed, "--yes"] : typed);
  }

  /** Has happen what leads somebody to a page, where that does not last until then. */
  async leadsTo(page: string): Promise<void> {
    if (page !== "docs/runbooks/HoldfastMaintenanceOverdue.md") return;
    const { client } = this.place;
    await this.#withWrongPassword(PLATFORM, async () => {
      const patch = { metadata: { annotations: { [ANNOTATIONS.runRequested]: "quick now" } } };
      await client.patch(maintenanceResource, KEEPER, { type: "merge", patch });
      await this.#is(maintenanceResource, KEEPER, "Failed");
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.place[Symbol.asyncDispose]();
  }

  async #furnish(): Promise<void> {
    await this.place.furnish(NIGHT, "kopia", [
      { path: "letters", folder: {} },
      { path: "letters/anna.txt", file: { text: "dear Anna\n" } },
    ]);
    const parts = [this.#backedUp(), this.#away(), this.#shared(), this.#rebuilt(), this.#planned()];
    await Promise.all([...parts, furnishDrill(this.place)]);
  }

  /** A recipe with a schedule, a Backup of it that succeeded and one that failed, and a Restore that failed. */
  async #backedUp(): Promise<void> {
    const place = this.place;
    const repository = { kind: "Repository", name: "repository" };
    await place.create(maintenanceResource, NIGHT, "keeper", { repository });
    await place.create(backupScheduleResource, NIGHT, "nightly", {
      configRef: { name: "documents" },
      schedule: { cron: "0 3 1 1 *" },
    });
    await place.create(backupResource, NIGHT, "first", { configRef: { name: "documents" } });
    await this.#is(backupResource, { namespace: NIGHT, name: "first" }, "Succeeded");
    await place.create(restoreResource, NIGHT, "lost", {
      source: { backupRef: { name: "first" } },
      target: { pvc: { name: "lost", capacity: "100Mi", accessModes: ["ReadWriteOnce"] } },
      options: { path: "nowhere" },
      mover: { privilegedMode: true },
    });
    await this.#is(restoreResource, { namespace: NIGHT, name: "lost" }, "Failed");
    await this.#withWrongPassword(NIGHT, async () => {
      await place.create(backupResource, NIGHT, "failed", { configRef: { name: "documents" } });
      await this.#is(backupResource, { namespace: NIGHT, name: "failed" }, "Failed");
    });
  }

  /** A repository that is not where it should be, and a Backup that waits for it. */
  async #away(): Promise<void> {
    const place = this.place;
    await place.claim(NIGHT, "away");
    await place.create(repositoryResource, NIGHT, "away", onVolume("away"));
    await place.create(backupConfigResource, NIGHT, "unlucky", {
      repository: { name: "away" },
      sources: [{ pvc: { name: "documents" } }],
      copyMethod: "Direct",
    });
    await place.create(backupResource, NIGHT, "waiting", { configRef: { name: "unlucky" } });
    await this.#is(repositoryResource, { namespace: NIGHT, name: "away" }, "Failed");
  }

  /** The same of the whole cluster; and one that is there, with a Maintenance. */
  async #shared(): Promise<void> {
    const { client } = this.place;
    const stringData = { KOPIA_PASSWORD: "correct horse" };
    await client.apply(Namespaces, { metadata: { name: PLATFORM } }, { fieldManager: "docs" });
    await client.create(Secrets, { metadata: PASSWORD, stringData });
    for (const name of ["gone", "shared"]) {
      await this.place.claim(PLATFORM, name);
      const spec = {
        ...onVolume(name),
        encryption: { passwordSecretRef: PASSWORD },
        create: { enabled: name === "shared" },
        allowedNamespaces: { list: [NIGHT] },
      };
      const draft = { metadata: { name }, spec } as unknown as Draft<KubeObject>;
      await client.create(clusterRepositoryResource as unknown as Resource<KubeObject>, draft);
    }
    const repository = { kind: "ClusterRepository", name: "shared" };
    await this.place.create(maintenanceResource, PLATFORM, KEEPER.name, { repository });
    await this.#is(clusterRepositoryResource, { name: "gone" }, "Failed");
    await this.#is(clusterRepositoryResource, { name: "shared" }, "Ready");
  }

  /** An application's Plan whose class nobody made. */
  async #planned(): Promise<void> {
    await this.place.create(planResource, NIGHT, "planned", {
      applicationRef: { kind: "Postgres", name: "orders" },
      backupClassName: "none",
      schedule: { type: "cron", cron: "0 3 1 1 *" },
    });
  }

  /** A namespace that has the repository's volume, too, as one on an NFS export would be had. */
  async #rebuilt(): Promise<void> {
    const { client } = this.place;
    const annotations = { [ANNOTATIONS.allowPrivilegedMovers]: "true" };
    const copy = { namespace: "rebuilt", name: "repository" };
    await client.create(Namespaces, { metadata: { name: copy.namespace, annotations } });
    const original = { namespace: NIGHT, name: "repository" };
    // Once it has a volume.
    await this.place.volume(original.namespace, original.name);
    const claim = await client.get(PersistentVolumeClaims, original);
    const { spec } = await client.get(PersistentVolumes, { name: claim.spec?.volumeName ?? "" });
    await client.create(PersistentVolumes, {
      metadata: { name: "export" },
      spec: { ...spec, claimRef: copy },
    });
    await this.place.claim(copy.namespace, copy.name);
  }

  /** Does something while the password of this namespace's repositories is another. */
  async #withWrongPassword(namespace: string, work: () => Promise<void>): Promise<void> {
    const { client } = this.place;
    const set = (password: string) => {
      const patch = { stringData: { KOPIA_PASSWORD: password } };
      return client.patch(Secrets, { namespace, name: PASSWORD.name }, { type: "merge", patch });
    };
    await set("battery staple");
    await work();
    await set("correct horse");
  }

  /** The name of a Backup that has begun, and has a while before its mover is done. */
  async #backupUnderWay(): Promise<string> {
    const name = `running-${++this.#begun}`;
    const recipe = `slow-${this.#begun}`;
    const containers = [{ name: "wait", image: "holdfast/host", command: ["sleep", "3"] }];
    const jobSpec = { template: { spec: { restartPolicy: "Never", containers } } };
    await this.place.create(backupConfigResource, NIGHT, recipe, {
      repository: { name: "repository" },
      sources: [{ pvc: { name: "documents" } }],
      copyMethod: "Direct",
      mover: { privilegedMode: true },
      hooks: { beforeSnapshot: [{ runJob: { jobSpec } }] },
    });
    await this.place.create(backupResource, NIGHT, name, { configRef: { name: recipe } });
    await this.#is(backupResource, { namespace: NIGHT, name }, "Running");
    return name;
  }

  /** Waits until an object is in a phase. */
  async #is(resource: Resource<Phased>, name: ObjectName, phase: string): Promise<void> {
    const until = performance.now() + PATIENCE;
    for (;;) {
      const { status } = await this.place.client.get(resource, name);
      if (status?.phase === phase) return;
      if (performance.now() > until) {
        throw new Error(`${resource.kind} ${name.name} is not ${phase}: ${JSON.stringify(status)}`);
      }
      await pause(100);
    }
  }
}

/** A repository on the claim of its name, which is used only if there is one already. */
function onVolume(claim: string) {
  return {
    backend: { filesystem: { pvc: { name: claim } } },
    encryption: { passwordSecretRef: { name: PASSWORD.name } },
  };
}
