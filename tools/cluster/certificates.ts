import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { run } from "./run.ts";

/** Who a certificate is for: its name and group in Kubernetes, and the addresses that it serves at. */
export interface Subject {
  readonly commonName: string;
  readonly organization?: string;
  /** As OpenSSL writes them: `IP:127.0.0.1`, `DNS:localhost`. */
  readonly names?: readonly string[];
}

const NEW_KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "365"];

/** Makes what is missing in a cluster's `pki` folder: an authority, the key of service accounts, one certificate each. */
export async function makeCertificates(
  directory: string,
  subjects: Readonly<Record<string, Subject>>,
): Promise<void> {
  const pki = join(directory, "pki");
  mkdirSync(pki, { recursive: true, mode: 0o700 });
  const at = (file: string) => join(pki, file);
  if (!existsSync(at("ca.crt"))) {
    const files = ["-keyout", at("ca.key"), "-out", at("ca.crt")];
    await run("openssl", ["req", "-x509", ...NEW_KEY, ...files, "-subj", "/CN=holdfast-cluster"]);
    await run("openssl", ["ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", at("sa.key")]);
    await run("openssl", ["ec", "-in", at("sa.key"), "-pubout", "-out", at("sa.pub")]);
  }
  await Promise.all(
    Object.entries(subjects)
      .filter(([name]) => !existsSync(at(`${name}.crt`)))
      .map(([name, subject]) => makeLeaf(at, name, subject)),
  );
}

async function makeLeaf(at: (file: string) => string, name: string, subject: Subject): Promise<void> {
  const { commonName, organization = "holdfast", names = [] } = subject;
  const authority = ["-CA", at("ca.crt"), "-CAkey", at("ca.key")];
  const files = ["-keyout", at(`${name}.key`), "-out", at(`${name}.crt`)];
  const extensions = [
    "basicConstraints=critical,CA:false",
    "extendedKeyUsage=serverAuth,clientAuth",
    ...(names.length > 0 ? [`subjectAltName=${names.join(",")}`] : []),
  ].flatMap((extension) => ["-addext", extension]);
  const identity = ["-subj", `/O=${organization}/CN=${commonName}`];
  await run("openssl", ["req", "-x509", ...NEW_KEY, ...authority, ...files, ...identity, ...extensions]);
}
