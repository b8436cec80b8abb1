import { ReportedFailure } from "../../../core/reconcile/reported_failure.ts";
import { type BackupConfig, backupConfigResource } from "../../../kinds/kopiur/generated/backup_config.ts";
import { ApiError, ignoreGone, isAlreadyExists } from "../../../kube/api_error.ts";
import type { CallOptions, Client, Patch } from "../../../kube/client.ts";
import { type FailureClass, judge } from "../../../kube/failure.ts";
import { keyOf } from "../../../kube/object.ts";
import { mergePatch } from "../../../kube/write/merge_patch.ts";
import { someOf } from "../../../lib/some_of.ts";
import type { DerivedConfigIntent, DerivedConfigIntents, NamespaceEntry } from "./namespace_state.ts";
import { CONFIG_REFUSED, refusedEntry } from "./namespace_state.ts";

/**
 * Carries intents out. What the API server refuses in one namespace keeps no other from it, and is told of that one, so
 * that nobody waits for it.
 */
export async function makeDerivedConfigs(
  client: Pick<Client, "create" | "patch">,
  { intents, namespaces }: DerivedConfigIntents,
  call: CallOptions,
): Promise<void> {
  const refused = new Map<string, ApiError>();
  const troubles: ApiError[] = [];
  for (const intent of intents) {
    try {
      await carryOut(client, intent, call);
    } catch (error) {
      // Nobody answers: that is so for all of them.
      if (!(error instanceof ApiError)) throw error;
      if (judge(error).class === "structural") refused.set(intent.draft.metadata.namespace ?? "", error);
      else troubles.push(error);
    }
  }
  const isKnown = ({ namespace, reason }: NamespaceEntry) =>
    reason === CONFIG_REFUSED || !refused.has(namespace);
  // What may pass soon is tried again soon, once nobody waits for the others.
  if (troubles.length > 0 && namespaces.every(isKnown)) throw troubles[0];
  if (refused.size > 0) {
    throw failureOf(intents, namespaces, refused, troubles.length > 0 ? "transient" : "structural");
  }
  if (troubles.length > 0) throw troubles[0];
}

function failureOf(
  intents: readonly DerivedConfigIntent[],
  namespaces: readonly NamespaceEntry[],
  refused: ReadonlyMap<string, ApiError>,
  failureClass: FailureClass,
): ReportedFailure {
  const keys = intents
    .map(({ draft }) => ({ namespace: draft.metadata.namespace ?? "", name: draft.metadata.name ?? "" }))
    .filter(({ namespace }) => refused.has(namespace))
    .map((name) => `BackupConfig ${keyOf(name)}`);
  const [first] = refused.values();
  const entries = namespaces.map((entry) => {
    const error = refused.get(entry.namespace);
    return error ? refusedEntry(entry, error.said) : entry;
  });
  // Those that are not Ready yet will soon be: what is refused elsewhere does not keep them from their backups.
  const phase = entries.every(({ reason }) => reason === CONFIG_REFUSED) ? "Failed" : "Degraded";
  return new ReportedFailure(
    failureClass,
    CONFIG_REFUSED,
    `${someOf(keys)}, to repeat this one, cannot be written: ${first?.message}. Put right what is said there; it is tried again every few minutes.`,
    { phase, namespaces: entries },
  );
}

async function carryOut(
  client: Pick<Client, "create" | "patch">,
  intent: DerivedConfigIntent,
  call: CallOptions,
): Promise<void> {
  if (intent.type === "Make") {
    try {
      await client.create(backupConfigResource, intent.draft, call);
    } catch (error) {
      // Whose it is, the next look tells.
      if (!isAlreadyExists(error)) throw error;
    }
    return;
  }
  const { metadata, spec } = intent.derived;
  const patch = { metadata: { uid: metadata.uid }, spec: mergePatch({ ...spec }, { ...intent.draft.spec }) };
  const change = { type: "merge", patch } as unknown as Patch<BackupConfig>;
  await client.patch(backupConfigResource, metadata, change, call).catch(ignoreGone);
}
