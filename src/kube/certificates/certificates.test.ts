import { execFileSync, spawnSync } from "node:child_process";
import { createPrivateKey, X509Certificate } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect, createServer } from "node:tls";
import { describe, expect, test } from "vitest";
import { seededRandom } from "../../lib/random.ts";
import { createAuthority, issueClientCertificate, issueServerCertificate } from "./certificates.ts";

const DAY = 86_400_000;
const random = seededRandom(1);
const now = Date.now();
const validity = { notBefore: now - DAY, notAfter: now + 30 * DAY };
const names = { dns: ["webhook.holdfast.svc", "localhost"], ip: ["127.0.0.1", "fd00::7"] };
const authority = createAuthority({ name: "Holdfast CA", validity, random });
const leaf = issueServerCertificate({ authority, names, validity, random });

describe("certificates", () => {
  test("the authority signs itself and may sign leaves only", () => {
    const cert = new X509Certificate(authority.cert);
    expect(cert.ca).toBe(true);
    expect(cert.subject).toMatch(/^CN=Holdfast CA [0-9a-f]{8}$/);
    expect(cert.verify(cert.publicKey)).toBe(true);
    expect(cert.checkPrivateKey(createPrivateKey(authority.key))).toBe(true);
  });

  test("a leaf carries its names, its validity and its issuer", () => {
    const issuer = new X509Certificate(authority.cert);
    const cert = new X509Certificate(leaf.cert);
    expect(cert.ca).toBe(false);
    expect(cert.checkIssued(issuer)).toBe(true);
    expect(cert.verify(issuer.publicKey)).toBe(true);
    expect(cert.subjectAltName).toBe(
      "DNS:webhook.holdfast.svc, DNS:localhost, IP Address:127.0.0.1, IP Address:FD00:0:0:0:0:0:0:7",
    );
    expect(cert.keyUsage).toEqual(["1.3.6.1.5.5.7.3.1"]);
    expect(cert.validFromDate.getTime()).toBe(Math.floor(validity.notBefore / 1000) * 1000);
    expect(cert.validToDate.getTime()).toBe(Math.floor(validity.notAfter / 1000) * 1000);
  });

  test.skipIf(spawnSync("openssl", ["version"]).error)(
    "openssl accepts the chain, strictly and for a TLS server of that name",
    () => {
      const folder = mkdtempSync(join(tmpdir(), "certificates-"));
      try {
        writeFileSync(join(folder, "ca.pem"), authority.cert);
        writeFileSync(join(folder, "leaf.pem"), leaf.cert);
        const verify = (...check: string[]) =>
          execFileSync(
            "openssl",
            ["verify", "-x509_strict", "-purpose", "sslserver", ...check, "-CAfile", "ca.pem", "leaf.pem"],
            { cwd: folder, encoding: "utf8", stdio: "pipe" },
          );
        expect(verify("-verify_hostname", "webhook.holdfast.svc")).toBe("leaf.pem: OK\n");
        expect(verify("-verify_ip", "fd00::7")).toBe("leaf.pem: OK\n");
        expect(() => verify("-verify_hostname", "other.holdfast.svc")).toThrow(/hostname mismatch/i);
      } finally {
        rmSync(folder, { recursive: true });
      }
    },
  );

  test.each([
    ["a name of the leaf, with the authority trusted", "webhook.holdfast.svc", authority.cert, ""],
    ["a name the leaf does not have", "elsewhere", authority.cert, "ERR_TLS_CERT_ALTNAME_INVALID"],
    [
      "another authority of the same name trusted",
      "localhost",
      createAuthority({ name: "Holdfast CA", validity, random }).cert,
      "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
    ],
  ])("a TLS handshake with %s ends as it must", async (_, servername, ca, failure) => {
    expect(await handshake(servername, ca)).toBe(failure);
  });

  test("a client's certificate is good for clients alone", async () => {
    const client = issueClientCertificate({ authority, name: "operator", validity, random });
    expect(new X509Certificate(client.cert).keyUsage).toEqual(["1.3.6.1.5.5.7.3.2"]);
    expect(await mutual(client)).toBe("");
    expect(await mutual(leaf)).not.toBe("");
    const other = createAuthority({ name: "Holdfast CA", validity, random });
    const stranger = issueClientCertificate({ authority: other, name: "operator", validity, random });
    expect(await mutual(stranger)).not.toBe("");
    expect(await mutual({})).not.toBe("");
  });

  test("an authority's name must be plain", () => {
    expect(() => createAuthority({ name: "a, O=b", validity, random })).toThrow("cannot name an authority");
  });

  test("a leaf without a name is refused", () => {
    const nobody = { dns: [], ip: [] };
    expect(() => issueServerCertificate({ authority, names: nobody, validity, random })).toThrow(
      "needs at least one DNS name or address",
    );
  });
});

/** The code of the client's error; empty when it trusts the server. */
async function handshake(servername: string, ca: string): Promise<string> {
  const server = createServer({ cert: leaf.cert, key: leaf.key });
  server.on("tlsClientError", () => {});
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  try {
    return await new Promise<string>((resolve) => {
      const socket = connect({ host: "127.0.0.1", port, servername, ca }, () => {
        socket.destroy();
        resolve("");
      });
      socket.on("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    });
  } finally {
    server.close();
  }
}

/** What a server that knows its clients says to this one; empty when it lets it in. */
async function mutual(shown: { readonly cert?: string; readonly key?: string }): Promise<string> {
  const options = { ...leaf, ca: authority.cert, requestCert: true, rejectUnauthorized: true };
  const server = createServer(options, (socket) => socket.end("in"));
  const refused = new Promise<string>((resolve) => {
    server.on("tlsClientError", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  try {
    const socket = connect({
      host: "127.0.0.1",
      port,
      servername: "localhost",
      ca: authority.cert,
      ...shown,
    });
    const entered = new Promise<string>((resolve) => socket.once("data", () => resolve("")));
    socket.on("error", () => {});
    const said = await Promise.race([entered, refused]);
    socket.destroy();
    return said;
  } finally {
    server.close();
  }
}
