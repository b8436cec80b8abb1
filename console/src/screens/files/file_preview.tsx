import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Entry, FilesOf } from "../../../../src/cli/console/contract.ts";
import { contentPath, textQuery } from "../../api/files.ts";
import { SessionAnswer } from "../../parts/session_answer.tsx";
import { isText, previewOf } from "./preview.ts";

interface FilePreviewProps {
  readonly of: FilesOf;
  readonly path: string;
  readonly entry: Entry;
}

/** A text or a picture. A text is shown as it is, whatever markup it holds. */
export function FilePreview({ of, path, entry }: FilePreviewProps) {
  const preview = previewOf(entry);
  return (
    <section aria-label="Preview">
      <h3>Preview</h3>
      {preview.type === "none" ? <p className="dim">{preview.why}</p> : null}
      {preview.type === "picture" ? (
        <Picture address={contentPath(of, path, true)} name={entry.name} />
      ) : null}
      {preview.type === "text" ? <Text of={of} path={path} /> : null}
    </section>
  );
}

function Picture({ address, name }: { readonly address: string; readonly name: string }) {
  const [failed, setFailed] = useState(false);
  if (failed) return <p className="dim">The browser cannot show it: download it to look at it.</p>;
  return <img className="preview" src={address} alt={`Preview of ${name}`} onError={() => setFailed(true)} />;
}

function Text({ of, path }: Pick<FilePreviewProps, "of" | "path">) {
  const query = useQuery(textQuery(of, path));
  return (
    <SessionAnswer query={query} what="the preview">
      {(text) =>
        isText(text) ? (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a text that scrolls must be reachable by keys
          // biome-ignore lint/a11y/useSemanticElements: the text keeps its lines
          <pre className="preview" role="region" aria-label="Content" tabIndex={0}>
            {text === "" ? "The file is empty." : text}
          </pre>
        ) : (
          <p className="dim">It is neither text nor a picture: download it to look at it.</p>
        )
      }
    </SessionAnswer>
  );
}
