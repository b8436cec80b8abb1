/** `username@hostname:/path`, as engines write it. */
const IDENTITY = /^([^@/]+)@([^:]+):(.+)$/;

/** The identity that a word names, if it is one and not an object. */
export function identityIn(
  word: string,
): { readonly username: string; readonly hostname: string; readonly sourcePath: string } | undefined {
  const [, username, hostname, sourcePath] = IDENTITY.exec(word) ?? [];
  return username && hostname && sourcePath ? { username, hostname, sourcePath } : undefined;
}
