import { backupConfigResource } from "../../kinds/kopiur/generated/backup_config.ts";
import { backupScheduleResource } from "../../kinds/kopiur/generated/backup_schedule.ts";
import { repositoryResource } from "../../kinds/kopiur/generated/repository.ts";
import { restoreResource } from "../../kinds/kopiur/generated/restore.ts";
import { ApplyConflict, isNotFound } from "../../kube/api_error.ts";
import type { Client } from "../../kube/client.ts";
import { type KubeObject, keyOf } from "../../kube/object.ts";
import type { Resource } from "../../kube/resource.ts";
import { isRecord, jsonEqual } from "../../lib/json.ts";
import { CommandProblem } from "../frame/problem.ts";
import type { Manifest } from "./migrated_source.ts";

const MANAGER = "holdfast-migrate";
const KINDS: readonly Resource[] = [
  repositoryResource,
  backupConfigResource,
  backupScheduleResource,
  restoreResource,
];

export interface ApplyPorts {
  readonly client: Pick<Client, "get" | "apply">;
  readonly signal: AbortSignal;
  /** Told of each object what became of it. */
  readonly say: (line: string) => void;
}

/**
 * Applies manifests, once they all can be: each is tried out first. One that somebody changed after an earlier
 * migration stays as it is, and one that no migration made stops all of them.
 */
export async function applyManifests(manifests: readonly Manifest[], ports: ApplyPorts): Promise<void> {
  const found = await Promise.all(
    manifests.map(async (manifest) => ({ manifest, there: await present(ports, manifest) })),
  );
  const foreign = found.filter(({ there }) => there && !isOurs(there)).map(({ manifest }) => named(manifest));
  if (foreign.length > 0) {
    throw new CommandProblem("objects of these names are there already", {
      why: `No migration made ${foreign.join(", ")}.`,
      fix: "Compare them with the manifests that are printed without --apply, and delete them or apply the rest by hand. Nothing was applied.",
    });
  }
  const tried: (typeof found)[number][] = [];
  for (const one of found) {
    const then = await written(ports, one.manifest, { dryRun: true });
    const reason = then instanceof ApplyConflict ? why(then) : one.there && changes(one.there, then);
    if (reason) ports.say(`${named(one.manifest)} stays as it is: ${reason}`);
    else tried.push(one);
  }
  for (const { manifest, there } of tried) {
    const now = await written(ports, manifest, {});
    if (now instanceof ApplyConflict) throw now;
    const same = now.metadata.resourceVersion === there?.metadata.resourceVersion;
    ports.say(`${named(manifest)} is ${same ? "applied already" : "applied"}`);
  }
}

async function present({ client, signal }: ApplyPorts, manifest: Manifest): Promise<KubeObject | undefined> {
  return client.get(resourceOf(manifest), manifest.metadata, { signal }).catch((error: unknown) => {
    if (isNotFound(error)) return undefined;
    throw error;
  });
}

function isOurs({ metadata }: KubeObject): boolean {
  return metadata.managedFields?.some(({ manager }) => manager === MANAGER) === true;
}

async function written(
  { client, signal }: ApplyPorts,
  manifest: Manifest,
  options: { readonly dryRun?: true },
): Promise<KubeObject | ApplyConflict> {
  const object = manifest as object as KubeObject;
  return client
    .apply(resourceOf(manifest), object, { fieldManager: MANAGER, signal, ...options })
    .catch((error: unknown) => {
      if (error instanceof ApplyConflict) return error;
      throw error;
    });
}

function resourceOf({ kind }: Manifest): Resource {
  const resource = KINDS.find((one) => one.kind === kind);
  if (!resource) throw new TypeError(`a ${kind} is not applied here`);
  return resource;
}

function named({ kind, metadata }: Manifest): string {
  return `${kind} ${keyOf(metadata)}`;
}

/** What somebody removed is nobody's: the server lets it be put back without a conflict. */
function changes(there: KubeObject, then: KubeObject): string | undefined {
  const fields = differences(there, then, "spec");
  return fields.length > 0 ? `it would change ${fields.join(", ")}.` : undefined;
}

function differences(there: unknown, then: unknown, key: string, above = ""): readonly string[] {
  const [before, after] = [there, then].map((one) => (isRecord(one) ? one[key] : undefined));
  if (jsonEqual(before, after)) return [];
  const path = `${above}${key}`;
  if (!isRecord(before) || !isRecord(after)) return [path];
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...keys].flatMap((below) => differences(before, after, below, `${path}.`));
}

function why({ owners }: ApplyConflict): string {
  const changed = owners.map(({ field, manager }) => `${field.replace(/^\./, "")} (by ${manager})`);
  return `since the migration before, somebody changed ${changed.join(", ")}.`;
}
