import { useQuery } from "@tanstack/react-query";
import type { Finding } from "../../../../src/cli/doctor/finding.ts";
import { doctorQuery } from "../../api/queries.ts";
import { useScope } from "../../layout/scope.ts";
import { Answer } from "../../parts/answer.tsx";
import { Page } from "../../parts/page.tsx";
import { Sign } from "../../parts/sign.tsx";
import type { Tone } from "../../text/levels.ts";

const TONES: Readonly<Record<Finding["level"], Tone>> = { ok: "good", warning: "warn", error: "bad" };
const NAMES: Readonly<Record<Finding["level"], string>> = { ok: "Well", warning: "Warning", error: "Broken" };

/** What is in the way of backups, each finding with its fix. */
export function Doctor() {
  const scope = useScope();
  const query = useQuery(doctorQuery(scope));
  return (
    <Page
      title="Doctor"
      words={["doctor"]}
      namespace={scope}
      all
      actions={
        <button type="button" disabled={query.isFetching} onClick={() => void query.refetch()}>
          {query.isFetching ? "Looking …" : "Look again"}
        </button>
      }
    >
      <Answer query={query} what="the findings; this takes some seconds">
        {(findings) => <Findings findings={findings} />}
      </Answer>
    </Page>
  );
}

function Findings({ findings }: { readonly findings: readonly Finding[] }) {
  const bad = findings.filter(({ level }) => level !== "ok");
  const well = findings.filter(({ level }) => level === "ok");
  const order = (finding: Finding) => (finding.level === "error" ? 0 : 1);
  return (
    <>
      <p role="status">
        {bad.length === 0
          ? `All ${well.length} checks are well.`
          : `${bad.length} of ${findings.length} checks found something.`}
      </p>
      {bad
        .toSorted((a, b) => order(a) - order(b))
        .map((finding, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: findings have no name, and two may say the same
          <section key={index} className={`box tone-${TONES[finding.level]}`}>
            <h2>
              <Sign tone={TONES[finding.level]} /> {NAMES[finding.level]}: {finding.what}
            </h2>
            {finding.level === "ok" ? null : (
              <>
                <p>{finding.why}</p>
                <p>
                  <span className="strong">To do:</span> {finding.fix}
                </p>
              </>
            )}
          </section>
        ))}
      {well.length > 0 ? (
        <section className="card" aria-labelledby="well">
          <h2 id="well">What is well</h2>
          <ul className="says">
            {well.map(({ what }) => (
              <li key={what}>
                <Sign tone="good" /> {what}
              </li>
            ))}
          </ul>
        </section>
      ) : null}
    </>
  );
}
