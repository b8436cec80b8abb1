import { StorageClasses } from "../../src/kube/builtin.ts";
import type { ScenarioWorld } from "./world.ts";

const DEFAULT_CLASS = "storageclass.kubernetes.io/is-default-class";

/** The storage class of a world's volumes, by name also where it goes without saying. */
export async function usualClass({ client, storageClassName }: ScenarioWorld): Promise<string> {
  const { items } = await client.list(StorageClasses);
  const usual = items.find((one) => one.metadata.annotations?.[DEFAULT_CLASS] === "true");
  return storageClassName ?? usual?.metadata.name ?? "";
}
