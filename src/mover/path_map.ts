import { isRecord } from "../lib/json.ts";
import type { Backend } from "../wire/backend.ts";
import { CAPABILITIES } from "../wire/capabilities.ts";
import { POD_LAYOUT } from "../wire/pod_layout.ts";
import type { RepositorySpec, SnapshotSource, Work, WorkSpec } from "../wire/work.ts";
import { BadWork } from "./spec/bad_work.ts";

/** Where a path of the pod really is on this machine. */
export type RealPath = (path: string) => string;

/** Where things are in the pod, by the names of POD_LAYOUT. */
export type Layout = { readonly [K in keyof typeof POD_LAYOUT]: string };

/** Reads HOLDFAST_PATH_MAP: from mount paths to real ones, where a machine offers no mount namespaces. */
export function realPaths(json: string | undefined): RealPath {
  if (json === undefined || json === "") return (path) => path;
  const mounts = parseMap(json);
  return (path) => {
    const mount = mounts.find(([target]) => path === target || path.startsWith(`${target}/`));
    return mount === undefined ? path : `${mount[1]}${path.slice(mount[0].length)}`;
  };
}

/** Longest first, so that the innermost mount is found. */
function parseMap(json: string): readonly (readonly [string, string])[] {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    value = undefined;
  }
  const entries = isRecord(value) ? Object.entries(value) : undefined;
  if (!entries?.every((entry): entry is [string, string] => typeof entry[1] === "string"))
    throw new BadWork("HOLDFAST_PATH_MAP is not a JSON object of paths");
  const trimmed = (path: string) => path.replace(/\/+$/, "");
  return entries
    .map(([target, source]) => [trimmed(target), trimmed(source)] as const)
    .toSorted(([a], [b]) => b.length - a.length);
}

export function realLayout(real: RealPath): Layout {
  return Object.fromEntries(Object.entries(POD_LAYOUT).map(([name, path]) => [name, real(path)])) as Layout;
}

/** The spec with every path of the pod replaced by the real one. */
export function realSpec(spec: WorkSpec, real: RealPath): WorkSpec {
  return { ...spec, repository: realRepository(spec.repository, real), work: realWork(spec, real) };
}

function realWork({ work, engine }: WorkSpec, real: RealPath): Work {
  if ("snapshot" in work) {
    const { overridesPath } = CAPABILITIES[engine];
    const sources = work.snapshot.sources.map((source) => realSource(source, real, overridesPath));
    return { snapshot: { ...work.snapshot, sources } };
  }
  if ("restore" in work) return { restore: { ...work.restore, target: real(work.restore.target) } };
  if ("copy" in work)
    return { copy: { ...work.copy, destination: realRepository(work.copy.destination, real) } };
  if ("session" in work) {
    const { tls } = work.session.listen;
    return { session: { ...work.session, listen: { tls: { ...tls, folder: real(tls.folder) } } } };
  }
  return work;
}

/** An engine that records where it read gets an identity to match: there, the path only informs. */
function realSource(source: SnapshotSource, real: RealPath, overridesPath: boolean): SnapshotSource {
  const path = real(source.path);
  const follows = !overridesPath && source.identity.path === source.path;
  return { ...source, path, ...(follows ? { identity: { ...source.identity, path } } : {}) };
}

function realRepository(repository: RepositorySpec, real: RealPath): RepositorySpec {
  return { ...repository, backend: realBackend(repository.backend, real) };
}

function realBackend(backend: Backend, real: RealPath): Backend {
  return "filesystem" in backend ? { filesystem: { path: real(backend.filesystem.path) } } : backend;
}
