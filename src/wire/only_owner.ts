import type { Owner } from "./snapshot.ts";

/**
 * The one to whom all files belong, where there is one: a mover that runs as this user can read them, and give them
 * back. What is root's aside, such as the folder that a new volume comes with: without privileges nobody gives that back.
 */
export function onlyOwner(owners: readonly Owner[] = []): { readonly owner?: Owner } {
  const people = owners.filter(({ uid }) => uid !== 0);
  const [owner, ...others] = people.length > 0 ? people : owners;
  return owner && others.length === 0 ? { owner: { uid: owner.uid, gid: owner.gid } } : {};
}
