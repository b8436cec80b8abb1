import { DERIVED_ANNOTATIONS } from "../../kinds/kopiur/annotations.ts";
import type { BackupConfig } from "../../kinds/kopiur/generated/backup_config.ts";
import type { BackupSchedule } from "../../kinds/kopiur/generated/backup_schedule.ts";
import { type KubeObject, keyOf } from "../../kube/object.ts";
import { complaintOf, conditionOf, type NativeObject } from "../frame/kinds.ts";
import {
  claimsOf,
  configComplaint,
  namedClaims,
  recipeOf,
  scheduledAs,
  type VolumeRow,
} from "./protection.ts";

/** Something that is wrong: where, and why. */
export interface Trouble {
  readonly object: NativeObject;
  readonly why: string;
}

export interface UntoldOptions {
  /** All that there are, in the namespaces of the recipes. */
  readonly claims: readonly KubeObject[];
  readonly configs: readonly BackupConfig[];
  readonly schedules: readonly BackupSchedule[];
  readonly volumes: readonly VolumeRow[];
}

/** What is wrong with recipes and schedules and is not in the row of a volume: that may be gone, or never have been. */
export function untold({ claims, configs, schedules, volumes }: UntoldOptions): readonly Trouble[] {
  // The row of a claim that holds a repository tells nothing of recipes.
  const rows = new Set<string>(
    volumes.filter(({ protection }) => protection !== "store").map(({ volume }) => keyOf(volume.metadata)),
  );
  const inRows = new Set(configs.filter((config) => claimsOf(config).some((claim) => rows.has(claim))));
  const runInRows = new Set<string>([...inRows].map(scheduledAs));
  const there = new Set<string>(claims.map(({ metadata }) => keyOf(metadata)));
  const elsewhere = lookedAtForSchedules(configs);
  return [
    ...configs.flatMap((config) => [
      ...missing(config, there),
      ...(inRows.has(config) ? [] : trouble(config, brokenRecipe(config))),
    ]),
    ...schedules
      .filter(
        (schedule) => !elsewhere.has(schedule.metadata.namespace ?? "") && !runInRows.has(recipeOf(schedule)),
      )
      .flatMap((schedule) => trouble(schedule, brokenSchedule(schedule))),
  ];
}

/** The next Backup waits for claims that the recipe names; of those that it selects, it takes what there is. */
function missing(config: BackupConfig, there: ReadonlySet<string>): readonly Trouble[] {
  const gone = namedClaims(config).filter((claim) => !there.has(claim));
  return gone.length > 0 ? trouble(config, `not there: ${gone.join(", ")}`) : [];
}

function brokenRecipe(config: BackupConfig): string | undefined {
  const repeated = config.metadata.annotations?.[DERIVED_ANNOTATIONS.from] !== undefined;
  // Of a recipe over several namespaces one may hold no claim. Where none does, that recipe itself says so.
  if (repeated && conditionOf(config, "Ready")?.reason === "NoSources") return undefined;
  return configComplaint(config);
}

function brokenSchedule(schedule: BackupSchedule): string | undefined {
  // That would say a second time what is wrong with the recipe.
  if (conditionOf(schedule, "Ready")?.reason === "ConfigNotReady") return undefined;
  return complaintOf(schedule);
}

/** Namespaces of which nothing is on the screen: their schedules were only looked for as they run recipes that are repeated here. */
function lookedAtForSchedules(configs: readonly BackupConfig[]): ReadonlySet<string> {
  const own = new Set(configs.map(({ metadata }) => metadata.namespace ?? ""));
  return new Set(configs.map((config) => scheduledAs(config).split("/")[0] ?? "")).difference(own);
}

function trouble(object: NativeObject, why: string | undefined): readonly Trouble[] {
  return why === undefined ? [] : [{ object, why }];
}
