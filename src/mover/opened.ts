import { join } from "node:path";
import type { OpenOptions, Repository } from "../engines/engine.ts";
import type { EngineName } from "../wire/capabilities.ts";
import type { InitWork, RepositorySpec } from "../wire/work.ts";
import type { MakeEngine } from "./engine_maker.ts";
import type { Layout } from "./path_map.ts";
import { locate } from "./secrets.ts";
import type { Sizes } from "./size/sizes.ts";

/** What opening a repository takes, beside its spec. */
export interface Opening {
  readonly engine: EngineName;
  readonly makeEngine: MakeEngine;
  readonly layout: Layout;
  /** This mover's own, for what is private. */
  readonly folder: string;
  readonly sizes: Sizes;
  /** The pod has a place for caches. */
  readonly hasCache: boolean;
  readonly signal: AbortSignal;
}

/** The two repositories of a pod: each has secrets and caches of its own. */
export type Which = "first" | "destination";

export interface OpeningChoice extends Pick<OpenOptions, "restoring"> {
  readonly which?: Which;
  readonly create?: InitWork;
}

/** Opens a repository, or creates it as well where `create` says so. */
export async function openRepository(
  spec: RepositorySpec,
  opening: Opening,
  { which = "first", create, restoring }: OpeningChoice = {},
): Promise<Repository> {
  const { engine: name, makeEngine, layout, folder, sizes, hasCache, signal } = opening;
  const own = which === "first" ? name : `${name}-${which}`;
  const places =
    which === "first"
      ? layout
      : { credentials: layout.destinationCredentials, password: layout.destinationPassword };
  const [location, engine] = await Promise.all([
    locate(spec.backend, places),
    makeEngine(name, {
      folder: join(folder, own),
      ...(hasCache ? { cacheFolder: join(layout.cache, own) } : {}),
      env: sizes.env,
      ...(sizes.parallel === undefined ? {} : { parallel: sizes.parallel }),
    }),
  ]);
  const { expectedId, readOnly, limits } = spec;
  const options: OpenOptions = {
    ...(expectedId === undefined ? {} : { expectedId }),
    ...(readOnly === undefined ? {} : { readOnly }),
    ...(limits === undefined ? {} : { limits }),
    cache: { ...sizes.cache, ...spec.cache },
    ...(restoring === undefined ? {} : { restoring }),
    signal,
  };
  return create?.create
    ? engine.create(location, { ...options, ...create.parameters })
    : engine.open(location, options);
}
