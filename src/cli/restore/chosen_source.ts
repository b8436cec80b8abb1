import { backupResource } from "../../kinds/kopiur/generated/backup.ts";
import type { SnapshotStatus } from "../../kinds/kopiur/parts.ts";
import type { Call, Cluster } from "../frame/command.ts";
import { referenceOf } from "../frame/kinds.ts";
import { momentIn } from "../frame/moment.ts";
import { identityIn } from "./identity_in.ts";
import { type Likely, likelyBackup } from "./likely_backup.ts";
import { meantVolume, type Volume } from "./meant_volume.ts";
import { recipeNamed, snapshotsOf, sourcesOf } from "./recipe_backups.ts";
import { refuseUnknown } from "./refuse_unknown.ts";

/** What the data of a Restore is taken from, as far as that can be told before it is made. */
export interface ChosenSource extends Likely {
  /** The volume whose data it is. */
  readonly volume?: Volume | undefined;
  /** Each claim gets the data of the volume of its own name. */
  readonly byName: boolean;
  /** Those of the Backup that may be taken. */
  readonly snapshots: readonly SnapshotStatus[];
}

const UNKNOWN: ChosenSource = { passedOver: [], byName: false, snapshots: [] };

/**
 * The Backup that is named, or the one that a recipe's choice is likely to fall on, and which of its volumes is meant;
 * nothing for an identity. Throws a CommandProblem where no volume, or more than one, could be meant.
 */
export async function chosenSource(call: Call, cluster: Cluster, own: string): Promise<ChosenSource> {
  const { given, signal, clock } = call;
  const text = given.word(0);
  if (identityIn(text)) return UNKNOWN;
  const namespace = given.text("from-namespace") ?? own;
  const { resource, name } = referenceOf(text, { kinds: ["backup", "config"], usual: "backup" });
  const choice = { word: given.text("pvc"), target: given.text("into") ?? given.text("to") };
  if (resource.kind === backupResource.kind) {
    const backup = await cluster.client.get(backupResource, { namespace, name }, { signal });
    const { snapshots = [] } = backup.status ?? {};
    const all = snapshots.map((entry) => ({ pvc: entry.pvc, sourcePath: entry.identity.sourcePath, entry }));
    const volume = meantVolume({ of: `backup ${name}`, all }, choice);
    return {
      backup,
      passedOver: [],
      volume,
      byName: !volume && all.length > 0,
      snapshots: volume ? [volume.entry] : snapshots,
    };
  }
  const { recipe, backups } = await recipeNamed(cluster, { namespace, name }, signal);
  if (!given.flag("for-claims")) await refuseUnknown(cluster, { recipe, backups }, signal);
  const all = sourcesOf(recipe.resolved);
  const volume = meantVolume({ of: `config ${name}`, all, open: recipe.open ?? false }, choice);
  const claim = volume?.sourcePath ?? choice.word;
  const offset = Number(given.text("offset") ?? 0);
  const moment = given.text("as-of");
  const asOf = moment === undefined ? undefined : momentIn("as-of", moment, clock.now());
  const likely = likelyBackup(backups, recipe, {
    asOf,
    offset,
    claim,
    now: clock.now(),
  });
  const snapshots = likely.backup ? snapshotsOf(likely.backup, recipe, claim) : [];
  const byName = !volume && choice.word === undefined && all.length > 0;
  return { ...likely, volume, byName, snapshots };
}
