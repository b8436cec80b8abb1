import { createHash, type KeyObject, sign, X509Certificate } from "node:crypto";
import {
  bitString,
  boolean,
  context,
  integer,
  octetString,
  oid,
  sequence,
  setOf,
  time,
  utf8String,
} from "./der.ts";

/** From when to when a certificate holds, in milliseconds since 1970. */
export interface Validity {
  readonly notBefore: number;
  readonly notAfter: number;
}

export const OID = {
  ecdsaWithSha256: "1.2.840.10045.4.3.2",
  commonName: "2.5.4.3",
  subjectKeyIdentifier: "2.5.29.14",
  keyUsage: "2.5.29.15",
  subjectAltName: "2.5.29.17",
  basicConstraints: "2.5.29.19",
  authorityKeyIdentifier: "2.5.29.35",
  extendedKeyUsage: "2.5.29.37",
  serverAuth: "1.3.6.1.5.5.7.3.1",
  clientAuth: "1.3.6.1.5.5.7.3.2",
} as const;

/** What a certificate says, and the key that vouches for it. */
export interface CertificateContents {
  readonly serial: bigint;
  readonly issuer: Uint8Array;
  readonly subject: Uint8Array;
  readonly validity: Validity;
  readonly publicKey: KeyObject;
  readonly signingKey: KeyObject;
  readonly extensions: readonly Uint8Array[];
}

/** A certificate of version 3, signed with a P-256 key; in PEM. */
export function certificate(contents: CertificateContents): string {
  const algorithm = sequence(oid(OID.ecdsaWithSha256));
  const version3 = context(0, integer(2n), "constructed");
  const signed = sequence(
    version3,
    integer(contents.serial),
    algorithm,
    contents.issuer,
    sequence(time(contents.validity.notBefore), time(contents.validity.notAfter)),
    contents.subject,
    contents.publicKey.export({ type: "spki", format: "der" }),
    context(3, sequence(...contents.extensions), "constructed"),
  );
  const signature = sign("sha256", signed, contents.signingKey);
  return new X509Certificate(sequence(signed, algorithm, bitString(signature))).toString();
}

export function extension(id: string, value: Uint8Array, critical?: "critical"): Buffer {
  return sequence(oid(id), ...(critical ? [boolean(true)] : []), octetString(value));
}

/** A name that is one common name. */
export function commonName(name: string): Buffer {
  return sequence(setOf(sequence(oid(OID.commonName), utf8String(name))));
}

/** By which a certificate is tied to the key that signed it. */
export function keyIdentifier(publicKey: KeyObject): Buffer {
  return createHash("sha256")
    .update(publicKey.export({ type: "spki", format: "der" }))
    .digest()
    .subarray(0, 20);
}
