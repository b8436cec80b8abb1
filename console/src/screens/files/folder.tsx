import { useInfiniteQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";
import type { Entry, FilesOf } from "../../../../src/cli/console/contract.ts";
import { entriesQuery } from "../../api/files.ts";
import { useQueryWords, useSetQuery } from "../../layout/scope.ts";
import { SearchField } from "../../parts/choice.tsx";
import { SessionAnswer } from "../../parts/session_answer.tsx";
import { EntryDrawer } from "./entry_drawer.tsx";
import { Listing } from "./listing.tsx";
import { isAskable, joined, nameOf, parentOf } from "./paths.ts";

interface FolderProps {
  readonly of: FilesOf;
  readonly path: string;
  readonly volume: string | undefined;
  readonly onGo: (path: string, file?: string) => void;
}

/** What one folder holds. Its pages are fetched as one comes to them, and all of them for a filter. */
export function Folder({ of, path, volume, onGo }: FolderProps) {
  const query = useInfiniteQuery(entriesQuery(of, path));
  const { file } = useQueryWords();
  const setQuery = useSetQuery();
  const [filter, setFilter] = useState("");
  const { data, hasNextPage, isFetching, fetchNextPage } = query;
  const all = useMemo(() => data?.pages.flatMap(({ items }) => items) ?? [], [data]);
  const shown = useMemo(() => matching(all, filter), [all, filter]);
  const wantsAll = filter !== "" && hasNextPage && !isFetching;
  useEffect(() => {
    if (wantsAll) void fetchNextPage();
  }, [wantsAll, fetchNextPage]);
  const selected = all.find(({ name }) => name === file);
  const choose = ({ name, type }: Entry) => {
    if (type === "Folder" && isAskable(name)) onGo(joined(path, name));
    else setQuery({ file: name });
  };
  return (
    <section className="folder" aria-label="Folder">
      <SessionAnswer query={{ ...query, data: data as unknown }} what="the folder">
        {() => (
          <>
            <div className="filters">
              <SearchField label="Filter this folder" value={filter} onChange={setFilter} />
              <p className="dim" role="status">
                {shown.length === all.length ? all.length : `${shown.length} of ${all.length}`}
                {hasNextPage ? " and more" : ""} {all.length === 1 ? "entry" : "entries"}
              </p>
            </div>
            <Listing
              label={path === "" ? "All of the volume" : path}
              entries={shown}
              selected={file}
              onChoose={choose}
              onUp={path === "" ? undefined : () => onGo(parentOf(path), nameOf(path))}
              onEnd={hasNextPage && !isFetching ? () => void fetchNextPage() : undefined}
            />
            {shown.length === 0 ? (
              <p className="empty">{all.length === 0 ? "The folder is empty." : "No entry has that name."}</p>
            ) : null}
          </>
        )}
      </SessionAnswer>
      {selected && (selected.type !== "Folder" || !isAskable(selected.name)) ? (
        <EntryDrawer
          of={of}
          path={joined(path, selected.name)}
          entry={selected}
          volume={volume}
          onClose={() => setQuery({ file: undefined })}
        />
      ) : null}
    </section>
  );
}

function matching(all: readonly Entry[], filter: string): readonly Entry[] {
  const wanted = filter.toLowerCase();
  return wanted === "" ? all : all.filter(({ name }) => name.toLowerCase().includes(wanted));
}
