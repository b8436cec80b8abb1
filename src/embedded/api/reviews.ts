import type { Stored } from "../store/store.ts";
import type { User } from "./user.ts";

const EVERYTHING = ["*"];
const ALLOWED = { allowed: true };

const ANSWERS: Readonly<Record<string, object>> = {
  SelfSubjectRulesReview: {
    resourceRules: [{ verbs: EVERYTHING, apiGroups: EVERYTHING, resources: EVERYTHING }],
    nonResourceRules: [{ verbs: EVERYTHING, nonResourceURLs: EVERYTHING }],
    incomplete: false,
  },
};

/** A review with its answer: what may be done, and by whom. Whoever can ask may do everything, and so may all others. */
export function reviewed(review: Stored, user: User): Stored {
  const answer = review.kind === "SelfSubjectReview" ? { userInfo: user } : ANSWERS[review.kind];
  return { ...review, status: answer ?? ALLOWED };
}
