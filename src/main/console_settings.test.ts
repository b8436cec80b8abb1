import { expect, test } from "vitest";
import { consoleSettings } from "./console_settings.ts";

const read = (path: string) => `<${path}>\n`;
const POD = { KUBERNETES_SERVICE_HOST: "10.0.0.1", HOLDFAST_CONSOLE: "/page" };

test("a pod's own surroundings are enough", () => {
  expect(consoleSettings(POD, read)).toEqual({
    port: 8443,
    healthPort: 8080,
    page: "/page",
    apiServer: {
      url: "https://10.0.0.1:443",
      ca: "</var/run/secrets/kubernetes.io/serviceaccount/ca.crt>\n",
    },
    logLevel: "info",
    logFormat: "text",
  });
});

test("a provider sends people back to the address that they use", () => {
  const env = {
    ...POD,
    HOLDFAST_CONSOLE_ADDRESS: "https://backups.example.com",
    HOLDFAST_CONSOLE_OIDC_ISSUER: "https://id.example.com",
    HOLDFAST_CONSOLE_OIDC_CLIENT: "holdfast",
    HOLDFAST_CONSOLE_OIDC_SECRET_FILE: "/secret",
  };
  expect(consoleSettings(env, read)).not.toHaveProperty("oidcCa");
  const vouched = { ...env, HOLDFAST_CONSOLE_OIDC_CA: "/oidc-ca/ca.crt" };
  expect(consoleSettings(vouched, read).oidcCa).toBe("</oidc-ca/ca.crt>\n");
  expect(consoleSettings(env, read).oidc).toEqual({
    issuer: "https://id.example.com",
    clientId: "holdfast",
    clientSecret: "</secret>",
    scopes: ["email", "groups"],
    redirect: "https://backups.example.com/api/oidc/callback",
  });
});

test.each([
  [{ HOLDFAST_CONSOLE: "" }, "HOLDFAST_CONSOLE is not set"],
  [{ KUBERNETES_SERVICE_HOST: "" }, "HOLDFAST_CONSOLE_API_SERVER is not set"],
  [{ HOLDFAST_CONSOLE_API_SERVER: "http://api" }, "by https alone"],
  [{ HOLDFAST_CONSOLE_ADDRESS: "http://backups.example.com" }, "cookies are for TLS alone"],
  [{ HOLDFAST_CONSOLE_ADDRESS: "https://backups.example.com/x" }, "with nothing behind it"],
  [{ HOLDFAST_CONSOLE_OIDC_ISSUER: "http://id.example.com" }, "a provider is asked by https alone"],
  [{ HOLDFAST_CONSOLE_OIDC_ISSUER: "https://id.example.com" }, "HOLDFAST_CONSOLE_ADDRESS is not set"],
  [{ HOLDFAST_CONSOLE_PORT: "http" }, "HOLDFAST_CONSOLE_PORT is http, and no port"],
  [{ HOLDFAST_LOG_LEVEL: "loud" }, "HOLDFAST_LOG_LEVEL is loud"],
])("%j is refused", (env, why) => {
  expect(() => consoleSettings({ ...POD, ...env }, read)).toThrow(why);
});
