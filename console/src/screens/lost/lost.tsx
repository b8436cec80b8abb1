import { useQuery } from "@tanstack/react-query";
import { useState, useSyncExternalStore } from "react";
import type { LostView } from "../../../../src/core/view/view.ts";
import { bytesText } from "../../../../src/lib/bytes_text.ts";
import { viewQuery } from "../../api/queries.ts";
import { useScope } from "../../layout/scope.ts";
import { Answer } from "../../parts/answer.tsx";
import { Choice } from "../../parts/choice.tsx";
import { Copied } from "../../parts/copied.tsx";
import { Page } from "../../parts/page.tsx";
import { LostNamespace } from "./lost_namespace.tsx";
import { byNamespace, ORDERS, type Order, ordered } from "./rescue_list.ts";
import { rescues } from "./rescues.ts";
import { Underway } from "./underway.tsx";
import "./lost.css";

/** What the repositories hold and the cluster has not, and the way back of all of it. */
export function Lost() {
  const query = useQuery(viewQuery(useScope()));
  const state = useSyncExternalStore(rescues.subscribe, rescues.state);
  return (
    <Page title="Lost cluster" words={["status"]} namespace={useScope()} all={useScope() === undefined}>
      <p>
        PersistentVolumeClaims that are gone, and of which a repository holds a good backup. After the loss of
        a cluster, apply its Repositories and BackupConfigs first: their claims then appear here.
      </p>
      {state.rescues.length > 0 ? <Underway state={state} /> : null}
      <Answer query={query} what="what is lost">
        {({ lost, now }) =>
          lost.length === 0 ? (
            <p className="empty">
              Nothing is lost: every PersistentVolumeClaim that a BackupConfig names is there, or has no
              backup.
            </p>
          ) : (
            <Choosing lost={lost} now={now} />
          )
        }
      </Answer>
    </Page>
  );
}

const SIDE_BY_SIDE = [
  ["1", "One after the other"],
  ["2", "Two side by side"],
  ["4", "Four side by side"],
] as const;

function Choosing({ lost, now }: { readonly lost: readonly LostView[]; readonly now: string }) {
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const [order, setOrder] = useState<Order>("name");
  const [count, setCount] = useState("2");
  const state = useSyncExternalStore(rescues.subscribe, rescues.state);
  const busy = state.rescues.some(({ phase }) => phase === "running" || phase === "waiting");
  const all = ordered(lost, order);
  const chosen = all.filter(({ claim }) => !left.has(claim));
  const bytes = chosen.reduce((sum, { lastGood }) => sum + (lastGood.bytes ?? 0), 0);
  const leave = (claims: readonly string[], isLeft: boolean) =>
    setLeft((now) => {
      const next = new Set(now);
      for (const claim of claims) isLeft ? next.add(claim) : next.delete(claim);
      return next;
    });
  return (
    <>
      <div className="filters">
        <Choice
          label="Order"
          value={order}
          values={ORDERS}
          onChange={(value) => setOrder(ORDERS.find(([one]) => one === value)?.[0] ?? "name")}
        />
        <Choice label="At once" value={count} values={SIDE_BY_SIDE} onChange={setCount} />
        <button
          type="button"
          className="primary"
          disabled={chosen.length === 0 || busy}
          onClick={() => void rescues.start(chosen, Number(count))}
        >
          Restore {chosen.length} of {lost.length} ({bytesText(bytes)})
        </button>
      </div>
      <p className="dim">
        Each becomes a new PVC of its old name, with its last good backup. Nothing that is there is
        overwritten. What waits for its turn begins while this tab is open; what has begun goes on without it.
      </p>
      {[...byNamespace(all)].map(([namespace, here]) => (
        <LostNamespace
          key={namespace}
          namespace={namespace}
          lost={here}
          now={now}
          left={left}
          disabled={busy}
          onLeave={leave}
        />
      ))}
      <details>
        <summary>The command lines that do the same</summary>
        <Copied
          block
          label="Command lines"
          text={chosen.map(({ restore }) => `${restore} --yes`).join("\n")}
        />
      </details>
    </>
  );
}
