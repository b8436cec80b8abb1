import { createPrivateKey, X509Certificate } from "node:crypto";
import { err, messageOf, ok, type Result } from "../../lib/result.ts";
import type { Secret } from "../builtin.ts";
import { pemBlocks } from "../certificates/read_certificate.ts";
import type { OwnCertificates } from "./certificate_rotation.ts";

type SecretData = Readonly<Record<string, string>>;

/** The certificates in a Secret, or why there are none to be had: a part is missing, broken or of another key. */
export function readCertificates(secret: Secret): Result<OwnCertificates, string> {
  const data: SecretData = secret.data ?? {};
  try {
    const part = (name: string) => Buffer.from(data[name] ?? "", "base64").toString();
    const authorities = pemBlocks(part("ca.crt"));
    const certificates: OwnCertificates = {
      authorities,
      authorityKey: part("ca.key"),
      leaf: { cert: part("tls.crt"), key: part("tls.key") },
    };
    if (!isPair(authorities[0] ?? "", certificates.authorityKey))
      return err("ca.key is not the key of ca.crt");
    if (!isPair(certificates.leaf.cert, certificates.leaf.key))
      return err("tls.key is not the key of tls.crt");
    for (const authority of authorities) new X509Certificate(authority);
    return ok(certificates);
  } catch (error) {
    return err(messageOf(error));
  }
}

/** The data of a Secret that holds the certificates. */
export function certificateData(certificates: OwnCertificates): SecretData {
  const base64 = (text: string) => Buffer.from(text).toString("base64");
  return {
    "ca.crt": base64(certificates.authorities.join("")),
    "ca.key": base64(certificates.authorityKey),
    "tls.crt": base64(certificates.leaf.cert),
    "tls.key": base64(certificates.leaf.key),
  };
}

/** True when the key belongs to the certificate. Throws when either cannot be read. */
export function isPair(cert: string, key: string): boolean {
  return new X509Certificate(cert).checkPrivateKey(createPrivateKey(key));
}
