import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useDeferredValue } from "react";
import { snapshotsQuery, viewQuery } from "../../api/queries.ts";
import { useQueryWords, useScope, useSetQuery } from "../../layout/scope.ts";
import { Answer } from "../../parts/answer.tsx";
import { Choice, SearchField } from "../../parts/choice.tsx";
import { Page } from "../../parts/page.tsx";
import { PAGE } from "./pages.ts";
import { SnapshotList } from "./snapshot_list.tsx";

/** All snapshots that the repositories hold, newest first, of which only those that are seen are fetched. */
export function Snapshots() {
  const scope = useScope();
  const { volume = "", text = "" } = useQueryWords();
  const setQuery = useSetQuery();
  const asked = { namespace: scope, volume, text: useDeferredValue(text) };
  const first = useQuery({
    ...snapshotsQuery({ ...asked, offset: 0, limit: PAGE }),
    placeholderData: keepPreviousData,
  });
  const { data: view } = useQuery(viewQuery(scope));
  const names = (view?.volumes ?? []).map(({ namespace, name }) => `${namespace}/${name}`);
  const known = volume === "" || names.includes(volume) ? names : [volume, ...names];
  return (
    <Page title="Snapshots" words={["list", "backups"]} namespace={scope} all>
      <search className="filters">
        <SearchField
          label="Name, volume, API, by whom or day"
          value={text}
          onChange={(text) => setQuery({ text })}
        />
        <Choice
          label="Volume"
          value={volume}
          values={[["", "All"], ...known.map((one) => [one, one] as const)]}
          onChange={(volume) => setQuery({ volume })}
        />
      </search>
      <Answer query={first} what="the snapshots">
        {({ total }) =>
          total === 0 ? (
            <p className="empty">
              {text || volume
                ? "No snapshot is like this. Change the filter."
                : "There are no snapshots here yet."}
            </p>
          ) : (
            <>
              <p className="dim" role="status">
                {total === 1 ? "1 snapshot" : `${total.toLocaleString()} snapshots`}
              </p>
              <SnapshotList key={`${scope} ${volume} ${asked.text}`} asked={asked} total={total} />
            </>
          )
        }
      </Answer>
    </Page>
  );
}
