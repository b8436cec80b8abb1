/**
 * Under which identity the snapshots of a PVC are found again, whatever objects are lost. The user tells them apart from
 * others in the same repository.
 */
export function identityOf(namespace: string, pvc: string) {
  return { username: "autorestore", hostname: namespace, path: `/${namespace}/${pvc}` };
}
