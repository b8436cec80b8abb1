import { useQuery } from "@tanstack/react-query";
import { bytesText } from "../../../../src/lib/bytes_text.ts";
import { viewQuery } from "../../api/queries.ts";
import { useScope } from "../../layout/scope.ts";
import { Answer } from "../../parts/answer.tsx";
import { Badge } from "../../parts/badge.tsx";
import { ObjectLink } from "../../parts/object_link.tsx";
import { Page } from "../../parts/page.tsx";
import { Table } from "../../parts/table.tsx";
import { When } from "../../parts/when.tsx";
import { phaseTone } from "../../text/levels.ts";

/** Where the backups are. */
export function Repositories() {
  const scope = useScope();
  const query = useQuery(viewQuery(scope));
  return (
    <Page title="Repositories" words={["list", "repositories"]} namespace={scope} all>
      <Answer query={query} what="the repositories">
        {({ repositories, problems, now }) => (
          <Table
            caption="Repositories"
            rows={repositories}
            keyOf={({ object }) => `${object.kind}/${object.namespace}/${object.name}`}
            empty="There are no repositories here."
            columns={[
              {
                title: "Repository",
                cell: ({ object }) => <ObjectLink object={object} />,
                sort: ({ object }) => `${object.namespace}/${object.name}`,
              },
              {
                title: "Phase",
                cell: ({ object, phase }) => (
                  <>
                    <Badge tone={phaseTone(phase)}>{phase}</Badge>
                    {problems
                      .filter((problem) => isSame(problem.object, object))
                      .map(({ why }) => (
                        <p key={why} className="dim">
                          {why}
                        </p>
                      ))}
                  </>
                ),
                sort: ({ phase }) => phase,
              },
              { title: "Engine", cell: ({ engine }) => engine },
              {
                title: "Snapshots",
                number: true,
                cell: ({ snapshots }) => snapshots?.toLocaleString() ?? "–",
                sort: ({ snapshots }) => snapshots ?? -1,
              },
              {
                title: "Stored",
                number: true,
                cell: ({ storedBytes }) => (storedBytes === undefined ? "–" : bytesText(storedBytes)),
                sort: ({ storedBytes }) => storedBytes ?? -1,
              },
              {
                title: "Last contact",
                cell: ({ lastContact }) => <When at={lastContact} now={now} none="never" />,
              },
            ]}
          />
        )}
      </Answer>
    </Page>
  );
}

type Named = { readonly kind: string; readonly namespace?: string | undefined; readonly name: string };

function isSame(a: Named, b: Named): boolean {
  return a.kind === b.kind && a.namespace === b.namespace && a.name === b.name;
}
