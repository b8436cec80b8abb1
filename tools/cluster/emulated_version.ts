/**
 * What makes the controller manager and the scheduler act like those of an older API server's version, by its program:
 * else they would wait for kinds that it does not serve. Nothing for the pinned version.
 */
export function emulatedVersion(apiServer: string): readonly string[] {
  const [, version] = /-(\d+\.\d+)$/.exec(apiServer) ?? [];
  return version ? [`--emulated-version=kube=${version}`] : [];
}
