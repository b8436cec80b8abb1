import type { X509Certificate } from "node:crypto";
import type { ServerNames } from "./certificates.ts";
import type { Validity } from "./x509.ts";

export function validityOf(certificate: X509Certificate): Validity {
  return { notBefore: certificate.validFromDate.getTime(), notAfter: certificate.validToDate.getTime() };
}

export function isIssuedBy(leaf: X509Certificate, authority: X509Certificate): boolean {
  return leaf.checkIssued(authority) && leaf.verify(authority.publicKey);
}

/** Those of the names that the certificate is not for. */
export function missingNames(leaf: X509Certificate, names: ServerNames): readonly string[] {
  return [
    ...names.dns.filter((name) => leaf.checkHost(name, { subject: "never" }) === undefined),
    ...names.ip.filter((address) => leaf.checkIP(address) === undefined),
  ];
}

/** Each certificate of a PEM text, in its order. */
export function pemBlocks(text: string): readonly string[] {
  return (text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []).map(
    (block) => `${block}\n`,
  );
}
