import { useEffect, useRef } from "react";
import type { LostView } from "../../../../src/core/view/view.ts";
import { bytesText } from "../../../../src/lib/bytes_text.ts";
import { useDenial } from "../../parts/rights.ts";
import { type Column, Table } from "../../parts/table.tsx";
import { To } from "../../parts/to.tsx";
import { When } from "../../parts/when.tsx";
import * as links from "../../text/links.ts";

interface LostNamespaceProps {
  readonly namespace: string;
  readonly lost: readonly LostView[];
  readonly now: string;
  /** Claims that are not chosen. */
  readonly left: ReadonlySet<string>;
  readonly disabled: boolean;
  readonly onLeave: (claims: readonly string[], isLeft: boolean) => void;
}

/** What one namespace has lost. All of it is chosen at first. */
export function LostNamespace({ namespace, lost, now, left, disabled, onLeave }: LostNamespaceProps) {
  const denied = useDenial("restore", namespace);
  const claims = lost.map(({ claim }) => claim);
  const chosen = claims.filter((claim) => !left.has(claim)).length;
  const whole = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (whole.current) whole.current.indeterminate = chosen > 0 && chosen < lost.length;
  }, [chosen, lost.length]);
  // What may not be done is not begun.
  useEffect(() => {
    if (denied !== undefined && chosen > 0) onLeave(claims, true);
  });
  const columns: readonly Column<LostView>[] = [
    {
      title: "PVC",
      cell: ({ claim }) => (
        <label className="check">
          <input
            type="checkbox"
            checked={!left.has(claim)}
            disabled={disabled || denied !== undefined}
            onChange={(event) => onLeave([claim], !event.target.checked)}
          />
          <span className="lost-name">{claim.split("/")[1]}</span>
        </label>
      ),
    },
    { title: "Last good backup", cell: ({ lastGood }) => <When at={lastGood.at} now={now} /> },
    {
      title: "Size",
      cell: ({ lastGood }) => (lastGood.bytes === undefined ? "–" : bytesText(lastGood.bytes)),
      number: true,
    },
    { title: "Backup", cell: ({ lastGood }) => lastGood.object.name },
    {
      title: "Otherwise",
      cell: ({ claim }) => (
        <To
          place={links.restore({ namespace }, { claim: claim.split("/")[1] })}
          label={`Restore ${claim} in another way`}
        >
          Another way…
        </To>
      ),
    },
  ];
  return (
    <section className="card" aria-label={`Lost in ${namespace}`}>
      <h2>
        <label className="check">
          <input
            ref={whole}
            type="checkbox"
            checked={chosen === lost.length}
            disabled={disabled || denied !== undefined}
            onChange={(event) => onLeave(claims, !event.target.checked)}
          />
          <span className="lost-name">
            {namespace}: {chosen} of {lost.length} chosen
          </span>
        </label>
      </h2>
      {denied ? <p className="box tone-warn">{denied}</p> : null}
      <Table
        caption={`Lost PersistentVolumeClaims of ${namespace}`}
        rows={lost}
        columns={columns}
        keyOf={({ claim }) => claim}
        empty=""
      />
    </section>
  );
}
