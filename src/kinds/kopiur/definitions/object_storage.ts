import { z } from "zod";
import { auth } from "./auth.ts";
import type { Scope } from "./scope.ts";
import { tls } from "./secret_ref.ts";
import { text } from "./words.ts";

const bucket = () =>
  z
    .string()
    .min(1)
    .max(255)
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/);

const prefix = () =>
  z
    .string()
    .max(512)
    .regex(/^([^/].*)?$/)
    .describe("Prefix of all keys of the repository, such as `clusters/prod/`. Default: none.")
    .optional();

export const s3 = (scope: Scope) =>
  z
    .object({
      bucket: bucket().describe("The bucket. It must exist."),
      prefix: prefix(),
      endpoint: text(512)
        .describe("`host`, `host:port`, or a URL; `http:` turns TLS off. Default: Amazon's for the region.")
        .optional(),
      region: text(64).describe("The region, if the server needs one.").optional(),
      addressing: z
        .enum(["Auto", "Path", "Host"])
        .default("Auto")
        .describe(
          "Whether the bucket is in the path or in the host name of requests. Auto: in the path if the endpoint is an address or has a port.",
        ),
      auth: auth(scope, "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, and optionally AWS_SESSION_TOKEN"),
      tls: tls(scope).optional(),
    })
    .describe("Amazon S3, or a compatible server.");

export const azure = (scope: Scope) =>
  z
    .object({
      container: bucket().describe("The container. It must exist."),
      prefix: prefix(),
      storageAccount: text(64).min(1).describe("The storage account."),
      endpoint: text(512)
        .describe("Suffix of the host name, or the URL of an emulator. Default: blob.core.windows.net.")
        .optional(),
      auth: auth(scope, "AZURE_STORAGE_KEY or AZURE_STORAGE_SAS_TOKEN"),
      tls: tls(scope).optional(),
    })
    .describe("Azure Blob Storage.");

export const gcs = (scope: Scope) =>
  z
    .object({
      bucket: bucket().describe("The bucket. It must exist."),
      prefix: prefix(),
      endpoint: text(512).describe("The URL of an emulator. Default: Google's.").optional(),
      projectId: text(64).describe("The project of the bucket. Neither engine needs it.").optional(),
      auth: auth(scope, "GCS_CREDENTIALS_JSON, the service account's key itself").optional(),
    })
    .describe("Google Cloud Storage.");

export const b2 = (scope: Scope) =>
  z
    .object({
      bucket: bucket().describe("The bucket. It must exist."),
      prefix: prefix(),
      auth: auth(scope, "B2_ACCOUNT_ID and B2_ACCOUNT_KEY"),
    })
    .describe("Backblaze B2.");
