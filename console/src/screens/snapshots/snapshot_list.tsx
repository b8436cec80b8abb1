import { useQueries } from "@tanstack/react-query";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useRef } from "react";
import type { SnapshotRow } from "../../../../src/cli/console/contract.ts";
import { bytesText } from "../../../../src/lib/bytes_text.ts";
import type { Params } from "../../api/http.ts";
import { snapshotsQuery } from "../../api/queries.ts";
import { ObjectLink } from "../../parts/object_link.tsx";
import { SnapshotLinks, SnapshotSigns } from "../../parts/snapshot_links.tsx";
import { AS, longTable, longTableRow } from "../../parts/table_roles.ts";
import { To } from "../../parts/to.tsx";
import { momentText } from "../../text/ages.ts";
import * as links from "../../text/links.ts";
import { PAGE, pagesOf } from "./pages.ts";
import "./snapshots.css";

interface SnapshotListProps {
  readonly asked: Params;
  readonly total: number;
}

/** As the style sheet has them. */
const ROW = 40;
const CARD = 132;
const TITLES = ["Of", "Volume", "Size", "State", "By", "Snapshot", "Open"];

/** A list of any length: only the rows that are seen are in the page. */
export function SnapshotList({ asked, total }: SnapshotListProps) {
  const scroll = useRef<HTMLDivElement>(null);
  const narrow = matchMedia("(max-width: 46rem)").matches;
  const list = useVirtualizer({
    count: total,
    getScrollElement: () => scroll.current,
    estimateSize: () => (narrow ? CARD : ROW),
    overscan: 12,
  });
  const seen = list.getVirtualItems();
  const pages = pagesOf(seen[0]?.index ?? 0, seen.at(-1)?.index ?? 0);
  const answers = useQueries({
    queries: pages.map((offset) => snapshotsQuery({ ...asked, offset, limit: PAGE })),
  });
  const rowAt = (index: number) => {
    const page = pages.indexOf(Math.floor(index / PAGE) * PAGE);
    return answers[page]?.data?.items[index % PAGE];
  };
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
    <section ref={scroll} className="snapshots" aria-label="Snapshots" tabIndex={0}>
      <div {...longTable("Snapshots, the newest first", total + 1)}>
        <div {...AS.rowgroup} className="snapshots-head">
          <div {...longTableRow(1)} className="snapshot">
            {TITLES.map((title) => (
              <span key={title} {...AS.columnheader}>
                {title}
              </span>
            ))}
          </div>
        </div>
        <div {...AS.rowgroup} className="snapshots-body" style={{ height: list.getTotalSize() }}>
          {seen.map(({ index, start, size }) => (
            <div
              key={index}
              {...longTableRow(index + 2)}
              className="snapshot"
              style={{ height: size, transform: `translateY(${start}px)` }}
            >
              <Row row={rowAt(index)} />
            </div>
          ))}
        </div>
      </div>
    </section>
  );
}

function Row({ row }: { readonly row: SnapshotRow | undefined }) {
  if (!row) return <span {...AS.cell}>…</span>;
  const { at, claim, bytes, origin, api, object } = row;
  const [namespace] = claim.split("/");
  const cells = [
    <time key="at" dateTime={at}>
      {momentText(at)}
    </time>,
    namespace && claim.includes("/") ? (
      <To key="claim" place={links.claim(claim)}>
        {claim}
      </To>
    ) : (
      claim
    ),
    bytes === undefined ? "–" : bytesText(bytes),
    <SnapshotSigns key="signs" row={row} />,
    `${origin ?? "–"} (${api})`,
    <ObjectLink key="object" object={{ ...object, api }} short />,
    <SnapshotLinks key="links" row={row} />,
  ];
  return cells.map((cell, index) => (
    <span key={TITLES[index]} {...AS.cell} data-label={TITLES[index]}>
      {cell}
    </span>
  ));
}
