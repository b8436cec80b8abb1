import { type BackupConfig, backupConfigResource } from "../../../kinds/kopiur/generated/backup_config.ts";
import { ignoreGone, isAlreadyExists } from "../../../kube/api_error.ts";
import type { CallOptions, Client, Patch } from "../../../kube/client.ts";
import { Failure, judge } from "../../../kube/controller/failure.ts";
import { keyOf } from "../../../kube/object.ts";
import { mergePatch } from "../../../kube/write/merge_patch.ts";
import type { RecipeIntent } from "./recipe_intent.ts";

/** The reason of a recipe that could not be repeated; the message names each BackupConfig that was refused. */
export const RECIPE_REFUSED = "RecipeRefused";

/** Carries intents out. One that is refused keeps none of the others from being carried out, and is told. */
export async function carryOutRecipes(
  client: Pick<Client, "create" | "patch">,
  intents: readonly RecipeIntent[],
  call: CallOptions,
): Promise<void> {
  const refusals: string[] = [];
  for (const intent of intents) {
    try {
      await carryOut(client, intent, call);
    } catch (error) {
      const { class: kind, message } = judge(error);
      if (kind !== "structural") throw error;
      const { namespace, name = "" } = intent.draft.metadata;
      refusals.push(
        `BackupConfig ${keyOf({ namespace, name })}, which is to repeat this one, was refused: ${message}.`,
      );
    }
  }
  if (refusals.length === 0) return;
  const remedy = "Put right what is said there; it is tried again every few minutes.";
  throw new Failure("structural", RECIPE_REFUSED, [...refusals, remedy].join(" "));
}

async function carryOut(
  client: Pick<Client, "create" | "patch">,
  intent: RecipeIntent,
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
