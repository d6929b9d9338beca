import type { RequestsAnswer, WireAccount, WireClaim } from "../../src/server/wire/overview.ts";
import { ActButton } from "./act-button.tsx";
import { useDocument } from "./document.ts";
import { accountText, Item } from "./items.tsx";
import { Ago, Text } from "./text.tsx";

/** Who waits for a word of the operator: newcomers, and accounts that sent a link code. Nothing where nobody does. */
export function Newcomers() {
  const { value, problem } = useDocument<RequestsAnswer>("requests");
  const { requests = [], claims = [] } = value ?? {};
  if (problem === null && requests.length === 0 && claims.length === 0) return null;
  return (
    <section aria-label="Newcomers">
      <h3>Newcomers</h3>
      {problem !== null && (
        <p class="refusal" role="alert">
          {problem}
        </p>
      )}
      <ul class="items">
        {requests.map((request) => (
          <Request key={request.number} request={request} />
        ))}
        {claims.map((claim) => (
          <Claim key={claim.number} claim={claim} />
        ))}
      </ul>
    </section>
  );
}

function Request({ request }: { request: RequestsAnswer["requests"][number] }) {
  const { number, createdAt } = request;
  const who = whoText(request);
  return (
    <Item
      name={<Text text={`${who} wants to talk to the agent`} />}
      facts={[`request ${number}`, <Ago key="ago" at={createdAt} />]}
    >
      <div class="actions">
        <ActButton
          action={{ do: "let-in", number }}
          done={({ person }: { person: { name: string } }) =>
            `${person.name} may talk to the agent from now on, and is told.`
          }
          question={`Let ${who} talk to the agent? They see what they begin themselves.`}
          no="Not now"
          style="primary"
          label={`Let them in: ${who}`}
        >
          Let them in
        </ActButton>
        <ActButton
          action={{ do: "turn-away", number }}
          done={`${who} was not let in. They are told nothing.`}
          question={`Turn ${who} away? They are told nothing, and get no answer for 30 days.`}
          no="Not now"
          style="danger"
          label={`No: ${who}`}
        >
          No
        </ActButton>
      </div>
    </Item>
  );
}

function Claim({ claim: { number, person, account, about, expiresAt } }: { claim: WireClaim }) {
  const who = account === null ? "somebody" : whoText(account);
  const whose = person.id === "operator" ? "you" : person.name;
  return (
    <Item
      name={<Text text={`${who} sent a link code: is it ${whose}?`} />}
      facts={[<>ends {<Ago at={expiresAt} />}</>]}
    >
      {about.map((sentence) => (
        <p key={sentence} class="hint">
          <Text text={sentence} />
        </p>
      ))}
      <div class="actions">
        <ActButton
          action={{ do: "settle-link", number, isThem: true }}
          done={`${who} is ${whose} from now on.`}
          question={[`Is ${who} ${whose}?`, ...about].join(" ")}
          no="Not now"
          style="primary"
          label={`Yes: ${who} is ${whose}`}
        >
          Yes
        </ActButton>
        <ActButton
          action={{ do: "settle-link", number, isThem: false }}
          done="Nothing was linked; the code is no longer valid."
          style="danger"
          label={`No: ${who} is not ${whose}`}
        >
          No
        </ActButton>
      </div>
    </Item>
  );
}

/** Platform, name and id: the name alone is what they chose. */
function whoText({ name, id, ...at }: WireAccount): string {
  return `${name ?? "somebody without a name"} on ${accountText(at)} (${id})`;
}
