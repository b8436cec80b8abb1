import { ObjectLink } from "../../parts/object_link.tsx";
import { Sign } from "../../parts/sign.tsx";
import { To } from "../../parts/to.tsx";
import { commandLine } from "../../text/command_line.ts";
import * as links from "../../text/links.ts";
import type { Want } from "../../text/wants.ts";

/** One thing that wants a person: why, and the way to mend it. */
export function WantRow({ want: { rank, title, why, fix, volume, lost, object } }: { readonly want: Want }) {
  return (
    <li>
      <Sign tone={rank <= 1 ? "bad" : "warn"} />
      <div>
        <p className="strong">
          {volume ? (
            <To place={links.volume(volume)}>{title}</To>
          ) : object ? (
            <ObjectLink object={object} />
          ) : (
            title
          )}
          {lost ? " is lost" : ""}
        </p>
        <p>{why}</p>
        {fix && !lost ? <p className="dim">To do: {fix}</p> : null}
        {lost ? <code>{fix?.startsWith("holdfast") ? fix : commandLine([fix ?? ""])}</code> : null}
      </div>
      <div className="actions">
        {volume?.protection === "no" ? (
          <To className="button primary" place={links.volumes({ protect: title })} label={`Protect ${title}`}>
            Protect
          </To>
        ) : null}
        {lost ? (
          <To className="button primary" place={links.lost} label={`Restore ${title}`}>
            Restore
          </To>
        ) : null}
      </div>
    </li>
  );
}
