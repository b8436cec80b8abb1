import { X509Certificate } from "node:crypto";
import { messageOf } from "../../lib/result.ts";
import type { ServerNames } from "../certificates/certificates.ts";
import { isIssuedBy, missingNames, pemBlocks, validityOf } from "../certificates/read_certificate.ts";

export interface CertificateFacts {
  /** In PEM: what is served, with its chain. */
  readonly cert: string;
  /** In PEM: whom the API server is to trust, where that is known here. */
  readonly authority?: string | undefined;
  /** What the API server calls the server. */
  readonly names: ServerNames;
  readonly now: number;
}

const DAY = 86_400_000;

/** Whoever renews certificates in time has done so by then. */
const LAST_DAYS = 14 * DAY;

const HELP = "renew it where it comes from: the new one is taken up while the operator runs";

/** Why the API server does not call a server with this certificate, or soon will not; undefined when all is well. */
export function certificateProblem(facts: CertificateFacts): string | undefined {
  try {
    return problemOf(facts);
  } catch (error) {
    return `the webhooks' certificate cannot be read: ${messageOf(error)}; ${HELP}`;
  }
}

function problemOf({ cert, authority, names, now }: CertificateFacts): string | undefined {
  const chain = pemBlocks(cert).map((block) => new X509Certificate(block));
  const leaf = chain[0] ?? new X509Certificate(cert);
  const { notBefore, notAfter } = validityOf(leaf);
  const refused = "the API server refuses to call the webhooks";
  if (notAfter <= now) return `the webhooks' certificate expired at ${time(notAfter)}: ${refused}; ${HELP}`;
  if (notBefore > now) {
    return `the webhooks' certificate holds only from ${time(notBefore)}: ${refused}; set the clock right, or ${HELP}`;
  }
  const [missing] = missingNames(leaf, names);
  if (missing !== undefined) {
    return `the webhooks' certificate is not for ${missing} (${leaf.subjectAltName ?? "it has no alternative names"}): ${refused}; ${HELP}`;
  }
  const roots = pemBlocks(authority ?? "").map((block) => new X509Certificate(block));
  if (authority !== undefined && !isVouchedFor(chain, roots)) {
    return `the webhooks' certificate was not issued by the authority that the API server is told to trust: ${refused}; set webhook.caBundle to its authority`;
  }
  const soon = Math.min(LAST_DAYS, (notAfter - notBefore) / 6);
  return notAfter - now < soon
    ? `the webhooks' certificate expires at ${time(notAfter)}, and nobody has renewed it: ${HELP}`
    : undefined;
}

/** Whether a chain of issuers leads from the first certificate to one that is trusted. */
function isVouchedFor(chain: readonly X509Certificate[], roots: readonly X509Certificate[]): boolean {
  const [first, ...rest] = chain;
  if (first === undefined) return false;
  if (roots.some((root) => root.raw.equals(first.raw) || isIssuedBy(first, root))) return true;
  const next = rest.find((one) => isIssuedBy(first, one));
  return next !== undefined && isVouchedFor([next, ...rest.filter((one) => one !== next)], roots);
}

function time(ms: number): string {
  return new Date(ms).toISOString();
}
