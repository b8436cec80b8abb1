import type { ConditionRow, EventRow } from "../../../src/cli/console/contract.ts";
import { Badge } from "./badge.tsx";
import { ObjectLink } from "./object_link.tsx";
import { Table } from "./table.tsx";
import { When } from "./when.tsx";

export function EventsTable({ events }: { readonly events: readonly EventRow[] }) {
  return (
    <Table
      caption="Events"
      rows={events}
      keyOf={({ at, reason, object, message }) => `${at} ${reason} ${object.kind}/${object.name} ${message}`}
      empty="There are no events. Kubernetes keeps them for an hour by default."
      columns={[
        { title: "When", cell: ({ at }) => <When at={at} />, sort: ({ at }) => -Date.parse(at) },
        {
          title: "Reason",
          cell: ({ type, reason, count }) => (
            <>
              <Badge tone={type === "Warning" ? "warn" : "dim"}>{reason}</Badge>
              {count > 1 ? <span className="dim"> {count} times</span> : null}
            </>
          ),
        },
        { title: "Object", cell: ({ object }) => <ObjectLink object={object} /> },
        { title: "Message", cell: ({ message }) => message },
      ]}
    />
  );
}

export function ConditionsTable({ conditions }: { readonly conditions: readonly ConditionRow[] }) {
  return (
    <Table
      caption="Conditions"
      rows={conditions}
      keyOf={({ type }) => type}
      empty="It has no conditions yet."
      columns={[
        { title: "Condition", cell: ({ type }) => type },
        { title: "Status", cell: ({ status }) => status },
        { title: "Reason", cell: ({ reason }) => reason },
        { title: "Message", cell: ({ message }) => message },
        { title: "Since", cell: ({ since }) => <When at={since} /> },
      ]}
    />
  );
}
