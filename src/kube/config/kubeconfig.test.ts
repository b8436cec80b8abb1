import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loadKubeconfig } from "./kubeconfig.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "kubeconfig-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

let count = 0;
function file(content: string): string {
  const path = join(folder, `config-${count++}`);
  writeFileSync(path, content);
  return path;
}

function config(
  user: string,
  cluster = "{server: 'https://one:6443'}",
  context = "{cluster: one, user: me}",
): string {
  return file(`
apiVersion: v1
kind: Config
current-context: here
contexts: [{name: here, context: ${context}}]
clusters: [{name: one, cluster: ${cluster}}]
users: [{name: me, user: ${user}}]
`);
}

describe("loadKubeconfig()", () => {
  test("reads a token, and the namespace of the context", async () => {
    const path = config("{token: abc}", undefined, "{cluster: one, user: me, namespace: shop}");
    expect(await loadKubeconfig(path)).toEqual({
      name: "here",
      namespace: "shop",
      server: "https://one:6443",
      user: { type: "token", token: "abc" },
    });
  });

  test("reads certificates inline, and from files beside the kubeconfig", async () => {
    writeFileSync(join(folder, "me.crt"), "CERT");
    const key = Buffer.from("KEY").toString("base64");
    const path = config(
      `{client-certificate: me.crt, client-key-data: ${key}}`,
      "{server: 'https://one', tls-server-name: two}",
    );
    const context = await loadKubeconfig(path);
    expect(context.user).toEqual({ type: "certificate", cert: "CERT", key: "KEY" });
    expect(context.servername).toBe("two");
  });

  test("resolves a token file and a plugin's path from the kubeconfig's folder", async () => {
    expect((await loadKubeconfig(config("{tokenFile: t}"))).user).toEqual({
      type: "tokenFile",
      path: join(folder, "t"),
    });
    const exec = "{exec: {apiVersion: client.authentication.k8s.io/v1, command: ./login, args: [a]}}";
    expect((await loadKubeconfig(config(exec))).user).toMatchObject({
      type: "exec",
      plugin: { command: join(folder, "login"), args: ["a"] },
    });
  });

  test("merges several files: the first to name a thing wins, and missing ones are passed over", async () => {
    const first = file("{current-context: other, users: [{name: me, user: {token: first}}]}");
    const second = config("{token: second}");
    const third = file("{contexts: [{name: other, context: {cluster: one, user: me}}]}");
    const paths = [join(folder, "missing"), first, second, third].join(delimiter);
    expect(await loadKubeconfig(paths)).toMatchObject({ name: "other", user: { token: "first" } });
    expect(await loadKubeconfig(paths, "here")).toMatchObject({ name: "here" });
  });

  test("takes plain http from whom there is nothing to read, as for kubectl proxy", async () => {
    const proxy = "{server: 'http://127.0.0.1:8001'}";
    expect(await loadKubeconfig(config("{}", proxy))).toMatchObject({
      server: "http://127.0.0.1:8001",
      user: { type: "anonymous" },
    });
  });

  test.each<[string, () => string, string]>([
    ["a missing file", () => join(folder, "nowhere"), "no kubeconfig at"],
    ["broken YAML", () => file("a: [b"), "is not YAML"],
    ["something else", () => file("- a\n- b"), "is not a kubeconfig"],
    ["no current context", () => file("{contexts: []}"), "has no current context"],
    [
      "an unknown cluster",
      () => config("{}", undefined, "{cluster: two, user: me}"),
      'cluster of context here, "two", is not in',
    ],
    [
      "an unknown user",
      () => config("{}", undefined, "{cluster: one, user: you}"),
      'user of context here, "you", is not in',
    ],
    [
      "unverified TLS",
      () => config("{}", "{server: 'https://one', insecure-skip-tls-verify: true}"),
      "put the server's authority into",
    ],
    ...["{token: x}", "{tokenFile: t}", "{username: me}", "{exec: {apiVersion: v, command: c}}"].map(
      (user): [string, () => string, string] => [
        `plain http for ${user}`,
        () => config(user, "{server: 'HTTP://one:8080'}"),
        "anybody on the way reads the credentials of user me: give it an https server",
      ],
    ),
    [
      "half a certificate",
      () => config("{client-key-data: aGk=}"),
      "only one of client-certificate and client-key",
    ],
    ["a legacy provider", () => config("{auth-provider: {name: gcp}}"), "use an exec plugin"],
    ["impersonation", () => config("{token: x, as: root}"), "impersonates"],
    [
      "impersonation by a plugin's credentials",
      () => config("{exec: {apiVersion: v, command: c}, as: viewer}"),
      "impersonates (as), which is not supported",
    ],
    ...["as-uid: '7'", "as-groups: [viewers]", "as-user-extra: {reason: [a]}"].map(
      (field): [string, () => string, string] => [
        `impersonation by ${field}`,
        () => config(`{token: x, ${field}}`),
        `impersonates (${field.split(":")[0]})`,
      ],
    ),
    [
      "a proxy",
      () => config("{}", "{server: 'https://one', proxy-url: 'http://p'}"),
      "proxy-url, which is not supported",
    ],
    [
      "an unreadable authority",
      () => config("{}", "{server: 'https://one', certificate-authority: no.crt}"),
      "no.crt cannot be read",
    ],
  ])("%s is an error that says what to do", async (_, path, message) => {
    await expect(loadKubeconfig(path())).rejects.toThrow(message);
  });
});
