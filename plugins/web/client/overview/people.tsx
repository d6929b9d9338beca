import type { WireIdentity, WireLost, WirePerson } from "../../src/server/wire/overview.ts";
import { ActButton } from "./act-button.tsx";
import { AddPerson, ChangePerson, lostText } from "./change-people.tsx";
import { useDocument } from "./document.ts";
import { accountText, Item, Items } from "./items.tsx";
import { Newcomers } from "./newcomers.tsx";
import { Ago, countText, Sentence, Text } from "./text.tsx";

export function People() {
  const shown = useDocument<{ readonly people: readonly WirePerson[] }>("people");
  return (
    <>
      <Newcomers />
      <section aria-label="People">
        <h3>People</h3>
        <Items shown={shown} of={({ people }) => people} empty="Nobody is known yet.">
          {(person) => <Person key={person.id ?? JSON.stringify([person.name, person.identities])} person={person} />}
        </Items>
      </section>
      <AddPerson />
    </>
  );
}

function Person({ person }: { person: WirePerson }) {
  const { id, name, role, identities, sessions, lastSeenAt, rights } = person;
  return (
    <Item
      name={<Text text={name} />}
      facts={[
        role,
        sessions > 0 ? countText(sessions, "session") : "",
        lastSeenAt === null ? "" : <>last seen {<Ago at={lastSeenAt} />}</>,
      ]}
    >
      {rights.map(({ grants, on, words, takenBackBy }) => (
        <p key={`${grants} ${on} ${words}`}>
          {grants} {on === null ? "everywhere" : `on ${on}`}: <Text text={words} />{" "}
          <span class="hint">
            <Sentence text={takenBackBy} />
          </span>
        </p>
      ))}
      {rights.length === 0 && <p class="hint">may do nothing</p>}
      {identities.map((identity) => (
        <Identity
          key={JSON.stringify([identity.platform, identity.account, identity.key])}
          identity={identity}
          of={name}
        />
      ))}
      {id !== null && <ChangePerson person={{ ...person, id }} />}
    </Item>
  );
}

function Identity({ identity, of }: { identity: WireIdentity; of: string }) {
  const { platform, account, key, name, word } = identity;
  const at = accountText({ platform, account });
  return (
    <div class="facts identity">
      <span>{at}</span>
      <code>
        <Text text={key} />
      </code>
      {name !== null && (
        <span>
          <Text text={name} />
        </span>
      )}
      {word !== null && word !== "home" && (
        <ActButton
          action={{ do: "unlink", platform, account, key }}
          done={({ lost }: { lost: WireLost }) => `${key} on ${at} is not ${of} any more. ${lostText(lost)}`}
          question={`Is ${key} on ${at} no longer ${of}?`}
          style="danger"
          label={`Unlink ${key}`}
        >
          Unlink
        </ActButton>
      )}
    </div>
  );
}
