import { type Backup, backupResource } from "../../kinds/kopiur/generated/backup.ts";
import { backupConfigResource } from "../../kinds/kopiur/generated/backup_config.ts";
import { repositoryResource } from "../../kinds/kopiur/generated/repository.ts";
import { type Restore, restoreResource } from "../../kinds/kopiur/generated/restore.ts";
import { Namespaces, PersistentVolumeClaims, Secrets } from "../../kube/builtin.ts";
import type { PodClient } from "../../kube/client/pod_client.ts";
import type { Client } from "../../kube/client.ts";
import type { KubeObject, ObjectName } from "../../kube/object.ts";
import { apiVersionOf, type Resource } from "../../kube/resource.ts";
import { bytesText } from "../../lib/bytes_text.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Progress } from "../../wire/progress.ts";
import { progressBar } from "../progress_bar.ts";
import type { Screen } from "../screen.ts";
import { type WaitOptions, waitFor } from "../wait_for.ts";
import { type DemoVolumeOptions, describeVolume, fillVolume } from "./demo_volume.ts";
import { compareTrees, parseDescription } from "./proof.ts";

export interface DemoOptions {
  readonly client: Client;
  readonly pods: PodClient;
  readonly clock: Clock;
  /** Of the demonstration's repository. */
  readonly password: string;
  readonly screen: Screen;
  readonly signal: AbortSignal;
  readonly moverImage: string;
  /** The objects of a file in `examples/start/`. */
  readonly example: (file: string) => readonly KubeObject[];
}

export const DEMO_NAMESPACE = "holdfast-demo";

const KINDS: readonly Resource[] = [
  Namespaces,
  PersistentVolumeClaims,
  repositoryResource,
  backupConfigResource,
  backupResource,
  restoreResource,
];

/** What could not be done, in the words of the object that says so. */
export class DemoFailed extends Error {
  override name = "DemoFailed";
}

/**
 * The main job before a person's eyes: a volume is backed up, destroyed, restored, and compared with what it was,
 * entry by entry. Everything is done through the API, with the files that a person would apply. Throws DemoFailed.
 */
export async function runDemo(options: DemoOptions): Promise<void> {
  const demo = new Demo(options);
  await demo.prepare();
  const before = await demo.fill();
  await demo.makeRepository();
  await demo.backUp();
  await demo.destroy();
  await demo.restore();
  await demo.prove(before);
}

/** The steps of a demonstration. */
export class Demo {
  readonly #options: DemoOptions;
  readonly #wait: WaitOptions;
  readonly #volume: DemoVolumeOptions;

  constructor(options: DemoOptions) {
    const { client, pods, clock, signal, moverImage: image } = options;
    this.#options = options;
    this.#wait = { client, clock, signal, timeout: 120_000 };
    this.#volume = { client, pods, wait: this.#wait, image, namespace: DEMO_NAMESPACE, claim: "documents" };
  }

  /** Removes what an earlier demonstration left. */
  async prepare(): Promise<void> {
    const { client, screen } = this.#options;
    const namespace = { name: DEMO_NAMESPACE };
    if (!(await client.delete(Namespaces, namespace))) return;
    screen.show("Removing the last demonstration …");
    await waitFor(Namespaces, namespace, (found) => found === undefined, this.#wait);
  }

  async fill(): Promise<string> {
    await this.#apply("volume.yaml");
    await fillVolume(this.#volume);
    const description = await describeVolume(this.#volume, "look-before");
    const { entries, bytes, owners } = compareTrees(parseDescription(description), []);
    this.done(
      `a volume with ${entries} files, folders and links, ${bytesText(bytes)}: ${owners > 1 ? "several owners" : "one owner"}, hard links, holes, attributes, odd names`,
    );
    return description;
  }

  async makeRepository(): Promise<void> {
    const { client, password } = this.#options;
    const metadata = { namespace: DEMO_NAMESPACE, name: "repository-password" };
    await client.create(Secrets, { metadata, stringData: { KOPIA_PASSWORD: password } });
    await this.#apply("repository.yaml");
    const { status } = await this.settled(repositoryResource, "repository", {
      good: ["Ready"],
      bad: ["Failed"],
    });
    this.done(`an encrypted kopia repository, ${status?.uniqueID?.slice(0, 12)}`);
  }

  async backUp(): Promise<void> {
    await this.#apply("backup.yaml");
    const backup = await this.settled<Backup>(
      backupResource,
      "documents-first",
      { good: ["Succeeded"], bad: ["Failed"] },
      ({ status }) => status?.progress,
    );
    this.done(`backed up as snapshot ${backup.status?.snapshot?.kopiaSnapshotID?.slice(0, 12)}`);
  }

  async destroy(): Promise<void> {
    const { client, screen } = this.#options;
    screen.line("$ kubectl delete pvc documents");
    const name = { namespace: DEMO_NAMESPACE, name: "documents" };
    await client.delete(PersistentVolumeClaims, name);
    await waitFor(PersistentVolumeClaims, name, (found) => found === undefined, this.#wait);
    this.done("the volume and everything on it is gone");
  }

  async restore(): Promise<void> {
    await this.#apply("restore.yaml");
    await this.settled<Restore>(
      restoreResource,
      "documents",
      { good: ["Completed"], bad: ["Failed"] },
      ({ status }) => status?.progress && restoreProgress(status.progress),
    );
    this.done("restored into a new volume");
  }

  async prove(before: string): Promise<void> {
    const after = await describeVolume(this.#volume, "look-after");
    const { entries, bytes, differences } = compareTrees(parseDescription(before), parseDescription(after));
    if (entries === 0) throw new DemoFailed("Nothing could be compared: the volume was never filled");
    if (differences.length > 0) {
      const some = differences.slice(0, 10).join("\n  ");
      const count = differences.length === 1 ? "1 difference" : `${differences.length} differences`;
      throw new DemoFailed(`${count} after the restore:\n  ${some}`);
    }
    this.done(
      `${entries} of ${entries} entries, ${bytesText(bytes)}, are identical in content, owner, mode, time, links and attributes`,
    );
  }

  async #apply(file: string): Promise<void> {
    const { client, example, screen } = this.#options;
    screen.line(`$ kubectl apply -f examples/start/${file}`);
    for (const object of example(file)) {
      const resource = KINDS.find(
        (kind) => kind.kind === object.kind && apiVersionOf(kind) === object.apiVersion,
      );
      if (!resource)
        throw new DemoFailed(`examples/start/${file} holds a ${object.kind}, which is not known`);
      await client.apply(resource, object, { fieldManager: "holdfast-demo" });
    }
  }

  /** Waits until the object is in one of the good phases, showing its progress. */
  async settled<T extends KubeObject & { readonly status?: { readonly phase?: string } }>(
    resource: Resource<T>,
    name: string,
    phases: { readonly good: readonly string[]; readonly bad: readonly string[] },
    progressOf: (object: T) => Progress | undefined = () => undefined,
  ): Promise<T> {
    const { screen } = this.#options;
    const object = await waitFor(
      resource,
      { namespace: DEMO_NAMESPACE, name },
      (found) => {
        if (!found) return false;
        const phase = found.status?.phase ?? "Pending";
        const progress = progressOf(found);
        const room = screen.columns - phase.length - 3;
        screen.show(`  ${phase}${progress ? ` ${progressBar(progress, { room })}` : " …"}`);
        return [...phases.good, ...phases.bad].includes(phase);
      },
      this.#wait,
    );
    if (object && phases.good.includes(object.status?.phase ?? "")) return object;
    throw new DemoFailed(`${resource.kind} ${name} is ${object?.status?.phase}: ${whyOf(object)}`);
  }

  /** Waits until this holds of an object. */
  until<T extends KubeObject>(
    resource: Resource<T>,
    name: ObjectName,
    holds: (object: T | undefined) => boolean,
  ): Promise<T | undefined> {
    return waitFor(resource, name, holds, this.#wait);
  }

  /** Says what was reached. */
  done(text: string): void {
    this.#options.screen.line(`  ✓ ${text}`);
  }
}

function restoreProgress(progress: NonNullable<NonNullable<Restore["status"]>["progress"]>): Progress {
  const { bytesRestored = 0, filesRestored = 0, bytesTotal = 0 } = progress;
  return { bytes: bytesRestored, files: filesRestored, estimatedBytes: bytesTotal };
}

function whyOf(object: KubeObject | undefined): string {
  const { conditions = [] } = (object as { status?: { conditions?: { message: string }[] } })?.status ?? {};
  return conditions
    .map(({ message }) => message)
    .filter(Boolean)
    .join("; ");
}
