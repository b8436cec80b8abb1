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
  const refused: { readonly key: string; readonly why: string }[] = [];
  for (const intent of intents) {
    try {
      await carryOut(client, intent, call);
    } catch (error) {
      const { class: kind, message: why } = judge(error);
      if (kind !== "structural") throw error;
      const { namespace, name = "" } = intent.draft.metadata;
      refused.push({ key: keyOf({ namespace, name }), why });
    }
  }
  const [first] = refused;
  if (!first) return;
  // The names come first: a long message is cut.
  const names = refused.map(({ key }) => `BackupConfig ${key},`).join(" ");
  throw new Failure(
    "structural",
    RECIPE_REFUSED,
    `${names} to repeat this one, cannot be written: ${first.why}. Put right what is said there; it is tried again every few minutes.`,
  );
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
