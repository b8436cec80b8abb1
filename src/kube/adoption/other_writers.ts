import type { MetadataOnly } from "../object.ts";
import { type Resource, resourceName } from "../resource.ts";

/** Somebody who wrote the status of an object. */
export interface StatusWrite {
  /** As the API server names it: the program, or what it calls itself. */
  readonly manager: string;
  /** Kind, namespace and name. */
  readonly object: string;
  /** By the API server's clock; absent where it does not say. */
  readonly time?: string;
}

/** Programs of this product's, and a person's own hand: neither is another controller. */
const NO_OTHER = /^(holdfast|kubectl)(-|$)/;

/**
 * The status of this object as others wrote it, the newest first. What was written up to `goneSince` (in milliseconds)
 * is history: whoever wrote it is said to be gone. Both times are the API server's.
 */
export function otherWrites(
  resource: Resource,
  { metadata }: MetadataOnly,
  goneSince = Number.NEGATIVE_INFINITY,
): readonly StatusWrite[] {
  const { namespace, name, managedFields = [] } = metadata;
  const object = `${resourceName(resource)} ${namespace === undefined ? "" : `${namespace}/`}${name}`;
  return managedFields
    .filter(({ subresource, manager = "" }) => subresource === "status" && !NO_OTHER.test(manager))
    .filter(({ time }) => time === undefined || Date.parse(time) > goneSince)
    .map(({ manager = "somebody", time }) => ({ manager, object, ...(time === undefined ? {} : { time }) }))
    .toSorted(newestFirst);
}

/** Of each manager its newest write. */
export function newestOfEach(writes: Iterable<StatusWrite>): readonly StatusWrite[] {
  const newest = new Map<string, StatusWrite>();
  for (const write of writes) {
    const known = newest.get(write.manager);
    if (!known || newestFirst(write, known) < 0) newest.set(write.manager, write);
  }
  return [...newest.values()];
}

/** One that has no time may have been a moment ago. */
function newestFirst(a: StatusWrite, b: StatusWrite): number {
  const at = ({ time }: StatusWrite) => (time === undefined ? Number.POSITIVE_INFINITY : Date.parse(time));
  return at(a) === at(b) ? 0 : at(b) - at(a);
}

/** What to tell of it, why that matters, and what to do. */
export function writeProblem({ manager, object, time }: StatusWrite): {
  readonly problem: string;
  readonly fix: string;
} {
  const said = `${manager} wrote the status of ${object}${time === undefined ? "" : ` at ${time}`}`;
  return {
    problem: `${said}: two controllers must not work on the same objects.`,
    fix:
      time === undefined
        ? "Remove that controller, and the objects that it left."
        : `Remove that controller, then set crds.previousControllerStoppedAt to ${time}, or to any later time.`,
  };
}

/** The same in one text. */
export function writeText(write: StatusWrite): string {
  const { problem, fix } = writeProblem(write);
  return `${problem} ${fix}`;
}
