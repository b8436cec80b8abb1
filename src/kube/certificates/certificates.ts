import { createPrivateKey, generateKeyPairSync, type KeyObject, X509Certificate } from "node:crypto";
import type { TlsIdentity } from "../../lib/https_server.ts";
import type { Random } from "../../lib/random.ts";
import { bitString, boolean, context, integer, octetString, oid, sequence } from "./der.ts";
import { ipBytes } from "./ip_bytes.ts";
import { certificate, commonName, extension, keyIdentifier, OID, type Validity } from "./x509.ts";

export type { Validity };

/** What a server is called by its clients. */
export interface ServerNames {
  readonly dns: readonly string[];
  readonly ip: readonly string[];
}

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

/** What every leaf is made from. */
export interface LeafOptions {
  readonly authority: TlsIdentity;
  readonly validity: Validity;
  readonly random: Random;
}

/** A server's certificate, with a P-256 key of its own, signed by the authority. */
export function issueServerCertificate({
  names,
  ...options
}: LeafOptions & { readonly names: ServerNames }): TlsIdentity {
  const alternatives = [
    ...names.dns.map((name) => context(2, Buffer.from(name), "primitive")),
    ...names.ip.map((address) => context(7, ipBytes(address), "primitive")),
  ];
  if (alternatives.length === 0)
    throw new TypeError("a server certificate needs at least one DNS name or address");
  return leaf(options, {
    name: names.dns[0] ?? names.ip[0] ?? "",
    usage: OID.serverAuth,
    extensions: [extension(OID.subjectAltName, sequence(...alternatives))],
  });
}

/** A client's certificate, good for nothing else, with a P-256 key of its own, signed by the authority. */
export function issueClientCertificate({
  name,
  ...options
}: LeafOptions & { readonly name: string }): TlsIdentity {
  return leaf(options, { name, usage: OID.clientAuth, extensions: [] });
}

function leaf(
  { authority, validity, random }: LeafOptions,
  own: { readonly name: string; readonly usage: string; readonly extensions: readonly Uint8Array[] },
): TlsIdentity {
  const issuer = new X509Certificate(authority.cert);
  const { publicKey, privateKey } = newKey();
  return {
    cert: certificate({
      serial: newSerial(random),
      issuer: commonName(commonNameOf(issuer)),
      subject: commonName(own.name.slice(0, MAX_COMMON_NAME)),
      validity,
      publicKey,
      signingKey: createPrivateKey(authority.key),
      extensions: [
        extension(OID.basicConstraints, sequence(), "critical"),
        extension(OID.keyUsage, SIGNS_HANDSHAKES, "critical"),
        extension(OID.extendedKeyUsage, sequence(oid(own.usage))),
        extension(OID.subjectKeyIdentifier, octetString(keyIdentifier(publicKey))),
        extension(
          OID.authorityKeyIdentifier,
          sequence(context(0, keyIdentifier(issuer.publicKey), "primitive")),
        ),
        ...own.extensions,
      ],
    }),
    key: pem(privateKey),
  };
}

/** Only authorities made here are asked: their subject is one plain common name. */
function commonNameOf(authority: X509Certificate): string {
  return authority.subject.replace(/^CN=/, "");
}

function newKey(): { readonly publicKey: KeyObject; readonly privateKey: KeyObject } {
  return generateKeyPairSync("ec", { namedCurve: "prime256v1" });
}

function newSerial(random: Random): bigint {
  return BigInt(`0x${random.hex(16)}`) | 1n;
}

function pem(key: KeyObject): string {
  return key.export({ type: "pkcs8", format: "pem" }).toString();
}
