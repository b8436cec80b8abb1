/** A request, as far as it tells who made it. */
export interface GuardedRequest {
  readonly method: string;
  /** Names in lower case. */
  readonly header: (name: string) => string | undefined;
}

export interface Place {
  /** Served on this machine alone, on this port: a name of another machine that leads here is somebody's attack. */
  readonly loopbackPort?: number | undefined;
  /** The address that people use, where it is known. */
  readonly address?: string | undefined;
}

/** Why a request is not answered, whoever is signed in; undefined when it may be. */
export function misplaced({ header }: GuardedRequest, place: Place): string | undefined {
  const [known, host] = [hosts(place), header("host") ?? ""];
  return known && !known.includes(host) ? `the console is not at ${host}` : undefined;
}

/** Why a request does not come from the console's own page; undefined when it may. */
export function foreign({ header }: GuardedRequest, place: Place): string | undefined {
  const origin = header("origin");
  if (origin !== undefined && !isOwn(origin, header("host") ?? "", place))
    return `${origin} is not the console's own page`;
  const site = header("sec-fetch-site");
  if (site !== undefined && site !== "same-origin" && site !== "none") return "another site asked for this";
  return undefined;
}

/** Whether a request could change something, and so has to prove that the page made it. */
export function needsProof({ method }: GuardedRequest): boolean {
  return method !== "GET" && method !== "HEAD";
}

/** Equal texts, in a time that does not tell how much of them is. */
export function sameSecret(a: string, b: string): boolean {
  if (a.length !== b.length || a.length === 0) return false;
  let different = 0;
  for (let i = 0; i < a.length; i++) different |= a.charCodeAt(i) ^ b.charCodeAt(i);
  return different === 0;
}

function hosts({ loopbackPort, address }: Place): readonly string[] | undefined {
  if (loopbackPort !== undefined)
    // As browsers write it: without a port that goes without saying.
    return ["127.0.0.1", "localhost", "[::1]"].map((name) => new URL(`http://${name}:${loopbackPort}`).host);
  return address === undefined ? undefined : [new URL(address).host];
}

function isOwn(origin: string, host: string, place: Place): boolean {
  if (place.address !== undefined) return origin === new URL(place.address).origin;
  if (!URL.canParse(origin)) return false;
  return new URL(origin).host === host;
}
