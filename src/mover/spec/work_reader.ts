import type { Identity } from "../../wire/identity.ts";
import type {
  CacheLimits,
  CatalogWork,
  CheckWork,
  Compression,
  CopyWork,
  DeleteWork,
  IgnoreRules,
  InitWork,
  MaintainWork,
  RateLimits,
  RepositoryParameters,
  RepositorySpec,
  RestoreWork,
  SessionAddress,
  SessionWork,
  SnapshotFilter,
  SnapshotReference,
  SnapshotSource,
  SnapshotWork,
  VerifyWork,
  Work,
  WorkSpec,
} from "../../wire/work.ts";
import { backend } from "./backend_reader.ts";
import { BadWork } from "./bad_work.ts";
import {
  absolutePath,
  anyText,
  flag,
  list,
  object,
  oneOf,
  optional,
  pathWithin,
  percent,
  type Reader,
  tagged,
  text,
  texts,
  whole,
} from "./reader.ts";

const bytes = whole(0);
const parallel = optional(whole(1, 1024));
const extraArgs = optional(list(anyText, { max: 1000 }));

const identity = object<Identity>({ username: text, hostname: text, path: text });
const snapshot = object<SnapshotReference>({
  id: text,
  run: optional(text),
  root: optional(text),
  identity: optional(object<Identity>({ username: anyText, hostname: anyText, path: anyText })),
});
const filter = object<SnapshotFilter>({
  username: optional(text),
  hostname: optional(text),
  path: optional(text),
  run: optional(text),
  tags: optional(texts),
});

const repository = object<RepositorySpec>({
  backend,
  expectedId: optional(text),
  readOnly: optional(flag),
  cache: optional(object<CacheLimits>({ contentBytes: optional(bytes), metadataBytes: optional(bytes) })),
  limits: optional(object<RateLimits>({ upload: optional(whole(1)), download: optional(whole(1)) })),
});

const sources: Reader<readonly SnapshotSource[]> = (value, at) => {
  const found = list(
    object<SnapshotSource>({
      name: text,
      path: absolutePath,
      identity,
      staged: optional(flag),
      mountedOver: optional(pathWithin),
    }),
    { min: 1 },
  )(value, at);
  const names = found.map(({ name }) => name);
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined) throw new BadWork(`${at} has two sources with the name ${twice}`);
  return found;
};

const work = tagged<Work>({
  init: object<InitWork>({
    create: optional(flag),
    parameters: optional(
      object<RepositoryParameters>({
        encryption: optional(text),
        hash: optional(text),
        splitter: optional(text),
      }),
    ),
  }),
  snapshot: object<SnapshotWork>({
    sources,
    tags: optional(texts),
    ignore: optional(
      object<IgnoreRules>({
        paths: optional(list(text)),
        files: optional(list(text)),
        cacheDirs: optional(flag),
        counted: optional(flag),
      }),
    ),
    compression: optional(
      object<Compression>({ compressor: optional(text), neverCompress: optional(list(text)) }),
    ),
    splitter: optional(text),
    parallel,
    oneFileSystem: optional(flag),
    skipIdentical: optional(flag),
    identicalTo: optional(list(text)),
    unreadable: optional(oneOf("Fail", "Skip")),
    fidelity: optional(oneOf("Full", "Engine")),
    extraArgs,
  }),
  restore: object<RestoreWork>({
    snapshot,
    mountedOver: optional(pathWithin),
    path: optional(pathWithin),
    targetPath: optional(pathWithin),
    target: absolutePath,
    existing: optional(oneOf("Refuse", "Overwrite", "OverwriteChanged", "Keep")),
    own: optional(text),
    resume: optional(flag),
    deleteExtra: optional(flag),
    sparse: optional(flag),
    atomic: optional(flag),
    doneFile: optional(pathWithin),
    ownership: optional(oneOf("Exact", "BestEffort", "Skip")),
    parallel,
    extraArgs,
  }),
  delete: object<DeleteWork>({
    snapshots: list(snapshot),
    runs: optional(list(text)),
    companionsOf: optional(list(text)),
  }),
  maintain: object<MaintainWork>({
    mode: oneOf("Quick", "Full"),
    immediate: optional(flag),
    owner: optional(text),
    takeOver: optional(flag),
    takeOverFrom: optional(text),
    unlock: optional(flag),
    check: optional(flag),
  }),
  check: object<CheckWork>({ quick: optional(flag), dataPercent: optional(percent) }),
  verify: object<VerifyWork>({ snapshot, filesPercent: optional(percent) }),
  catalog: object<CatalogWork>({
    filter: optional(filter),
    until: optional(text),
    limit: optional(whole(1, 100)),
  }),
  copy: object<CopyWork>({ destination: repository, filter: optional(filter) }),
  session: object<SessionWork>({
    listen: object<SessionAddress>({ tls: object({ port: whole(1, 65_535), folder: absolutePath }) }),
    idleSeconds: optional(whole(1)),
  }),
});

/** Reads a whole work spec whose version is known already. */
export const workSpec = object<WorkSpec>({
  version: whole(1),
  run: text,
  engine: oneOf("kopia", "restic"),
  repository,
  deadlineSeconds: optional(whole(1)),
  startsBySignal: optional(flag),
  prepareTimeoutSeconds: optional(whole(1)),
  endedRuns: optional(list(text, { max: 100 })),
  work,
});
