import { X509Certificate } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createAuthority, issueServerCertificate } from "../kube/certificates/certificates.ts";
import type { Clock } from "../lib/clock.ts";
import type { TlsIdentity } from "../lib/https_server.ts";
import type { Random } from "../lib/random.ts";

const DAY = 86_400_000;
const AUTHORITY_DAYS = 3650;
const SERVER_DAYS = 365;
/** A server certificate with less time left than this is replaced when it is next asked for. */
const RENEW_DAYS = 120;
/** Clocks of one machine's past may be a little ahead of its present. */
const BACKDATED = DAY;

/** How people and programs on this machine reach the control plane, and prove that they may. */
export interface Access {
  /** What the server shows, good for some months from now: ask again in time. */
  readonly tls: TlsIdentity;
  /** The authority's certificate, PEM. */
  readonly ca: string;
  readonly token: string;
}

/** The keys of a control plane: made once, kept in files that only their owner may read. */
export function openAccess(options: { folder: string; clock: Clock; random: Random }): Access {
  const { folder, clock, random } = options;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const now = clock.now();
  const authority = keptIdentity(join(folder, "authority"), now, 0, () =>
    createAuthority({ name: "holdfast", validity: validFor(now, AUTHORITY_DAYS), random }),
  );
  const names = { dns: ["localhost", "kubernetes.default.svc"], ip: ["127.0.0.1"] };
  const token = kept(join(folder, "token"), () => random.hex(32));
  return {
    get tls() {
      const now = clock.now();
      return keptIdentity(join(folder, "server"), now, RENEW_DAYS * DAY, () =>
        issueServerCertificate({ authority, names, validity: validFor(now, SERVER_DAYS), random }),
      );
    },
    ca: authority.cert,
    token,
  };
}

/** A kubeconfig with one context, `holdfast`. */
export function kubeconfigOf(access: Access, server: string): string {
  const ca = Buffer.from(access.ca).toString("base64");
  return `apiVersion: v1
kind: Config
current-context: holdfast
contexts:
  - name: holdfast
    context: { cluster: holdfast, user: holdfast }
clusters:
  - name: holdfast
    cluster: { server: "${server}", certificate-authority-data: ${ca} }
users:
  - name: holdfast
    user: { token: "${access.token}" }
`;
}

/** Replaces a private file as a whole. */
export function writePrivate(path: string, text: string): void {
  writeFileSync(`${path}.new`, text, { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

function validFor(now: number, days: number) {
  return { notBefore: now - BACKDATED, notAfter: now + days * DAY };
}

function keptIdentity(path: string, now: number, margin: number, make: () => TlsIdentity): TlsIdentity {
  if (existsSync(`${path}.json`)) {
    const found = JSON.parse(readFileSync(`${path}.json`, "utf8")) as TlsIdentity;
    if (new X509Certificate(found.cert).validToDate.getTime() - margin > now) return found;
  }
  const made = make();
  writePrivate(`${path}.json`, JSON.stringify(made));
  return made;
}

function kept(path: string, make: () => string): string {
  if (!existsSync(path)) writePrivate(path, make());
  return readFileSync(path, "utf8").trim();
}
