import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { RetentionPreview } from "../../../../src/cli/console/contract.ts";
import { retentionQuery } from "../../api/queries.ts";
import { Answer } from "../../parts/answer.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Table } from "../../parts/table.tsx";
import { When } from "../../parts/when.tsx";

interface RetentionProps {
  readonly namespace: string;
  readonly config: string;
}

/** Shows what retention keeps, and would delete now. */
export function RetentionButton(props: RetentionProps) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        aria-label={`What retention does to ${props.config}`}
        onClick={() => setOpen(true)}
      >
        What retention does …
      </button>
      {open ? (
        <Dialog title={`Retention of ${props.namespace}/${props.config}`} onClose={() => setOpen(false)}>
          <Preview {...props} />
        </Dialog>
      ) : null}
    </>
  );
}

function Preview({ namespace, config }: RetentionProps) {
  const query = useQuery(retentionQuery(namespace, config));
  return (
    <Answer query={query} what="what retention would do">
      {(preview) => <Lists preview={preview} />}
    </Answer>
  );
}

function Lists({ preview: { rules, paused, kept, deleted } }: { readonly preview: RetentionPreview }) {
  return (
    <>
      {paused ? <p className="box tone-warn">Nothing is deleted at present: {paused}</p> : null}
      <ul className="says dots">
        {rules.map((rule) => (
          <li key={rule}>{rule}</li>
        ))}
      </ul>
      <h3>Would be deleted now: {deleted.length}</h3>
      <Table
        caption="Backups that retention would delete now"
        rows={deleted}
        keyOf={({ backup }) => backup}
        empty="Retention would delete nothing now."
        columns={[
          { title: "Backup", cell: ({ backup }) => backup },
          { title: "Made", cell: ({ at }) => <When at={at} /> },
        ]}
      />
      <h3>Kept: {kept.length}</h3>
      <Table
        caption="Backups that retention keeps"
        rows={kept}
        keyOf={({ backup }) => backup}
        empty="There are no Backups yet."
        columns={[
          { title: "Backup", cell: ({ backup }) => backup },
          { title: "Made", cell: ({ at }) => <When at={at} /> },
          { title: "Because", cell: ({ because }) => because.join(", ") },
        ]}
      />
    </>
  );
}
