import type { Entry } from "../../../../src/cli/console/contract.ts";

const SIGNS: Readonly<Record<Entry["type"], { readonly title: string; readonly path: string }>> = {
  Folder: { title: "Folder", path: "M1.5 4.5h4.2l1.4 1.6h7.4v7H1.5z" },
  File: { title: "File", path: "M3.5 1.5h6l3 3v10h-9zM9.5 1.5v3h3" },
  Symlink: { title: "Link", path: "M2.5 12.5c0-5 3-6.5 8-6.5M8 3l3.5 3L8 9" },
  Other: { title: "Other", path: "M8 2.5a5.5 5.5 0 1 0 .01 0" },
};

/** Whether it is a file, a folder or something else. */
export function EntrySign({ type }: { readonly type: Entry["type"] }) {
  const { title, path } = SIGNS[type];
  return (
    <svg
      className={type === "Folder" ? "entry-sign filled" : "entry-sign"}
      viewBox="0 0 16 16"
      width="16"
      height="16"
      role="img"
      aria-label={title}
    >
      <path d={path} />
    </svg>
  );
}
