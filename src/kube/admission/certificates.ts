import {
  createHash,
  createPrivateKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  X509Certificate,
} from "node:crypto";
import type { TlsIdentity } from "../../lib/https_server.ts";
import type { Random } from "../../lib/random.ts";
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
import { ipBytes } from "./ip_bytes.ts";

/** From when to when a certificate holds, in milliseconds since 1970. */
export interface Validity {
  readonly notBefore: number;
  readonly notAfter: number;
}

/** What a server is called by its clients. */
export interface ServerNames {
  readonly dns: readonly string[];
  readonly ip: readonly string[];
}

const OID = {
  ecdsaWithSha256: "1.2.840.10045.4.3.2",
  commonName: "2.5.4.3",
  subjectKeyIdentifier: "2.5.29.14",
  keyUsage: "2.5.29.15",
  subjectAltName: "2.5.29.17",
  basicConstraints: "2.5.29.19",
  authorityKeyIdentifier: "2.5.29.35",
  extendedKeyUsage: "2.5.29.37",
  serverAuth: "1.3.6.1.5.5.7.3.1",
} as const;

/** Key usage bits, counted from the left: digitalSignature is 0, keyCertSign 5, cRLSign 6. */
const SIGNS_CERTIFICATES = bitString(Buffer.from([0b0000_0110]), 1);
const SIGNS_HANDSHAKES = bitString(Buffer.from([0b1000_0000]), 7);

const MAX_COMMON_NAME = 64;

/** What reads the same in a certificate and in the text that Node makes of its subject. */
const PLAIN_NAME = /^[A-Za-z0-9][A-Za-z0-9 .-]*$/;

/**
 * A new authority with a P-256 key. Its subject ends in its serial number: two authorities of the same name can
 * be told apart, by people and by TLS libraries that look issuers up by subject.
 */
export function createAuthority(options: {
  readonly name: string;
  readonly validity: Validity;
  readonly random: Random;
}): TlsIdentity {
  if (!PLAIN_NAME.test(options.name)) {
    throw new TypeError(
      `${JSON.stringify(options.name)} cannot name an authority: use letters, digits, spaces, dots and dashes`,
    );
  }
  const serial = newSerial(options.random);
  const mark = ` ${serial.toString(16).slice(-8)}`;
  const subject = commonName(options.name.slice(0, MAX_COMMON_NAME - mark.length) + mark);
  const { publicKey, privateKey } = newKey();
  const keyId = keyIdentifier(publicKey);
  return {
    cert: certificate({
      serial,
      issuer: subject,
      subject,
      validity: options.validity,
      publicKey,
      signingKey: privateKey,
      extensions: [
        extension(OID.basicConstraints, sequence(boolean(true), integer(0n)), "critical"),
        extension(OID.keyUsage, SIGNS_CERTIFICATES, "critical"),
        extension(OID.subjectKeyIdentifier, octetString(keyId)),
        extension(OID.authorityKeyIdentifier, sequence(context(0, keyId, "primitive"))),
      ],
    }),
    key: pem(privateKey),
  };
}

/** A server's certificate, with a P-256 key of its own, signed by the authority. */
export function issueServerCertificate(options: {
  readonly authority: TlsIdentity;
  readonly names: ServerNames;
  readonly validity: Validity;
  readonly random: Random;
}): TlsIdentity {
  const { authority, names } = options;
  const issuer = new X509Certificate(authority.cert);
  const { publicKey, privateKey } = newKey();
  const alternatives = [
    ...names.dns.map((name) => context(2, Buffer.from(name), "primitive")),
    ...names.ip.map((address) => context(7, ipBytes(address), "primitive")),
  ];
  if (alternatives.length === 0)
    throw new TypeError("a server certificate needs at least one DNS name or address");
  return {
    cert: certificate({
      serial: newSerial(options.random),
      issuer: commonName(commonNameOf(issuer)),
      subject: commonName((names.dns[0] ?? names.ip[0] ?? "").slice(0, MAX_COMMON_NAME)),
      validity: options.validity,
      publicKey,
      signingKey: createPrivateKey(authority.key),
      extensions: [
        extension(OID.basicConstraints, sequence(), "critical"),
        extension(OID.keyUsage, SIGNS_HANDSHAKES, "critical"),
        extension(OID.extendedKeyUsage, sequence(oid(OID.serverAuth))),
        extension(OID.subjectKeyIdentifier, octetString(keyIdentifier(publicKey))),
        extension(
          OID.authorityKeyIdentifier,
          sequence(context(0, keyIdentifier(issuer.publicKey), "primitive")),
        ),
        extension(OID.subjectAltName, sequence(...alternatives)),
      ],
    }),
    key: pem(privateKey),
  };
}

interface Contents {
  readonly serial: bigint;
  readonly issuer: Uint8Array;
  readonly subject: Uint8Array;
  readonly validity: Validity;
  readonly publicKey: KeyObject;
  readonly signingKey: KeyObject;
  readonly extensions: readonly Uint8Array[];
}

function certificate(contents: Contents): string {
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

function extension(id: string, value: Uint8Array, critical?: "critical"): Buffer {
  return sequence(oid(id), ...(critical ? [boolean(true)] : []), octetString(value));
}

function commonName(name: string): Buffer {
  return sequence(setOf(sequence(oid(OID.commonName), utf8String(name))));
}

/** Only authorities made here are asked: their subject is one plain common name. */
function commonNameOf(authority: X509Certificate): string {
  return authority.subject.replace(/^CN=/, "");
}

function newKey(): { readonly publicKey: KeyObject; readonly privateKey: KeyObject } {
  return generateKeyPairSync("ec", { namedCurve: "prime256v1" });
}

function keyIdentifier(publicKey: KeyObject): Buffer {
  return createHash("sha256")
    .update(publicKey.export({ type: "spki", format: "der" }))
    .digest()
    .subarray(0, 20);
}

function newSerial(random: Random): bigint {
  return BigInt(`0x${random.hex(16)}`) | 1n;
}

function pem(key: KeyObject): string {
  return key.export({ type: "pkcs8", format: "pem" }).toString();
}
