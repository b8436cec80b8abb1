import { useEffect, useState } from "react";
import type { ConsoleView } from "../../../../src/cli/console/contract.ts";
import type { ObjectRef } from "../../../../src/core/view/shown_object.ts";
import { type Pace, paceOf, type Sample, withSample } from "../../text/pace.ts";

const keyOf = ({ kind, namespace, name }: ObjectRef) => `${kind}/${namespace}/${name}`;

/** How fast the runs go, by what this page has seen of them. */
export function usePaces(view: ConsoleView | undefined): (object: ObjectRef) => Pace {
  const [seen, setSeen] = useState<ReadonlyMap<string, readonly Sample[]>>(new Map());
  useEffect(() => {
    if (!view) return;
    const at = Date.parse(view.now);
    const running = view.activity.flatMap(({ object, progress }) =>
      progress ? [{ key: keyOf(object), sample: { at, ...progress } }] : [],
    );
    setSeen(
      (before) => new Map(running.map(({ key, sample }) => [key, withSample(before.get(key) ?? [], sample)])),
    );
  }, [view]);
  return (object) => paceOf(seen.get(keyOf(object)) ?? []);
}
