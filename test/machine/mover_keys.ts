import { createPrivateKey, generateKeyPairSync, sign, X509Certificate } from "node:crypto";
import { createAuthority, issueServerCertificate } from "../../src/kube/certificates/certificates.ts";
import {
  bitString,
  integer,
  oid,
  sequence,
  setOf,
  time,
  utf8String,
} from "../../src/kube/certificates/der.ts";
import type { TlsIdentity } from "../../src/lib/https_server.ts";
import { systemRandom as random } from "../../src/lib/random.ts";

const HOUR = 3_600_000;
const validity = { notBefore: Date.now() - HOUR, notAfter: Date.now() + HOUR };

/** An authority, and what each end of a session shows. */
export interface SessionIdentities {
  readonly ca: string;
  readonly server: TlsIdentity;
  readonly client: TlsIdentity;
}

export function sessionIdentities(): SessionIdentities {
  const authority = createAuthority({ name: "session", validity, random });
  const names = { dns: ["localhost"], ip: ["127.0.0.1"] };
  const server = issueServerCertificate({ authority, names, validity, random });
  return { ca: authority.cert, server, client: clientIdentity(authority) };
}

/** A certificate without any extensions: nothing forbids its use by a client. */
function clientIdentity(authority: TlsIdentity): TlsIdentity {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
  const name = (text: string) => sequence(setOf(sequence(oid("2.5.4.3"), utf8String(text))));
  const algorithm = sequence(oid("1.2.840.10045.4.3.2"));
  const signed = sequence(
    integer(7n),
    algorithm,
    name(new X509Certificate(authority.cert).subject.replace(/^CN=/, "")),
    sequence(time(validity.notBefore), time(validity.notAfter)),
    name("client"),
    publicKey.export({ type: "spki", format: "der" }),
  );
  const signature = sign("sha256", signed, createPrivateKey(authority.key));
  return {
    cert: new X509Certificate(sequence(signed, algorithm, bitString(signature))).toString(),
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  };
}
