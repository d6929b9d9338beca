import { useEffect, useRef } from "preact/hooks";
import { getState, type State, setState } from "../state/store.ts";
import { BackIcon } from "../view/icons.tsx";
import { Handoffs } from "./handoffs.tsx";
import { People } from "./people.tsx";
import { Places } from "./places.tsx";
import { Questions } from "./questions.tsx";
import { Deliveries, Lanes, Leases, Passes, Status } from "./sections.tsx";
import { SessionPage, Sessions } from "./sessions.tsx";
import { Sentence } from "./text.tsx";
import { Usage } from "./usage.tsx";

const SECTIONS = [
  { path: "", name: "Now", View: Status },
  { path: "sessions", name: "Sessions", View: Sessions },
  { path: "questions", name: "Questions", View: Questions },
  { path: "deliveries", name: "Undelivered", View: Deliveries },
  { path: "handoffs", name: "Handoffs", View: Handoffs },
  { path: "lanes", name: "Waiting", View: Lanes },
  { path: "leases", name: "Leases", View: Leases },
  { path: "usage", name: "Usage", View: Usage },
  { path: "people", name: "People", View: People },
  { path: "places", name: "Places", View: Places },
  { path: "passes", name: "Passes", View: Passes },
] as const;

/** What only the operator may see: all that goes on in Hermes. `path`: what is behind `/overview/`. */
export function Overview({ state, path }: { state: State; path: string }) {
  const [first = "", id] = path.split("/");
  const section = SECTIONS.find((one) => one.path === first) ?? SECTIONS[0];
  const tabs = useRef<HTMLElement>(null);
  useEffect(() => {
    if (getState().overviewSaid !== null) setState({ overviewSaid: null });
    // On a phone they do not all fit.
    tabs.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [path]);
  return (
    <main class="conversation overview" id="overview">
      <header>
        <a href="/threads" data-page class="back" aria-label="All conversations">
          <BackIcon />
        </a>
        <div class="where">
          <h1>Overview</h1>
          <p>{state.connection === "lost" ? "Reconnecting…" : "What goes on in Hermes"}</p>
        </div>
      </header>
      {state.mayOversee ? (
        <>
          <nav class="tabs" ref={tabs} aria-label="Overview">
            {SECTIONS.map(({ path: to, name }) => (
              <a
                key={to}
                href={to === "" ? "/overview" : `/overview/${to}`}
                data-page
                aria-current={to === section.path ? "page" : undefined}
              >
                {name}
              </a>
            ))}
          </nav>
          <div class="overview-body">
            <Said state={state} />
            {section.path === "sessions" && id !== undefined ? (
              <SessionPage key={id} id={decoded(id)} />
            ) : (
              <section.View />
            )}
          </div>
        </>
      ) : (
        <div class="empty-state">
          <p>Only the operator can see this.</p>
          <a class="button" href="/" data-page>
            Go to the home channel
          </a>
        </div>
      )}
    </main>
  );
}

/** What came of the last action. */
function Said({ state }: { state: State }) {
  const { overviewSaid: said } = state;
  return (
    <p
      id="overview-said"
      tabIndex={-1}
      class={said?.isProblem ? "refusal" : "said"}
      role={said?.isProblem ? "alert" : "status"}
    >
      {said !== null && <Sentence text={said.text} />}
    </p>
  );
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
