/** What a person asks for on the page, before it is a line of the command line. */
export interface Wish {
  /** Where the source is. */
  readonly namespace: string;
  readonly source: "snapshot" | "moment" | "undo";
  readonly backup: string;
  readonly config: string;
  /** A moment as `--as-of` takes it; empty is the newest. */
  readonly at: string;
  /** The Restore that is undone; empty is the last one in place. */
  readonly undo: string;
  readonly pvc: string;
  /** The file or folder; empty is all. */
  readonly path: string;
  readonly target: "new" | "existing";
  /** Empty: where the source is. */
  readonly targetNamespace: string;
  readonly targetName: string;
  readonly capacity: string;
  readonly storageClass: string;
  readonly accessMode: string;
  readonly toPath: string;
  readonly existing: string;
  readonly deleteExtra: boolean;
  /** By default, a backup is made wherever a BackupConfig can. */
  readonly skipBackup: boolean;
  readonly scaleDown: boolean;
  readonly ownership: string;
  readonly privileged: boolean;
}

const NOTHING: Wish = {
  ...{ namespace: "", source: "snapshot", backup: "", config: "", at: "", undo: "", pvc: "", path: "" },
  ...{ target: "new", targetNamespace: "", targetName: "", capacity: "", storageClass: "", accessMode: "" },
  ...{ toPath: "", existing: "", deleteExtra: false, skipBackup: false, scaleDown: false },
  ...{ ownership: "", privileged: false },
};

type Words = Readonly<Record<string, string | undefined>>;

/** The wish that an address begins with. What is no wish in it is left out. */
export function wishFrom(query: Words): Wish {
  const texts = Object.keys(NOTHING).filter((name) => typeof NOTHING[name as keyof Wish] === "string");
  const said = Object.fromEntries(texts.map((name) => [name, query[name] ?? NOTHING[name as keyof Wish]]));
  const flags = (["deleteExtra", "skipBackup", "scaleDown", "privileged"] as const).map((name) => [
    name,
    query[name] === "yes",
  ]);
  const source = query.undo !== undefined ? "undo" : query.config ? "moment" : "snapshot";
  const target = query.target === "existing" ? "existing" : "new";
  return { ...NOTHING, ...said, ...Object.fromEntries(flags), source, target };
}

/** The same, as an address says it. What is not said goes from it. */
export function queryOf(wish: Wish): Words {
  const { source, undo } = wish;
  const words = Object.entries(wish).map(([name, value]): readonly [string, string | undefined] => [
    name,
    value === true ? "yes" : value === false || value === "" ? undefined : String(value),
  ]);
  const only: Words = {
    source: undefined,
    undo: source === "undo" ? undo || "last" : undefined,
    ...(source === "snapshot" ? {} : { backup: undefined }),
    ...(source === "moment" ? {} : { config: undefined, at: undefined }),
  };
  return { ...Object.fromEntries(words), ...only };
}

/** The namespace that is written to: where the command runs. */
export function placeOf({ source, namespace, targetNamespace }: Wish): string {
  return source === "undo" ? namespace : targetNamespace || namespace;
}

/** What is still to be said, each in a sentence. */
export function missingIn(wish: Wish): readonly string[] {
  const { namespace, source, backup, config, targetName } = wish;
  return [
    ...(namespace === "" ? ["Choose the namespace."] : []),
    ...(source === "snapshot" && backup === "" ? ["Choose a snapshot."] : []),
    ...(source === "moment" && config === "" ? ["Choose the BackupConfig."] : []),
    ...(source !== "undo" && targetName === "" ? ["Name the PVC that gets the data."] : []),
  ];
}

/** The words of the command line, without those that confirm it. */
export function restoreWords(wish: Wish): readonly string[] {
  const { source, namespace, undo, target, targetName } = wish;
  const how = [
    ...option("--ownership", wish.ownership),
    ...(wish.scaleDown && (source === "undo" || target === "existing") ? ["--scale-down"] : []),
    ...(wish.privileged ? ["--privileged"] : []),
    ...(wish.skipBackup && (source === "undo" || target === "existing") ? ["--no-backup-first"] : []),
  ];
  if (source === "undo")
    return ["restore", ...(undo === "" || undo === "last" ? [] : [undo]), "--undo", ...how];
  return [
    "restore",
    source === "snapshot" ? `backup/${wish.backup}` : `config/${wish.config}`,
    ...(source === "moment" ? option("--as-of", wish.at) : []),
    ...option("--pvc", wish.pvc),
    ...option("--path", wish.path),
    ...(target === "new" ? ["--to", targetName] : ["--into", targetName]),
    ...option("--to-path", wish.toPath),
    ...(placeOf(wish) === namespace ? [] : ["--from-namespace", namespace]),
    ...(target === "new" ? newWords(wish) : inPlaceWords(wish)),
    ...how,
  ];
}

/** Words that confirm a plan. What would delete most of a volume is confirmed by its name besides. */
export function confirmingWords(deletes: string | undefined): readonly string[] {
  return deletes === undefined ? ["--yes"] : ["--yes", "--confirm-deletion", deletes];
}

function newWords({ capacity, storageClass, accessMode }: Wish): readonly string[] {
  return [
    ...option("--capacity", capacity),
    ...option("--storage-class", storageClass),
    ...option("--access-mode", accessMode),
  ];
}

function inPlaceWords({ existing, deleteExtra }: Wish): readonly string[] {
  return [...option("--existing", existing), ...(deleteExtra ? ["--delete-extra"] : [])];
}

/** An option whose value cannot be taken for another option. */
function option(name: string, value: string): readonly string[] {
  if (value.trim() === "") return [];
  return value.startsWith("-") ? [`${name}=${value}`] : [name, value];
}

interface FirstTargetFacts {
  /** The volume that the data is of, as namespace/name. */
  readonly claim: string;
  readonly isThere: boolean;
  readonly path: string;
  /** Of the source. */
  readonly namespace: string;
}

/**
 * Where data most likely goes: to where it was, where the volume is gone or a part of it is wanted; else beside it, which
 * overwrites nothing.
 */
export function firstTarget({ claim, isThere, path, namespace }: FirstTargetFacts): Partial<Wish> {
  const [where = "", name = ""] = claim.split("/");
  const targetNamespace = where === namespace ? "" : where;
  if (!isThere) return { target: "new", targetName: name, targetNamespace };
  return path === ""
    ? { target: "new", targetName: `${name}-restored`, targetNamespace }
    : { target: "existing", targetName: name, targetNamespace };
}
