import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { objectQuery } from "../api/queries.ts";
import { useTitle } from "../layout/scope.ts";
import { commandLine, yamlWords } from "../text/command_line.ts";
import { Answer } from "./answer.tsx";
import { Copied } from "./copied.tsx";
import { Dialog } from "./dialog.tsx";

interface PageProps {
  readonly title: string;
  /** The words of the command line that show the same. */
  readonly words: readonly string[];
  readonly namespace?: string | undefined;
  /** The page can show all namespaces. */
  readonly all?: boolean;
  /** The object that the page is about. */
  readonly object?:
    | { readonly resource: string; readonly namespace?: string | undefined; readonly name: string }
    | undefined;
  /** Buttons beside the title. */
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** A page with its title, its actions, and its YAML, command line and link. */
export function Page({ title, words, namespace, all = false, object, actions, children }: PageProps) {
  const [open, setOpen] = useState(false);
  const yaml = yamlWords(words);
  useTitle(title);
  return (
    <>
      <div className="page-head">
        <h1>{title}</h1>
        <div className="actions">
          {actions}
          <button type="button" aria-haspopup="dialog" onClick={() => setOpen(true)}>
            Link, command, YAML
          </button>
        </div>
      </div>
      {children}
      {open ? (
        <Dialog title="This page elsewhere" drawer onClose={() => setOpen(false)}>
          <h3>Its link</h3>
          <Copied label="Link to this page" text={location.href} />
          <h3>Its command line</h3>
          <Copied label="Command line" text={commandLine(words, namespace, all)} />
          {object || yaml ? <h3>Its YAML</h3> : null}
          {object ? (
            <Yaml {...object} />
          ) : yaml ? (
            <>
              <p>A command line tells the same as YAML:</p>
              <Copied label="Command line for YAML" text={commandLine(yaml, namespace, all)} />
            </>
          ) : null}
        </Dialog>
      ) : null}
    </>
  );
}

function Yaml(object: NonNullable<PageProps["object"]>) {
  const query = useQuery(objectQuery(object));
  return (
    <Answer query={query} what="the object">
      {({ yaml }) => <Copied block label="YAML" text={yaml} />}
    </Answer>
  );
}
