import { kopiurView } from "../../../src/apis/kopiur/view/kopiur_view.ts";
import { plumberView } from "../../../src/apis/plumber/view/plumber_view.ts";
import { viewOf } from "../../../src/core/view/joined.ts";
import type { View } from "../../../src/core/view/view.ts";
import { KIND_WORDS } from "../../../src/kinds/kopiur/words.ts";
import type { KubeObject } from "../../../src/kube/object.ts";
import type { Resource } from "../../../src/kube/resource.ts";

/** What there is in a cluster. */
export interface Seen {
  readonly claims?: readonly KubeObject[];
  readonly namespaces?: readonly KubeObject[];
  readonly repositories?: readonly KubeObject[];
  readonly configs?: readonly KubeObject[];
  readonly schedules?: readonly KubeObject[];
  readonly backups?: readonly KubeObject[];
  readonly restores?: readonly KubeObject[];
  /** The only namespace that was listed. Default: all were. */
  readonly within?: string;
  /** Namespaces that may not be looked at. */
  readonly hidden?: ReadonlySet<string>;
}

/** The APIs of a cluster that has the CRDs of one. */
const VIEWS = [kopiurView, plumberView];

/** What these say of that. */
export function viewOfSeen(seen: Seen, now: number): View {
  const { claims = [], namespaces = [], within, hidden } = seen;
  const objects = new Map<Resource, readonly KubeObject[] | undefined>([
    [KIND_WORDS.repository, seen.repositories],
    [KIND_WORDS.config, seen.configs],
    [KIND_WORDS.schedule, seen.schedules],
    [KIND_WORDS.backup, seen.backups],
    [KIND_WORDS.restore, seen.restores],
  ]);
  const of = <T extends KubeObject>(resource: Resource<T>) => (objects.get(resource) ?? []) as readonly T[];
  const parts = VIEWS.map((view) => ({
    api: view.api,
    part: view.read({ of, claims, within, hidden }, now),
  }));
  return viewOf({ claims, namespaces, parts });
}
