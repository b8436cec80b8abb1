import { useInfiniteQuery } from "@tanstack/react-query";
import { type KeyboardEvent, useState } from "react";
import type { FilesOf } from "../../../../src/cli/console/contract.ts";
import { safeName } from "../../../../src/cli/files/entry_text.ts";
import { entriesQuery } from "../../api/files.ts";
import { moved } from "../../text/cursor.ts";
import { isAskable, joined } from "./paths.ts";

interface FolderTreeProps {
  readonly of: FilesOf;
  readonly path: string;
  readonly root: string;
  readonly onGo: (path: string) => void;
}

/** So many folders of one are drawn; the list has all of them. */
const MOST = 200;

/** The folders as a tree. What is on the way to the folder is open. */
export function FolderTree({ of, path, root, onGo }: FolderTreeProps) {
  const press = (event: KeyboardEvent<HTMLElement>) => {
    const items = [...event.currentTarget.querySelectorAll<HTMLElement>("[role=treeitem]")];
    const at = items.indexOf(document.activeElement as HTMLElement);
    const to = moved(event.key, at, items.length, 10);
    if (to === undefined) return;
    event.preventDefault();
    items[to]?.focus();
  };
  return (
    <div className="folder-tree" role="tree" aria-label="Folders" onKeyDown={press}>
      <Branch of={of} path="" name={root} current={path} level={1} onGo={onGo} />
    </div>
  );
}

interface BranchProps {
  readonly of: FilesOf;
  readonly path: string;
  readonly name: string;
  readonly current: string;
  readonly level: number;
  readonly onGo: (path: string) => void;
}

function Branch({ of, path, name, current, level, onGo }: BranchProps) {
  const onTheWay = path === "" || current === path || current.startsWith(`${path}/`);
  const [chosen, setChosen] = useState<boolean>();
  const open = chosen ?? onTheWay;
  const query = useInfiniteQuery({ ...entriesQuery(of, path), enabled: open });
  const folders = (query.data?.pages ?? [])
    .flatMap(({ items }) => items)
    .filter(({ type, name }) => type === "Folder" && isAskable(name));
  const isHere = current === path;
  const press = (event: KeyboardEvent) => {
    if (event.key === "ArrowRight") setChosen(true);
    else if (event.key === "ArrowLeft") setChosen(false);
    else if (event.key === "Enter" || event.key === " ") onGo(path);
    else return;
    event.preventDefault();
  };
  return (
    <div role="none">
      <div
        role="treeitem"
        className="branch"
        aria-expanded={open}
        aria-selected={isHere}
        aria-level={level}
        tabIndex={isHere ? 0 : -1}
        onKeyDown={press}
        onClick={() => onGo(path)}
      >
        <span
          className="twist"
          aria-hidden="true"
          onClick={(event) => {
            event.stopPropagation();
            setChosen(!open);
          }}
        >
          {open ? "▾" : "▸"}
        </span>
        <span className="branch-name">{safeName(name)}</span>
      </div>
      {open && folders.length > 0 ? (
        // biome-ignore lint/a11y/useSemanticElements: a tree has groups
        <div role="group" className="twigs">
          {folders.slice(0, MOST).map(({ name }) => (
            <Branch
              key={name}
              of={of}
              path={joined(path, name)}
              name={name}
              current={current}
              level={level + 1}
              onGo={onGo}
            />
          ))}
        </div>
      ) : null}
    </div>
  );
}
