/** Tells snapshots of this API apart from others in the same repository. */
const USERNAME = "autorestore";

/** Under which identity the snapshots of a PVC are found again, whatever objects are lost. */
export function identityOf(namespace: string, pvc: string) {
  return { username: USERNAME, hostname: namespace, path: `/${namespace}/${pvc}` };
}
