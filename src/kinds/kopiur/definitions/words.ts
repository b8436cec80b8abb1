import { z } from "zod";

/** A text of bounded length. */
export const text = (max: number) => z.string().max(max);

/** How many of something. */
export const count = () => z.int().min(0);

export const namespaceName = () =>
  z
    .string()
    .min(1)
    .max(63)
    .regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/);

/** The name of a key in a Secret or a ConfigMap. */
export const dataKey = () =>
  z
    .string()
    .min(1)
    .max(253)
    .regex(/^[-._a-zA-Z0-9]+$/);

/** A path as it is recorded with a snapshot. */
export const recordedPath = () =>
  z
    .string()
    .max(1024)
    .regex(/^\/.*$/);

/** A user or host name that we record: kopia sets them off with `@` and `:`. */
export const identityPart = () =>
  z
    .string()
    .min(1)
    .max(253)
    .regex(/^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$/);

/** A name that another program recorded, which may be anything. */
export const foreignIdentityPart = () => z.string().min(1).max(253);

/** The ID of a snapshot: hexadecimal on both engines, kept open for later versions of them. */
export const snapshotID = () => z.string().min(1).max(128);

/** A list of texts. */
export const texts = (options: { readonly maxItems: number; readonly maxLength: number }) =>
  z.array(text(options.maxLength)).max(options.maxItems);
