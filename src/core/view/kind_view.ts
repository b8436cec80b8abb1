import type { Resource } from "../../kube/resource.ts";
import type { ColumnView, KindView } from "./api_view.ts";
import type { ShownObject } from "./shown_object.ts";

/** One kind, with the columns of its list by their titles. */
export function kindView<T extends ShownObject>(
  word: string,
  resource: Resource<T>,
  columns: Readonly<Record<string, ColumnView<T>["value"]>>,
  more: Pick<KindView<T>, "runsOnce" | "sameOf" | "planOf" | "uncounted"> = {},
): KindView {
  const shown = Object.entries(columns).map(([title, value]) => ({ title, value }));
  return { word, resource, columns: shown, ...more } as unknown as KindView;
}
