import { z } from "zod";
import * as v from "../../../kube/schema/vocabulary.ts";
import { count, foreignIdentityPart, text, texts } from "./words.ts";

/** When something began and ended. */
export const timing = () =>
  z.object({
    startTime: v.timestamp().describe("When it began.").optional(),
    endTime: v.timestamp().describe("When it ended.").optional(),
    durationSeconds: count().describe("Seconds in between.").optional(),
  });

/** Why the last attempt failed. */
export const failure = () =>
  z.object({
    errorClass: text(64).describe("Class of the error."),
    message: text(1024).describe("What failed, and why."),
    remedy: text(512).describe("What to do.").optional(),
    retry: z
      .enum(["transient", "structural", "terminal"])
      .describe(
        "When to try again. transient: soon. structural: every few minutes. terminal: only after a change.",
      ),
    stderrTail: text(2048).describe("The last lines of the engine's error output.").optional(),
    attempt: count().describe("Which attempt it was, from 1.").optional(),
    at: v.timestamp().describe("When.").optional(),
  });

/** The Job of a run. */
export const job = () =>
  z.object({
    name: v.objectName().describe("Name of the Job of the last attempt.").optional(),
    namespace: text(63).describe("Its namespace, if it is another one.").optional(),
    runID: text(64).describe("ID of the run, which its snapshots carry as a tag.").optional(),
    attempts: count().describe("Number of attempts.").optional(),
    nextAttemptAt: v.timestamp().describe("When the next attempt is due.").optional(),
    image: text(512).describe("Image of the mover.").optional(),
  });

/** What the operator remembers of runs between two looks at the object. */
export const work = () =>
  v.opaque().describe("Internal: what the operator remembers about its runs, by purpose.").optional();

/** The last lines of a mover's log. */
export const logTail = () =>
  text(4096)
    .describe(
      "The last lines of the mover's log. The pod of the Job has all of it while it runs; afterwards only a log collector of the cluster does.",
    )
    .optional();

/** The identity of a snapshot. */
export const recordedIdentity = () =>
  z.object({
    username: foreignIdentityPart().describe("User name."),
    hostname: foreignIdentityPart().describe("Host name."),
    sourcePath: text(1024).describe("Path."),
  });

/** The owner of files. */
export const owner = () =>
  z
    .object({
      uid: z.int().min(0).max(4_294_967_295).describe("Number of the user."),
      gid: z.int().min(0).max(4_294_967_295).describe("Number of the group."),
    })
    .describe("The only owner of the files. Absent if there are several, or if it was not recorded.")
    .optional();

/** What is not in the backup, or what a restore did not bring back. */
export const losses = () =>
  v.listMap(
    z.object({
      kind: text(32).describe("What is missing, such as Owner or HardLink."),
      count: count().describe("How many."),
      reason: text(256).describe("Why."),
      examples: texts({ maxItems: 3, maxLength: 256 }).describe("A few paths.").optional(),
    }),
    ["kind"],
    12,
  );

export const fidelity = () =>
  z
    .enum(["Full", "Engine", "Degraded"])
    .describe(
      "Full: everything comes back. Engine: what the bare engine stores. Degraded: less than intended.",
    );

/** A repository as it was resolved. */
export const resolvedRepository = () =>
  z.object({
    kind: z.enum(["Repository", "ClusterRepository"]).describe("Which of the two kinds."),
    name: text(253).describe("Its name."),
    namespace: text(63).describe("Its namespace, for a Repository.").optional(),
    uid: text(64).describe("UID of the object.").optional(),
    uniqueID: text(128).describe("ID of the repository itself.").optional(),
  });

/** A volume and its recorded path. */
export const resolvedSource = () =>
  z.object({
    pvc: text(317).describe("The PVC, as namespace/name."),
    sourcePath: text(1024).describe("The recorded path."),
  });
