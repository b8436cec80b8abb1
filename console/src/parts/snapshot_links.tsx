import type { SnapshotRow } from "../../../src/cli/console/contract.ts";
import * as links from "../text/links.ts";
import { Badge } from "./badge.tsx";
import { To } from "./to.tsx";

/** What can be done with a snapshot: look into it, get it back. */
export function SnapshotLinks({ row: { files, at, claim } }: { readonly row: SnapshotRow }) {
  if (!files) return <span className="dim">–</span>;
  const which = `of ${claim}, ${at}`;
  return (
    <span className="actions">
      <To place={links.files(files)} label={`Files ${which}`}>
        Files
      </To>
      <To place={links.diff(files)} label={`Compare the snapshot ${which}`}>
        Compare
      </To>
      <To place={links.restore(files)} label={`Restore the snapshot ${which}`}>
        Restore
      </To>
    </span>
  );
}

/** What is particular about a snapshot. */
export function SnapshotSigns({ row: { held, incomplete, doubt } }: { readonly row: SnapshotRow }) {
  return (
    <>
      {incomplete ? (
        <Badge tone="warn" title={incomplete}>
          Incomplete
        </Badge>
      ) : doubt ? (
        <Badge tone="warn" title={doubt}>
          In doubt
        </Badge>
      ) : (
        <Badge tone="good">Complete</Badge>
      )}
      {held ? (
        <Badge tone="busy" title="Retention does not delete it.">
          Held
        </Badge>
      ) : null}
    </>
  );
}
