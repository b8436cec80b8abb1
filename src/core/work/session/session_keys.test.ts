import { X509Certificate } from "node:crypto";
import { connect, createServer } from "node:tls";
import { expect, test } from "vitest";
import { seededRandom } from "../../../lib/random.ts";
import { mintSessionKeys, type SessionKeys } from "./session_keys.ts";

const random = seededRandom(1);
const keys = mintSessionKeys({ now: Date.now(), random });
const others = mintSessionKeys({ now: Date.now(), random });

test("the two ends of one session trust each other, and nobody else's", async () => {
  expect(await meets(keys, keys)).toBe(true);
  expect(await meets(keys, others)).toBe(false);
  expect(await meets(others, keys)).toBe(false);
});

test("the mover cannot pass for the operator", async () => {
  const { operator, mover } = keys;
  const impostor = { ...operator, cert: mover["tls.crt"] ?? "", key: mover["tls.key"] ?? "" };
  expect(await meets(keys, { ...keys, operator: impostor })).toBe(false);
});

test("nothing that is handed over can sign another certificate", () => {
  const shown = [keys.mover["tls.crt"] ?? "", keys.operator.cert ?? ""];
  expect(shown.map((cert) => new X509Certificate(cert).ca)).toEqual([false, false]);
  expect(Object.keys(keys.mover)).toEqual(["ca.crt", "tls.crt", "tls.key"]);
  const authority = new X509Certificate(keys.mover["ca.crt"] ?? "").publicKey;
  for (const cert of shown) expect(new X509Certificate(cert).publicKey.equals(authority)).toBe(false);
});

test("a node whose clock is months off can still be talked to", () => {
  const { validFromDate, validToDate } = new X509Certificate(keys.mover["tls.crt"] ?? "");
  const month = 30 * 86_400_000;
  expect(validFromDate.getTime()).toBeLessThan(Date.now() - 6 * month);
  expect(validToDate.getTime()).toBeGreaterThan(Date.now() + 6 * month);
});

/** Whether a mover with the keys of the one and an operator with those of the other can talk. */
async function meets({ mover }: SessionKeys, { operator }: SessionKeys): Promise<boolean> {
  const server = createServer(
    {
      ca: mover["ca.crt"],
      cert: mover["tls.crt"],
      key: mover["tls.key"],
      requestCert: true,
      rejectUnauthorized: true,
      minVersion: "TLSv1.3",
    },
    (socket) => socket.end("in"),
  );
  server.on("tlsClientError", () => {});
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { readonly port: number };
  try {
    return await new Promise<boolean>((resolve) => {
      const socket = connect({ host: "127.0.0.1", port, ...operator });
      socket.on("data", () => resolve(true));
      socket.on("error", () => resolve(false));
      socket.on("close", () => resolve(false));
    });
  } finally {
    server.close();
  }
}
