import { type Clock, DeadlineExceeded, deadline } from "../../lib/clock.ts";
import type { ServedRequest, ServedResponse, ServeRequest } from "../../lib/https_server.ts";
import { messageOf } from "../../lib/result.ts";
import { unlessAborted } from "../../lib/unless_aborted.ts";
import type { Logger } from "../../observe/log.ts";
import type { AdmissionInfo, AdmissionObserver } from "../../observe/observers.ts";
import type { JsonPatch } from "../client.ts";
import { resourceName } from "../resource.ts";
import { jsonPatch } from "./json_patch.ts";
import { type AdmissionRequest, parseReview, type Verdict, writeReview } from "./review.ts";
import type { Webhook } from "./webhook.ts";

export interface AdmissionOptions {
  readonly webhooks: readonly Webhook[];
  readonly clock: Clock;
  readonly log: Logger;
  readonly observer?: AdmissionObserver;
}

/**
 * Answers AdmissionReviews, by path. Every review that can be read gets an answer before the API server's
 * patience ends, also when a webhook throws or hangs. What is not a review gets a 4xx, on which the API server
 * acts as on a webhook that is away.
 */
export function admission(options: AdmissionOptions): ServeRequest {
  const webhooks = byPath(options.webhooks);
  return async (served) => {
    const webhook = webhooks.get(served.path);
    if (!webhook) return refusal(404, `there is no webhook at ${served.path}`);
    if (served.method !== "POST") return refusal(405, `${served.method} is not for webhooks; send POST`);
    const review = parseReview(served.body, served.headers["content-type"] ?? "");
    if (!review.ok) return refusal(review.error.status, review.error.message);
    const request = review.value;
    if (!isFor(webhook, request)) {
      const { group, resource } = request.resource;
      return refusal(
        400,
        `the webhook at ${webhook.path} is for ${resourceName(webhook.resource)} ${webhook.resource.version}, ` +
          `not for ${group ? `${resource}.${group}` : resource} ${request.resource.version}`,
      );
    }
    const start = options.clock.monotonic();
    const answer = isPassed(webhook, request) ? PASSED : await ask(options, webhook, request, served);
    options.observer?.reviewed({
      webhook: webhook.type,
      resource: resourceName(webhook.resource),
      operation: request.operation,
      verdict: answer.outcome,
      durationMs: options.clock.monotonic() - start,
    });
    return {
      status: 200,
      headers: { "content-type": "application/json" },
      body: writeReview(request.uid, answer.verdict, answer.patch),
    };
  };
}

interface Answer {
  readonly outcome: AdmissionInfo["verdict"];
  readonly verdict: Verdict;
  readonly patch?: JsonPatch;
}

const PASSED: Answer = { outcome: "passed", verdict: { allowed: true } };

function byPath(webhooks: readonly Webhook[]): ReadonlyMap<string, Webhook> {
  const map = new Map<string, Webhook>();
  for (const webhook of webhooks) {
    const other = map.get(webhook.path);
    if (other)
      throw new TypeError(`the webhooks ${other.name} and ${webhook.name} share the path ${webhook.path}`);
    map.set(webhook.path, webhook);
  }
  return map;
}

function isFor({ resource }: Webhook, request: AdmissionRequest): boolean {
  const asked = request.resource;
  return (
    asked.resource === resource.plural && asked.group === resource.group && asked.version === resource.version
  );
}

/**
 * An object that is being deleted is let through unseen, so that its finalizers can always go. The stored object
 * tells, not the new one: that is what the user sent.
 */
function isPassed(webhook: Webhook, request: AdmissionRequest): boolean {
  if (request.oldObject?.metadata.deletionTimestamp !== undefined) return true;
  return request.operation === "DELETE" && !webhook.operations.includes("DELETE");
}

async function ask(
  options: AdmissionOptions,
  webhook: Webhook,
  request: AdmissionRequest,
  served: ServedRequest,
): Promise<Answer> {
  const patience = patienceOf(served.query.get("timeout"), webhook.timeoutSeconds);
  using limit = deadline(options.clock, patience, "the check", served.signal);
  try {
    return await unlessAborted(decide(webhook, request, limit.signal), limit.signal);
  } catch (error) {
    const { namespace, name, operation } = request;
    const context = { webhook: webhook.name, operation, namespace, name, err: error };
    options.log.error(context, "an admission webhook failed");
    return failure(webhook, error);
  }
}

async function decide(webhook: Webhook, request: AdmissionRequest, signal: AbortSignal): Promise<Answer> {
  if (webhook.type === "validating") return plain(await webhook.validate(request, signal));
  const mutation = await webhook.mutate(request, signal);
  if (!mutation.allowed || mutation.object === undefined) return plain(mutation);
  const patch = jsonPatch(request.object, mutation.object);
  return { outcome: "allowed", verdict: mutation, patch };
}

function plain(verdict: Verdict): Answer {
  return { outcome: verdict.allowed ? "allowed" : "denied", verdict };
}

function failure(webhook: Webhook, error: unknown): Answer {
  const late = error instanceof DeadlineExceeded;
  const what = `the webhook ${webhook.name} could not check this request: ${messageOf(error)}`;
  const verdict: Verdict =
    webhook.onFailure === "allow"
      ? { allowed: true, warnings: [`Not checked: ${what}`] }
      : {
          allowed: false,
          code: late ? 504 : 500,
          message: `${what}. The fault is the webhook's, not the object's: try again; if it stays, the operator's log says more`,
        };
  return { outcome: "failed", verdict };
}

/** What the way back takes: the answer is to arrive before the API server hangs up. */
const MARGIN_MS = 500;

/** How long a webhook may think, in milliseconds, from the API server's `timeout` (`10s`) or the configured one. */
function patienceOf(timeout: string | null, configured = 10): number {
  const seconds = /^(\d+(?:\.\d+)?)s$/.exec(timeout ?? "")?.[1];
  const ms = Math.min(30, Number(seconds ?? configured)) * 1000;
  return Math.max(ms / 2, ms - MARGIN_MS);
}

function refusal(status: number, message: string): ServedResponse {
  return { status, headers: { "content-type": "text/plain; charset=utf-8" }, body: `${message}\n` };
}
