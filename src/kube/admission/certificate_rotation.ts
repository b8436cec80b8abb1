import { X509Certificate } from "node:crypto";
import type { TlsIdentity } from "../../lib/https_server.ts";
import type { Random } from "../../lib/random.ts";
import { unreachable } from "../../lib/result.ts";
import { createAuthority, issueServerCertificate, type ServerNames } from "../certificates/certificates.ts";
import { isIssuedBy, missingNames, validityOf } from "../certificates/read_certificate.ts";

/** The certificates of a server that is its own authority. */
export interface OwnCertificates {
  /** Newest first, never empty; in PEM. Whoever trusts these trusts every leaf that may still be in use. */
  readonly authorities: readonly string[];
  /** Of the newest authority. */
  readonly authorityKey: string;
  readonly leaf: TlsIdentity;
}

/** Times in milliseconds. */
export interface RotationPolicy {
  /** Default a year. */
  readonly authorityLife: number;
  /** Default 90 days. Must be less than a third of an authority's life, or leaves are cut short by its end. */
  readonly leafLife: number;
  /**
   * How long a new authority is published before the first leaf of it is served. Default an hour: every API
   * server has long seen it by then, and every replica has read it.
   */
  readonly settle: number;
}

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

export const ROTATION_POLICY: RotationPolicy = { authorityLife: 365 * DAY, leafLife: 90 * DAY, settle: HOUR };

/** Certificates hold from an hour before they are made, for clients whose clock is behind. */
const BACKDATE = HOUR;

export type Rotation =
  | { readonly kind: "keep" }
  /** A leaf of the newest authority. */
  | { readonly kind: "renewLeaf"; readonly reason: string }
  /** A new authority to be trusted beside the others. The leaf stays the old one's, made anew if it is due. */
  | { readonly kind: "addAuthority"; readonly reason: string }
  /** Nothing there can be used: a new authority and its leaf at once. */
  | { readonly kind: "renewAll"; readonly reason: string };

export interface RotationFacts {
  readonly now: number;
  readonly current: OwnCertificates | undefined;
  readonly names: ServerNames;
  /** Every client has been told to trust the newest authority. */
  readonly published: boolean;
  readonly policy: RotationPolicy;
}

/**
 * What to do about the certificates now. An authority is replaced in steps, so that at no moment a leaf is served
 * that its clients do not trust: first the new one is published beside the old, then a leaf of it is made, and the
 * old one stays published until it expires, as then do all leaves of it.
 */
export function decideRotation({ now, current, names, published, policy }: RotationFacts): Rotation {
  if (!current) return { kind: "renewAll", reason: "there are no certificates" };
  const newest = new X509Certificate(current.authorities[0] ?? "");
  const leaf = new X509Certificate(current.leaf.cert);
  const isTrusted = current.authorities.some((authority) => isIssuedBy(leaf, new X509Certificate(authority)));
  const isUsable = isTrusted && isValid(leaf, now) && missingNames(leaf, names).length === 0;

  if (!isValid(newest, now)) return { kind: "renewAll", reason: "the authority is not valid now" };
  if (isDue(newest, now)) {
    const reason = "the authority is past two thirds of its life";
    return { kind: isUsable ? "addAuthority" : "renewAll", reason };
  }
  if (!isUsable)
    return {
      kind: "renewLeaf",
      reason: "the server's certificate does not fit its names, or is not valid now",
    };
  if (!isIssuedBy(leaf, newest)) {
    const settled = now - validityOf(newest).notBefore - BACKDATE >= policy.settle;
    return settled && published
      ? { kind: "renewLeaf", reason: "the new authority is published" }
      : { kind: "keep" };
  }
  if (isDue(leaf, now))
    return { kind: "renewLeaf", reason: "the server's certificate is past two thirds of its life" };
  return { kind: "keep" };
}

export interface RotateOptions {
  readonly now: number;
  /** The authority's name, for people. */
  readonly authorityName: string;
  readonly names: ServerNames;
  readonly policy: RotationPolicy;
  readonly random: Random;
}

/** Carries a decision out, in memory. Authorities that have expired are dropped. */
export function rotate(
  rotation: Exclude<Rotation, { readonly kind: "keep" }>,
  current: OwnCertificates | undefined,
  options: RotateOptions,
): OwnCertificates {
  const authorities = current ? trustedAuthorities(current, options.now) : [];
  switch (rotation.kind) {
    case "renewLeaf": {
      const { authorityKey } = need(current);
      const authority = { cert: need(authorities[0]), key: authorityKey };
      return { authorities, authorityKey, leaf: newLeaf(authority, options) };
    }
    case "addAuthority": {
      const { authorityKey, leaf } = need(current);
      const added = newAuthority(options);
      // Until the new authority has settled nothing replaces the leaf: it must not be near its end by then.
      const isOld = isDue(new X509Certificate(leaf.cert), options.now);
      const old = { cert: need(authorities[0]), key: authorityKey };
      return {
        authorities: [added.cert, ...authorities],
        authorityKey: added.key,
        leaf: isOld ? newLeaf(old, options) : leaf,
      };
    }
    case "renewAll": {
      const added = newAuthority(options);
      return {
        authorities: [added.cert, ...authorities],
        authorityKey: added.key,
        leaf: newLeaf(added, options),
      };
    }
    default:
      return unreachable(rotation);
  }
}

/** The authorities that have not expired: a leaf of such a one may still be served by some replica. */
export function trustedAuthorities(certificates: OwnCertificates, now: number): readonly string[] {
  return certificates.authorities.filter(
    (authority) => validityOf(new X509Certificate(authority)).notAfter > now,
  );
}

function newAuthority({ now, authorityName, policy, random }: RotateOptions): TlsIdentity {
  const validity = { notBefore: now - BACKDATE, notAfter: now + policy.authorityLife };
  return createAuthority({ name: authorityName, validity, random });
}

function newLeaf(authority: TlsIdentity, { now, names, policy, random }: RotateOptions): TlsIdentity {
  const { notAfter: end } = validityOf(new X509Certificate(authority.cert));
  const validity = { notBefore: now - BACKDATE, notAfter: Math.min(now + policy.leafLife, end) };
  return issueServerCertificate({ authority, names, validity, random });
}

function need<T>(value: T | undefined): T {
  if (value === undefined) throw new TypeError("there are no certificates to go on from");
  return value;
}

function isValid(certificate: X509Certificate, now: number): boolean {
  const { notBefore, notAfter } = validityOf(certificate);
  return notBefore <= now && now < notAfter;
}

function isDue(certificate: X509Certificate, now: number): boolean {
  const { notBefore, notAfter } = validityOf(certificate);
  return now >= notBefore + ((notAfter - notBefore) * 2) / 3;
}
