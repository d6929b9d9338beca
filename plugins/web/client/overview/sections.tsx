import { useState } from "preact/hooks";
import type {
  StatusAnswer,
  WireAdapter,
  WireDelivery,
  WireLane,
  WireLease,
  WirePass,
} from "../../src/server/wire/overview.ts";
import { ActButton } from "./act-button.tsx";
import { useDocument } from "./document.ts";
import { holderText, Item, Items, Problem, SessionLink } from "./items.tsx";
import { Pages } from "./pages.tsx";
import { Ago, ageText, countText, LongText, Sentence, Text } from "./text.tsx";

export function Status() {
  const shown = useDocument<StatusAnswer>("status");
  const { value } = shown;
  return (
    <>
      {value !== null && (
        <p class="facts">
          <span>{countText(value.sessions, "session")}</span>
          {value.gateways.map(({ pid, startedAt, configChanged }) => (
            <span key={pid}>
              gateway pid {pid}, started <Ago at={startedAt} />
              {configChanged && <Sentence text="; its config has changed since: `hermes gateway restart`" />}
            </span>
          ))}
        </p>
      )}
      <Items shown={shown} of={({ adapters }) => adapters} empty="No platform is served.">
        {(adapter) => <Adapter key={adapter.name} adapter={adapter} />}
      </Items>
    </>
  );
}

function Adapter({ adapter }: { adapter: WireAdapter }) {
  const { name, health, detail, standby, home, notice, waiting = 0, failed = 0, refused = 0 } = adapter;
  return (
    <Item
      name={name}
      facts={[
        standby ? "standing by" : health,
        home === null ? "no home channel" : <>home: {<Text text={home} />}</>,
        waiting > 0 ? `${waiting} to be sent` : "",
        failed > 0 ? `${failed} not delivered` : "",
        refused > 0 ? `${refused} from strangers refused` : "",
      ]}
    >
      {detail !== null && (
        <p class="hint">
          <Text text={detail} />
        </p>
      )}
      {notice !== null && (
        <p class="refusal">
          <Text text={notice} />
        </p>
      )}
    </Item>
  );
}

const STATES = { failed: "refused", uncertain: "may not have arrived", waiting: "still to be sent" };

export function Deliveries() {
  const shown = useDocument<{ readonly deliveries: readonly WireDelivery[] }>("deliveries", { limit: "100" });
  return (
    <Items shown={shown} of={({ deliveries }) => deliveries} empty="Every message has arrived, as far as Hermes knows.">
      {({ deliveryId: id, state, sessionId, title, place, text, createdAt, attempts, error, readBy }) => (
        <Item
          key={id}
          name={<SessionLink id={sessionId} title={title} none="a reply of Hermes" />}
          facts={[
            <Text key="place" text={place} />,
            STATES[state],
            <Ago key="ago" at={createdAt} />,
            `tried ${countText(attempts, "time")}`,
          ]}
        >
          <Problem error={error} />
          <LongText text={text} />
          <div class="actions">
            <ActButton
              action={{ do: "retry-delivery", id, readBy }}
              done="It is sent again, behind what waits there."
              {...(readBy !== null && { question: `${readBy} will be able to read this message. Send it?` })}
            >
              Send again
            </ActButton>
            <ActButton
              action={{ do: "drop-delivery", id }}
              done="Dropped. What was said stays in its session."
              question="Drop this message? It is never sent then; what was said stays in its session."
              style="danger"
            >
              Drop
            </ActButton>
          </div>
        </Item>
      )}
    </Items>
  );
}

const LANES = 50;

export function Lanes() {
  const [offset, setOffset] = useState(0);
  const query = { limit: String(LANES), offset: String(offset) };
  const shown = useDocument<{ readonly lanes: readonly WireLane[]; readonly total: number }>("lanes", query);
  const total = shown.value?.total ?? 0;
  return (
    <>
      <Items shown={shown} of={({ lanes }) => lanes} empty="No message waits.">
        {(lane) => <Lane key={lane.key} lane={lane} />}
      </Items>
      <Pages
        onBack={offset > 0 ? () => setOffset(Math.max(0, offset - LANES)) : null}
        onNext={offset + LANES < total ? () => setOffset(offset + LANES) : null}
      />
    </>
  );
}

function Lane({ lane }: { lane: WireLane }) {
  const { sessionId, title, place, in: inbound, out, holder, because, error } = lane;
  const side = (waiting: WireLane["in"], way: string) =>
    waiting === null ? "" : `${waiting.count} ${way}, the oldest for ${ageText(Date.now() - waiting.oldestAt)}`;
  return (
    <Item
      name={<SessionLink id={sessionId} title={title} none="no session" />}
      facts={[
        <Text key="place" text={place} />,
        side(inbound, "in"),
        side(out, "out"),
        holder === null ? "" : `held by the ${holderText(holder)}`,
      ]}
    >
      <p>
        <Sentence text={because} />
      </p>
      <Problem error={error} />
    </Item>
  );
}

export function Leases() {
  const shown = useDocument<{ readonly leases: readonly WireLease[] }>("leases");
  return (
    <Items shown={shown} of={({ leases }) => leases} empty="No process holds anything.">
      {({ kind, name, sessionId, title, holder, since, until, isLive }) => (
        <Item
          key={`${kind} ${name} ${sessionId} ${holder.pid}`}
          name={
            <>
              {name} {sessionId !== null && <SessionLink id={sessionId} title={title} none="" />}
            </>
          }
          facts={[
            holderText(holder),
            since === null ? "" : `for ${ageText(Date.now() - since)}`,
            isLive ? `${ageText(until - Date.now())} left unless it renews` : "over: the next process takes it",
          ]}
        />
      )}
    </Items>
  );
}

export function Passes() {
  const shown = useDocument<{ readonly passes: readonly WirePass[] }>("passes");
  return (
    <Items shown={shown} of={({ passes }) => passes} empty="There is no pass. `hermes pass` makes one.">
      {({ number, state, sessionId, title, for: person, usedBy, expiresAt }) => (
        <Item
          key={number}
          name={<SessionLink id={sessionId} title={title} none={`Pass ${number}`} />}
          facts={[
            `pass ${number}`,
            state === "taken" ? "in use" : <>ends {<Ago at={expiresAt} />}</>,
            person === null ? "for whoever sends it first" : <>for {<Text text={person} />}</>,
            usedBy === null ? (
              ""
            ) : (
              <>
                used by {<Text text={`${usedBy.name ?? usedBy.id} (${usedBy.id})`} />} on {usedBy.platform}
              </>
            ),
          ]}
        >
          <div class="actions">
            <ActButton
              action={{ do: "revoke-pass", number }}
              done={`Pass ${number} is revoked.`}
              question={`Revoke pass ${number}? Whoever uses it loses the session.`}
              style="danger"
            >
              Revoke
            </ActButton>
          </div>
        </Item>
      )}
    </Items>
  );
}
