import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type AnyRoute, Outlet, useLocation, useNavigate, useRouter } from "@tanstack/react-router";
import { lazy, Suspense, useEffect, useRef, useState } from "react";
import type { Session } from "../../../src/cli/console/contract.ts";
import { followChanges, type Liveness } from "../api/events.ts";
import { postJson } from "../api/http.ts";
import { sessionQuery } from "../api/queries.ts";
import { Answer } from "../parts/answer.tsx";
import { To } from "../parts/to.tsx";
import { type Theme, useTheme } from "../theme/theme.ts";
import { Keys } from "./keys.tsx";
import { NamespaceChooser } from "./namespace_chooser.tsx";
import { PAGES } from "./pages.ts";
import { type Query, useScope } from "./scope.ts";
import { ScopeContext } from "./scope_context.ts";

const SignInPage = lazy(async () => ({
  default: (await import("../screens/sign_in/sign_in.tsx")).SignInPage,
}));

/** What is around every page. Without a session, there is the sign-in page alone. */
export function Shell() {
  const query = useQuery(sessionQuery);
  return query.data === undefined ? (
    <main className="alone">
      <Answer query={query} what="the console">
        {() => null}
      </Answer>
    </main>
  ) : query.data.user === undefined ? (
    <Suspense fallback={null}>
      <SignInPage session={query.data} />
    </Suspense>
  ) : (
    <SignedIn session={query.data} />
  );
}

function SignedIn({ session }: { readonly session: Session }) {
  const { pathname } = useLocation();
  const [menu, setMenu] = useState(false);
  const [keys, setKeys] = useState(false);
  const scope = useScope();
  const navigate = useNavigate();
  const main = useRef<HTMLElement>(null);
  const place = useRef(pathname);
  // A person who may not look at all namespaces begins with their own.
  const first = session.namespaces === undefined ? session.namespace : undefined;
  useEffect(() => {
    if (scope !== undefined || first === undefined) return;
    const search = (before: Query) => ({ ...before, ns: first });
    void navigate({ to: pathname, search: search as never, replace: true });
  }, [scope, first, pathname, navigate]);
  // Who uses the keyboard or listens goes on at the top of the new page.
  useEffect(() => {
    setMenu(false);
    if (place.current === pathname) return;
    place.current = pathname;
    scrollTo(0, 0);
    main.current?.focus({ preventScroll: true });
  }, [pathname]);
  usePreloaded();
  return (
    <ScopeContext value={scope}>
      <div className="shell">
        <a className="skip" href="#main">
          Skip to the page
        </a>
        <header className="bar">
          <button
            type="button"
            className="menu-button quiet"
            aria-expanded={menu}
            aria-controls="nav"
            onClick={() => setMenu(!menu)}
          >
            Menu
          </button>
          <To place={{ to: "/" }} className="brand">
            Holdfast
          </To>
          <NamespaceChooser />
          <LiveSign scope={scope} />
        </header>
        <nav id="nav" className={menu ? "nav open" : "nav"} aria-label="Main">
          <ul>
            {PAGES.map(({ to, title }) => (
              <li key={to}>
                <To place={{ to }} current={isAt(pathname, to)} onClick={() => setMenu(false)}>
                  {title}
                </To>
              </li>
            ))}
          </ul>
          <div className="nav-foot">
            <ThemeSwitch />
            <button type="button" className="quiet" onClick={() => setKeys(true)}>
              Keys (?)
            </button>
            <Account session={session} />
          </div>
        </nav>
        <main id="main" ref={main} tabIndex={-1}>
          <Suspense fallback={<p className="loading">Loading …</p>}>
            <Outlet />
          </Suspense>
        </main>
        <Keys open={keys} setOpen={setKeys} />
      </div>
    </ScopeContext>
  );
}

const isAt = (pathname: string, place: string) =>
  pathname === place || (place !== "/" && pathname.startsWith(`${place}/`));

/** After the first screen has come, so that it has the line to itself. */
const SOON = 1_500;

/** Fetches the other screens beforehand: they then come at once, and while the server is away. */
function usePreloaded(): void {
  const router = useRouter();
  useEffect(() => {
    const fetchAll = () => {
      for (const route of Object.values(router.routesById) as AnyRoute[])
        void route.options.component?.preload?.()?.catch(() => undefined);
    };
    const timer = setTimeout(fetchAll, SOON);
    return () => clearTimeout(timer);
  }, [router]);
}

/** Follows the cluster's changes, and says when that is not possible. */
function LiveSign({ scope }: { readonly scope: string | undefined }) {
  const client = useQueryClient();
  const [state, setState] = useState<Liveness>("connecting");
  useEffect(() => followChanges(client, scope, setState), [client, scope]);
  return (
    <span role="status" className="live">
      {state === "away" ? "Not live: connecting again …" : ""}
    </span>
  );
}

const THEMES: readonly (readonly [Theme, string])[] = [
  ["system", "As the system"],
  ["light", "Light"],
  ["dark", "Dark"],
];

function ThemeSwitch() {
  const [theme, setTheme] = useTheme();
  return (
    <select
      aria-label="Colours"
      value={theme}
      onChange={(event) => setTheme(THEMES.find(([one]) => one === event.target.value)?.[0] ?? "system")}
    >
      {THEMES.map(([value, label]) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </select>
  );
}

function Account({ session }: { readonly session: Session }) {
  const client = useQueryClient();
  const signOut = async () => {
    await postJson("sign-out", {}).catch(() => undefined);
    client.clear();
    location.assign("/");
  };
  return (
    <>
      <p className="account" title={session.server}>
        {session.user}
      </p>
      <button type="button" className="quiet" onClick={() => void signOut()}>
        Sign out
      </button>
    </>
  );
}
