import type { Entry, FilesOf } from "../../../../src/cli/console/contract.ts";
import { modeText, safeName } from "../../../../src/cli/files/entry_text.ts";
import { bytesText } from "../../../../src/lib/bytes_text.ts";
import { contentPath } from "../../api/files.ts";
import { Copied } from "../../parts/copied.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { To } from "../../parts/to.tsx";
import { momentText } from "../../text/ages.ts";
import { commandLine } from "../../text/command_line.ts";
import * as links from "../../text/links.ts";
import { FilePreview } from "./file_preview.tsx";
import { isAskable } from "./paths.ts";
import { Versions } from "./versions.tsx";

interface EntryDrawerProps {
  readonly of: FilesOf;
  readonly path: string;
  readonly entry: Entry;
  readonly volume: string | undefined;
  readonly onClose: () => void;
}

/** A file: what it is, a preview, its other forms, and how to have it back. */
export function EntryDrawer({ of, path, entry, volume, onClose }: EntryDrawerProps) {
  const { name, type, size, modifiedAt, owner } = entry;
  const words = ["download", `backup/${of.backup}`, path, ...(of.pvc ? ["--pvc", of.pvc] : [])];
  return (
    <Dialog title={safeName(name)} drawer onClose={onClose}>
      <dl className="facts">
        <dt>Path</dt>
        <dd>{safeName(path)}</dd>
        <dt>Size</dt>
        <dd>{type === "File" ? `${bytesText(size)} (${size} bytes)` : "–"}</dd>
        <dt>Modified</dt>
        <dd>{momentText(modifiedAt)}</dd>
        <dt>Mode</dt>
        <dd>
          <code>{modeText(entry)}</code>
        </dd>
        <dt>Owner</dt>
        <dd>{owner ? `user ${owner.uid}, group ${owner.gid}` : "not told by the engine"}</dd>
      </dl>
      {isAskable(path) ? (
        <>
          <div className="actions">
            {type === "File" ? (
              <a className="button" href={contentPath(of, path)} download>
                Download
              </a>
            ) : null}
            <To className="button primary" place={links.restore(of, { path, volume })}>
              Restore this…
            </To>
          </div>
          <Copied label="The command line that downloads it" text={commandLine(words, of.namespace)} />
          <FilePreview of={of} path={path} entry={entry} />
          {type === "File" ? <Versions of={of} path={path} volume={volume} /> : null}
        </>
      ) : (
        <p className="box tone-warn">
          Its name has bytes that are not UTF-8, so it cannot be fetched alone. Download or restore its
          folder.
        </p>
      )}
    </Dialog>
  );
}
