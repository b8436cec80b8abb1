import { fingerprint } from "../../lib/hash.ts";
import { identityText } from "../../wire/identity.ts";
import type { Snapshot } from "../../wire/snapshot.ts";
import type { Ready, Repository } from "../repository/repository.ts";

/** Tells apart all snapshots that a cluster ever shows. */
const MARK_LENGTH = 12;
const MAX_USER = 24;
const PREFIX = "found";

/**
 * The name of the object that stands for a snapshot of this repository. It follows from the repository and from what
 * never changes of the snapshot, so that it is the same after the loss of all objects. Undefined for a snapshot that
 * no object can describe.
 */
export function rowNames({
  kind,
  metadata: { name, namespace },
  status: { uniqueID },
}: Ready<Repository>): (snapshot: Snapshot) => string | undefined {
  const scope = JSON.stringify({ kind, name, ...(namespace === undefined ? {} : { namespace }), uniqueID });
  return (snapshot) => {
    const { identity, startedAt, root = "" } = snapshot;
    const at = Date.parse(startedAt);
    if (Number.isNaN(at) || !isDescribable(snapshot)) return undefined;
    const mark = fingerprint(`${scope}\n${identityText(identity)}\n${startedAt}\n${root}`, MARK_LENGTH);
    const time = new Date(at).toISOString().slice(0, 19).replace(/[-:]/g, "").replace("T", "-");
    return [PREFIX, wordOf(identity.username), time, mark].filter((part) => part !== "").join("-");
  };
}

/** As long as the fields of a status may be: others write what they like. */
function isDescribable({ id, identity, root }: Snapshot): boolean {
  const { username, hostname, path } = identity;
  return (
    [username, hostname].every((part) => part.length > 0 && part.length <= 253) &&
    path.length <= 1024 &&
    [id, root].every((text) => text === undefined || text.length <= 128)
  );
}

function wordOf(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, MAX_USER)
    .replace(/^-+|-+$/g, "");
}
