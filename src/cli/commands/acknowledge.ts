import { CONDITIONS } from "../../core/reconcile/condition_types.ts";
import { ACKNOWLEDGE_INCOMPLETE } from "../../core/restore/target_incomplete.ts";
import type { RetentionView } from "../../core/view/api_view.ts";
import { conditionOf, type ShownObject } from "../../core/view/shown_object.ts";
import { ANNOTATIONS } from "../../kinds/kopiur/annotations.ts";
import type { BackupConfig } from "../../kinds/kopiur/generated/backup_config.ts";
import { countText } from "../count_text.ts";
import type { Call } from "../frame/command.ts";
import { confirmed } from "../frame/confirmed.ts";
import { confirmedByName, type NamedConfirmation } from "../frame/confirmed_by_name.ts";
import { EXIT, type ExitCode } from "../frame/exit_codes.ts";
import { referenceOf } from "../frame/kinds.ts";
import { CommandProblem } from "../frame/problem.ts";
import { namespaceOf } from "../frame/scope.ts";
import { retentionOf } from "../retention_of.ts";
import { patched } from "./patched.ts";

/** Something that waits until a person says that it is meant. */
export interface Awaited {
  /** What happens when it is acknowledged. */
  readonly means: string;
  /** What the object says. */
  readonly why: string;
  readonly annotation: string;
  readonly value: string;
}

/** Acknowledges what an object waits for, after it was shown. */
export async function acknowledge(call: Call): Promise<ExitCode> {
  const reference = referenceOf(call.given.word(0), {
    kinds: ["repository", "clusterrepository", "config", "maintenance", "restore"],
    usual: "repository",
  });
  const { resource, name } = reference;
  const cluster = await call.cluster();
  const where = resource.namespaced ? { namespace: namespaceOf(call, cluster), name } : { name };
  const object = await cluster.client.get(resource, where, { signal: call.signal });
  const awaited = awaitedOf(object);
  if (awaited.length === 0) {
    throw new CommandProblem(`${resource.kind} ${name} waits for no acknowledgement`, {
      fix: `holdfast explain ${reference.resource.kind.toLowerCase()}/${name} says how it stands.`,
      code: EXIT.usage,
    });
  }
  for (const { why, means } of awaited) {
    call.progress.line(why);
    call.progress.line(`If you go on: ${means}`);
  }
  const annotations = Object.fromEntries(awaited.map(({ annotation, value }) => [annotation, value]));
  const pruning = annotations[ANNOTATIONS.acknowledgeShrink] && (await pruningOf(call, object, annotations));
  if (pruning) await confirmedByName(call, pruning);
  await confirmed(call, "Add --yes when this is meant.");
  await patched(
    call,
    reference,
    { metadata: { annotations } },
    () => `${resource.kind} ${name}: acknowledged.`,
  );
  return EXIT.done;
}

/** So many Backups are named. */
const MOST_NAMED = 8;

/** What has to be typed before retention deletes the Backups of what a volume held before it shrank. */
async function pruningOf(
  call: Call,
  object: ShownObject,
  annotations: Readonly<Record<string, string>>,
): Promise<NamedConfirmation | undefined> {
  const { metadata } = object;
  const config = {
    ...object,
    metadata: { ...metadata, annotations: { ...metadata.annotations, ...annotations } },
  } as unknown as BackupConfig;
  return pruningConfirmation(metadata.name, await retentionOf(call, config));
}

/** Undefined where nothing goes. */
export function pruningConfirmation(
  name: string,
  retention: RetentionView | undefined,
): NamedConfirmation | undefined {
  const { deleted = [], kept = [] } = retention ?? {};
  if (deleted.length === 0) return undefined;
  const names = deleted.slice(0, MOST_NAMED).map(({ backup }) => backup);
  const more = deleted.length > names.length ? ` and ${deleted.length - names.length} more` : "";
  const why = `Retention then DELETES ${countText(deleted.length, "Backup")} with their snapshots, and keeps ${kept.length}. To keep one of them, run holdfast hold backup/NAME first. They are: ${names.join(", ")}${more}.`;
  return { option: "confirm-pruning", name, why };
}

/** What an object waits for, of everything that people can acknowledge. */
export function awaitedOf(object: ShownObject): readonly Awaited[] {
  const held = holding(object, "DeletionsHeld");
  const { deletions, ownership } = (object.status ?? {}) as {
    readonly deletions?: { readonly held?: number; readonly acknowledgeToken?: string };
    readonly ownership?: { readonly owner?: string };
  };
  const shrunk = holding(object, "CatalogShrunk");
  const paused = holding(object, "PruningPaused");
  const named = paused && /set the annotation (\S+?)=(\S+)\.$/.exec(paused.message);
  const incomplete = holding(object, CONDITIONS.targetIncomplete);
  const ready = conditionOf(object, "Ready");
  return [
    ...(incomplete
      ? [
          {
            means:
              "the volume counts as good as it is: it is backed up again, and what was scaled down for the restore comes back.",
            why: incomplete.message,
            annotation: ACKNOWLEDGE_INCOMPLETE,
            value: incomplete.lastTransitionTime,
          },
        ]
      : []),
    ...(held && deletions?.acknowledgeToken
      ? [
          {
            means: `the snapshots of ${deletions.held ?? "the"} Backups are DELETED in the repository.`,
            why: held.message,
            annotation: ANNOTATIONS.acknowledgeDeletions,
            value: deletions.acknowledgeToken,
          },
        ]
      : []),
    ...(shrunk
      ? [
          {
            means: "the Backups whose snapshots are missing are given up.",
            why: shrunk.message,
            annotation: ANNOTATIONS.acknowledgeCatalog,
            value: shrunk.lastTransitionTime,
          },
        ]
      : []),
    ...(paused && named?.[1] && named[2]
      ? [
          {
            means: "retention prunes older Backups again.",
            why: paused.message,
            annotation: named[1],
            value: named[2],
          },
        ]
      : []),
    ...(ready?.status === "False" && ready.reason === "OwnedByAnother" && ownership?.owner
      ? [
          {
            means: `maintenance is taken over from ${ownership.owner}.`,
            why: ready.message,
            annotation: ANNOTATIONS.acknowledgeTakeover,
            value: ownership.owner,
          },
        ]
      : []),
  ];
}

function holding(object: ShownObject, type: string) {
  const condition = conditionOf(object, type);
  return condition?.status === "True" ? condition : undefined;
}
