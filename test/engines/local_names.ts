import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { join } from "node:path";

/** The names of real services, for programs that can be told no other address: they lead to this machine. */
export interface LocalNames {
  readonly key: string;
  readonly certificate: string;
  /** PEM of the authority to trust. */
  readonly ca: string;
  /** Makes a program ask here. */
  readonly env: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

/** Makes a certificate for the names, and a proxy that leads each of them to its port. `folder` is for the files. */
export async function localNames(
  folder: string,
  ports: Readonly<Record<string, number>>,
): Promise<LocalNames> {
  const key = join(folder, "key.pem");
  const certificate = join(folder, "certificate.pem");
  const names = [...Object.keys(ports).map((name) => `DNS:${name}`), "IP:127.0.0.1"];
  execFileSync("openssl", [
    ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"],
    ...["-subj", "/CN=local names", "-addext", `subjectAltName=${names.join(",")}`],
    ...["-keyout", key, "-out", certificate],
  ]);
  const proxy = createServer((_, response) => response.writeHead(501).end());
  proxy.on("connect", ({ url = "" }, client) => {
    const port = ports[url.replace(/:\d+$/, "")];
    if (port === undefined) {
      client.end("HTTP/1.1 502 Bad Gateway\r\n\r\n");
      return;
    }
    const server = connect(port, "127.0.0.1", () => {
      client.write("HTTP/1.1 200 Connection established\r\n\r\n");
      server.pipe(client).pipe(server);
    });
    server.on("error", () => client.destroy());
    client.on("error", () => server.destroy());
  });
  await new Promise<void>((ready) => proxy.listen(0, "127.0.0.1", ready));
  const { port } = proxy.address() as AddressInfo;
  return {
    key,
    certificate,
    ca: await readFile(certificate, "utf8"),
    env: { HTTPS_PROXY: `http://127.0.0.1:${port}` },
    stop: () =>
      new Promise((stopped) => {
        proxy.close(() => stopped());
        proxy.closeAllConnections();
      }),
  };
}
