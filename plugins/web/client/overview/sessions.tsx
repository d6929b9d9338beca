import { useEffect, useState } from "preact/hooks";
import type { SessionAnswer, SessionsAnswer, WireSession } from "../../src/server/wire/overview.ts";
import { useDocument } from "./document.ts";
import { HandOff } from "./hand-off.tsx";
import { Handoff } from "./handoffs.tsx";
import { Item, Items, SessionLink } from "./items.tsx";
import { Pages } from "./pages.tsx";
import { Question } from "./questions.tsx";
import { Ago, countText, Text } from "./text.tsx";
import { Work } from "./work.tsx";

/** Milliseconds without a key before the server is asked. */
const TYPED_MS = 200;

/** The sessions, page by page; the server searches them. */
export function Sessions() {
  const [words, setWords] = useState("");
  const [matching, setMatching] = useState("");
  /** The cursors of the pages up to the one that is shown. */
  const [cursors, setCursors] = useState<readonly string[]>([]);
  useEffect(() => {
    const wanted = words.trim();
    if (wanted === matching) return;
    const timer = setTimeout(() => {
      setMatching(wanted);
      setCursors([]);
    }, TYPED_MS);
    return () => clearTimeout(timer);
  }, [words, matching]);
  const after = cursors.at(-1);
  const query = { limit: "50", ...(matching === "" ? {} : { matching }), ...(after === undefined ? {} : { after }) };
  const shown = useDocument<SessionsAnswer>("sessions", query);
  const next = shown.value?.cursor ?? null;
  return (
    <>
      <label class="find-session">
        <span>Find a session by its title</span>
        <input type="search" value={words} maxLength={200} onInput={(event) => setWords(event.currentTarget.value)} />
      </label>
      <Items
        shown={shown}
        of={({ sessions }) => sessions}
        empty={matching === "" ? "There is no session yet." : "No session is called so."}
      >
        {(session) => (
          <Item
            key={session.id}
            name={<SessionLink id={session.id} title={session.title} none="" />}
            facts={factsOf(session)}
          />
        )}
      </Items>
      <Pages
        onBack={cursors.length === 0 ? null : () => setCursors(cursors.slice(0, -1))}
        onNext={next === null ? null : () => setCursors([...cursors, next])}
      />
    </>
  );
}

function factsOf({ messageCount, lastPlace, updatedAt, openQuestions, user }: WireSession) {
  return [
    countText(messageCount, "message"),
    <Text key="place" text={`last used ${lastPlace}`} />,
    <Ago key="ago" at={updatedAt} />,
    user === "operator" ? "" : <>of {<Text text={user} />}</>,
    openQuestions > 0 ? "waits for an answer" : "",
  ];
}

/** A session: where it is open, what is asked in it, and how it came there. */
export function SessionPage({ id }: { id: string }) {
  const shown = useDocument<SessionAnswer>("session", { id });
  const { value, problem } = shown;
  return (
    <>
      <p>
        <a href="/overview/sessions" data-page>
          All sessions
        </a>
      </p>
      {problem !== null && (
        <p class="refusal" role="alert">
          {problem}
        </p>
      )}
      {value !== null && <SessionParts session={value} />}
    </>
  );
}

function SessionParts({ session }: { session: SessionAnswer }) {
  const { id, title, places, readers, turn, state, approvals, handoffs, way } = session;
  const hops = new Map(way.map((hop) => [hop.handoffId, hop]));
  return (
    <>
      <h2>
        <Text text={title ?? id} />
      </h2>
      <p class="facts">
        {factsOf(session).map((fact, at) => fact !== "" && <span key={at}>{fact}</span>)}
        <code>{id}</code>
      </p>
      {turn !== null && (
        <p>
          {turn.state === "waiting" ? `A turn waits (${turn.waitsFor}) ` : "A turn runs "}
          <Text text={turn.place} />, begun <Ago at={turn.startedAt} />.
        </p>
      )}
      {state !== null && <Work state={state} />}
      {approvals.length > 0 && (
        <section aria-label="Questions">
          <h3>Questions</h3>
          <ul class="items">
            {approvals.map((approval) => (
              <Question key={approval.code} approval={approval} isOfSession />
            ))}
          </ul>
        </section>
      )}
      <section aria-label="Places">
        <h3>Where it can be used</h3>
        <ul class="items">
          <Item name="in the terminal" facts={[<code key="resume">{`hermes resume ${id}`}</code>]} />
          {places.map(({ key, name, usedAt }) => (
            <Item key={key} name={<Text text={name} />} facts={[<>used {<Ago at={usedAt} />}</>]} />
          ))}
        </ul>
        {readers.map(({ text }) => (
          <p key={text} class="refusal">
            <Text text={text} />
          </p>
        ))}
      </section>
      <HandOff id={id} />
      <section aria-label="The way it took">
        <h3>The way it took</h3>
        {handoffs.length === 0 && <p class="hint">It was never handed off.</p>}
        <ul class="items">
          {handoffs.map((handoff) => (
            <Handoff key={handoff.handoffId} handoff={handoff} hop={hops.get(handoff.handoffId)} isOfSession />
          ))}
        </ul>
      </section>
    </>
  );
}
