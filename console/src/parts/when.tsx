import { agoText } from "../../../src/core/view/times_text.ts";
import { momentText } from "../text/ages.ts";

interface WhenProps {
  readonly at: string | undefined;
  /** The server's clock: ages are told by it, for the page's own may be wrong. */
  readonly now?: string | undefined;
  readonly none?: string;
}

/** How long ago, or in how long; the moment itself is under the pointer. */
export function When({ at, now, none = "–" }: WhenProps) {
  const text = agoText(at, now === undefined ? Date.now() : Date.parse(now));
  if (at === undefined || text === "") return <span className="dim">{none}</span>;
  return (
    <time dateTime={at} title={momentText(at)}>
      {text}
    </time>
  );
}
