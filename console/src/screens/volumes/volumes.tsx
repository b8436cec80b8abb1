import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { VolumeView } from "../../../../src/core/view/view.ts";
import { bytesText } from "../../../../src/lib/bytes_text.ts";
import { viewQuery } from "../../api/queries.ts";
import { useQueryWords, useScope, useSetQuery } from "../../layout/scope.ts";
import { Answer } from "../../parts/answer.tsx";
import { Badge } from "../../parts/badge.tsx";
import { Choice, SearchField } from "../../parts/choice.tsx";
import { ObjectLink } from "../../parts/object_link.tsx";
import { Page } from "../../parts/page.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { To } from "../../parts/to.tsx";
import { When } from "../../parts/when.tsx";
import { levelOf, STATES } from "../../text/levels.ts";
import * as links from "../../text/links.ts";
import { apisOf, filteredVolumes, worstFirst } from "./filter.ts";
import { ProtectDialog } from "./protect_dialog.tsx";

/** Every PersistentVolumeClaim, also those that nothing protects. */
export function Volumes() {
  const scope = useScope();
  const { state = "", api = "", text = "", protect } = useQueryWords();
  const setQuery = useSetQuery();
  const query = useQuery(viewQuery(scope));
  return (
    <Page title="Volumes" words={["coverage"]} namespace={scope} all>
      <Answer query={query} what="the volumes">
        {({ volumes, now }) => {
          const found = filteredVolumes(volumes, { state, api, text });
          return (
            <>
              <search className="filters">
                <SearchField label="Name" value={text} onChange={(text) => setQuery({ text })} />
                <Choice
                  label="State"
                  value={state}
                  values={[["", "All"], ...STATES]}
                  onChange={(state) => setQuery({ state })}
                />
                <Choice
                  label="API"
                  value={api}
                  values={[["", "All"], ...apisOf(volumes).map((one) => [one, one] as const)]}
                  onChange={(api) => setQuery({ api })}
                />
              </search>
              <p className="dim" role="status">
                {found.length === volumes.length
                  ? `${volumes.length} volumes`
                  : `${found.length} of ${volumes.length} volumes`}
              </p>
              <Table
                caption="Volumes"
                rows={found.toSorted((a, b) => worstFirst(a) - worstFirst(b))}
                columns={columnsAt(now)}
                keyOf={({ namespace, name }) => `${namespace}/${name}`}
                empty={
                  volumes.length === 0
                    ? "There are no PersistentVolumeClaims here."
                    : "No volume is like this. Change the filter."
                }
              />
            </>
          );
        }}
      </Answer>
      {protect ? (
        <ProtectDialog key={protect} claim={protect} onClose={() => setQuery({ protect: undefined })} />
      ) : null}
    </Page>
  );
}

function columnsAt(now: string): readonly Column<VolumeView>[] {
  return [
    {
      title: "Volume",
      cell: (volume) => (
        <To place={links.volume(volume)}>
          {volume.namespace}/{volume.name}
        </To>
      ),
      sort: ({ namespace, name }) => `${namespace}/${name}`,
    },
    {
      title: "State",
      cell: (volume) => <StateCell volume={volume} />,
      sort: worstFirst,
    },
    {
      title: "Last good backup",
      cell: ({ lastGood }) => <When at={lastGood?.at} now={now} none="none" />,
      sort: ({ lastGood }) => (lastGood ? Date.parse(lastGood.at) : 0),
    },
    {
      title: "Size",
      number: true,
      cell: ({ lastGood }) => (lastGood?.bytes === undefined ? "–" : bytesText(lastGood.bytes)),
      sort: ({ lastGood }) => lastGood?.bytes ?? -1,
    },
    {
      title: "Next run",
      cell: ({ nextRun }) => <When at={nextRun} now={now} />,
      sort: ({ nextRun }) => (nextRun ? Date.parse(nextRun) : Number.MAX_SAFE_INTEGER),
    },
    {
      title: "By",
      cell: ({ by, exempt }) =>
        by.length === 0 ? (
          <span className="dim">{exempt ?? "nothing"}</span>
        ) : (
          by.map((object) => (
            <div key={`${object.api}/${object.kind}/${object.name}`}>
              <ObjectLink object={object} kind={false} /> <span className="dim">{object.api}</span>
            </div>
          ))
        ),
    },
  ];
}

function StateCell({ volume }: { readonly volume: VolumeView }) {
  const [open, setOpen] = useState(false);
  const { tone, label, means } = levelOf(volume);
  const claim = `${volume.namespace}/${volume.name}`;
  return (
    <>
      <Badge tone={tone} title={means}>
        {label}
      </Badge>{" "}
      {volume.protection === "no" ? (
        <button type="button" aria-label={`Protect ${claim}`} onClick={() => setOpen(true)}>
          Protect …
        </button>
      ) : null}
      {volume.wrong.map((one) => (
        <p key={one} className="dim">
          {one}
        </p>
      ))}
      {open ? <ProtectDialog claim={claim} onClose={() => setOpen(false)} /> : null}
    </>
  );
}
