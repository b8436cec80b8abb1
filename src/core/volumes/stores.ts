/** The PVCs of a namespace that hold a repository, by their names; with the repository, such as `Repository media/nas`. */
export type Stores = ReadonlyMap<string, string>;
export type StoresIn = (namespace: string) => Stores;

/** What all APIs know together: the repository of one may lie where another restores to. */
export function joinedStores(parts: readonly StoresIn[]): StoresIn {
  return (namespace) => new Map(parts.flatMap((part) => [...part(namespace)]));
}
