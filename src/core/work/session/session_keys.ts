import {
  createAuthority,
  issueClientCertificate,
  issueServerCertificate,
} from "../../../kube/certificates/certificates.ts";
import type { TlsMaterial } from "../../../lib/https_sender.ts";
import type { Random } from "../../../lib/random.ts";
import type { LentData } from "../run_secrets.ts";

/** What the two ends of one session prove themselves to each other with. */
export interface SessionKeys {
  /** For the Secret that the mover mounts. */
  readonly mover: LentData;
  readonly operator: TlsMaterial;
}

/** What the mover is called: its address is known only once it runs, and no address is trusted here. */
const MOVER_NAME = "session.holdfast";
/** The keys live as long as the session, so their dates only have to hold on a node whose clock is wrong. */
const TOLERANCE = 365 * 86_400_000;

/**
 * Keys for one session alone: its authority signs these two certificates, and its own key is gone when this returns,
 * so that nobody else can ever be let in.
 */
export function mintSessionKeys(options: { readonly now: number; readonly random: Random }): SessionKeys {
  const { now, random } = options;
  const validity = { notBefore: now - TOLERANCE, notAfter: now + TOLERANCE };
  const authority = createAuthority({ name: "Holdfast session", validity, random });
  const names = { dns: [MOVER_NAME], ip: [] };
  const server = issueServerCertificate({ authority, names, validity, random });
  const client = issueClientCertificate({ authority, name: "holdfast operator", validity, random });
  return {
    mover: { "ca.crt": authority.cert, "tls.crt": server.cert, "tls.key": server.key },
    operator: { ca: authority.cert, ...client, servername: MOVER_NAME },
  };
}
