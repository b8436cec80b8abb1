/** The cookies of a console: on one machine, several may share a host. */
export interface CookieNames {
  readonly secure: boolean;
  readonly port?: number | undefined;
}

/** The name of the cookie that carries a sign-in. */
export function cookieName({ secure, port }: CookieNames, what: "sign-in" | "state" = "sign-in"): string {
  const name = what === "state" ? "holdfast-state" : "holdfast-console";
  const own = port === undefined ? name : `${name}-${port}`;
  // Browsers take such a name only over TLS, from this very host.
  return secure ? `__Host-${own}` : own;
}

/** A `Set-Cookie` that no script reads. `lax`: also sent when another site leads here. */
export function cookie(
  name: string,
  value: string,
  {
    secure,
    lax = false,
    seconds,
  }: { readonly secure: boolean; readonly lax?: boolean; readonly seconds?: number },
): string {
  const age = seconds === undefined ? "" : `; Max-Age=${seconds}`;
  return `${name}=${value}; Path=/; HttpOnly; SameSite=${lax ? "Lax" : "Strict"}${secure ? "; Secure" : ""}${age}`;
}

/** The value of a cookie in a request. */
export function cookieIn(header: string | undefined, name: string): string | undefined {
  const found = (header ?? "").split(/;\s*/).find((one) => one.startsWith(`${name}=`));
  return found?.slice(name.length + 1);
}
