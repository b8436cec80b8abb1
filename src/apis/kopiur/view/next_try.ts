import { namedText, type Retry, type ShownObject } from "../../../core/view/shown_object.ts";

/** What the operator does after the failure that a status shows: that depends on the kind and the phase first. */
export function nextTry(object: ShownObject, retry: Retry): string {
  const { kind } = object;
  if (kind === "Backup" || kind === "Restore") return afterRun(object, retry);
  if (kind === "Repository" || kind === "ClusterRepository") return afterContact(retry);
  return kind === "Maintenance" ? afterMaintenance(object, retry) : WHILE_IT_GOES_ON[retry];
}

/** Between the attempts of one run. */
const WHILE_IT_GOES_ON: Readonly<Record<Retry, string>> = {
  terminal: "It is not tried again before something is edited.",
  structural:
    "It is tried again every few minutes while it has attempts left, as something around it must change.",
  transient: "It is tried again soon, while it has attempts left.",
};

function afterRun(object: ShownObject, retry: Retry): string {
  const { kind, metadata, status } = object;
  if (metadata.deletionTimestamp) {
    return kind === "Backup"
      ? "It is not run again, as it is being deleted. A deletion that fails is tried again within an hour while the repository is ready, and at once after an edit."
      : "It is not tried again, as it is being deleted.";
  }
  if (status?.phase !== "Failed") return WHILE_IT_GOES_ON[retry];
  return `It is not tried again by itself: holdfast retry ${namedText(object)} tries it once more.`;
}

/** A contact has any number of attempts, and one that ended is begun again. */
function afterContact(retry: Retry): string {
  const when =
    retry === "transient"
      ? "after half a minute at first, and a quarter of an hour at last"
      : "every five minutes";
  return `It is tried again by itself, ${when}; at once after an edit.`;
}

function afterMaintenance(object: ShownObject, retry: Retry): string {
  const { phase, quick, full } = (object.status ?? {}) as NonNullable<ShownObject["status"]> & {
    readonly quick?: { readonly nextScheduledAt?: string };
    readonly full?: { readonly nextScheduledAt?: string };
  };
  if (phase === "Pending" || phase === "Running") return WHILE_IT_GOES_ON[retry];
  const [next] = [quick, full].flatMap((times) => times?.nextScheduledAt ?? []).toSorted();
  const now = `holdfast maintenance run ${namedText(object)} does it at once`;
  return next === undefined
    ? `It is not tried again by itself, as no run is due; ${now}.`
    : `It is tried again with the next run by schedule, at ${next}; ${now}.`;
}
