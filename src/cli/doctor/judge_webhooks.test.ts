import { describe, expect, test } from "vitest";
import { NOW, native } from "../testing/cli_samples.ts";
import { judgeWebhooks, type SeenWebhooks, type WebhookConfiguration } from "./judge_webhooks.ts";

const DAY = 86_400_000;
const until = (days: number) => ({ notBefore: 0, notAfter: NOW + days * DAY });

const seen = (
  more: Partial<SeenWebhooks> = {},
  clientConfig: object = { caBundle: "eA==" },
): SeenWebhooks => ({
  configuration: native<WebhookConfiguration>("MutatingWebhookConfiguration", "hooks", {
    webhooks: [{ name: "x", clientConfig }],
  }),
  lostServices: [],
  idleServices: [],
  authorities: [until(300)],
  ...more,
});

describe("webhooks", () => {
  test.each<[what: string, seen: readonly SeenWebhooks[], level: string, text: string]>([
    ["none", [], "warning", "there are no webhooks"],
    ["in place", [seen()], "ok", "the mutating webhooks hooks are in place"],
    ["without a Service", [seen({ lostServices: ["ns/svc"] })], "error", "The Service ns/svc does not exist"],
    ["without pods", [seen({ idleServices: ["ns/svc"] })], "error", "nobody serves the mutating webhooks"],
    ["without an authority", [seen({}, {})], "error", "are not trusted"],
    ["with a bundle of nothing", [seen({ authorities: [] })], "error", "holds no certificate"],
    ["with a bundle that is none", [seen({ authorities: undefined })], "error", "holds no certificate"],
    ["with an authority that expired", [seen({ authorities: [until(-1)] })], "error", "has expired"],
    ["with an authority that soon does", [seen({ authorities: [until(3)] })], "warning", "expires in 3d"],
    ["with a newer authority beside it", [seen({ authorities: [until(3), until(300)] })], "ok", "in place"],
    ["with a certificate that soon expires", [seen({ served: until(2) })], "warning", "expires in 2d"],
    ["with a certificate that expired", [seen({ served: until(-2) })], "warning", "has expired"],
  ])("%s", (_, all, level, text) => {
    const found = judgeWebhooks(all, NOW);
    expect(found.map((one) => one.level)).toEqual([level]);
    expect(JSON.stringify(found)).toContain(text);
  });

  test.each([
    ["x509: certificate has expired or is not yet valid: current time …", "does not hold now", "renews"],
    ["x509: certificate signed by unknown authority", "of another authority", "bundle"],
    ["x509: certificate is valid for a.svc, not b.svc", "for another name", "Issue it"],
    ["dial tcp 10.0.0.1:443: connect: connection refused", "does not answer", "network policy"],
    ["context deadline exceeded", "does not answer", "operator's pods"],
  ])("that the API server cannot call: %s", (why, what, fix) => {
    const failure = `failed calling webhook "validate.x.io": failed to call webhook: Post "https://a": ${why}`;
    expect(judgeWebhooks([seen({ failure })], NOW)).toEqual([
      {
        level: "error",
        what: expect.stringMatching(new RegExp(`^the webhook validate.x.io .*${what}`)),
        why: `The API server says: ${failure}`,
        fix: expect.stringContaining(fix),
      },
    ]);
  });
});
