import type { WireIdentity, WirePerson, WirePlace } from "../../src/server/wire.ts";
import { ActButton } from "./act-button.tsx";
import { useDocument } from "./document.ts";
import { Item, Items } from "./items.tsx";
import { Ago, countText, Sentence, Text } from "./text.tsx";

export function People() {
  const shown = useDocument<{ readonly people: readonly WirePerson[] }>("people");
  return (
    <Items shown={shown} of={({ people }) => people} empty="Nobody is known yet.">
      {(person) => <Person key={person.id ?? JSON.stringify([person.name, person.identities])} person={person} />}
    </Items>
  );
}

function Person({ person: { name, role, identities, sessions, lastSeenAt, rights } }: { person: WirePerson }) {
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
    </Item>
  );
}

function Identity({ identity, of }: { identity: WireIdentity; of: string }) {
  const { platform, account, key, name, word } = identity;
  const at = account === null ? platform : `${platform} (${account})`;
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
          done="It is nobody's any more; what ran for it is asked to stop."
          question={`Is ${key} on ${at} no longer ${of}?`}
          style="danger"
        >
          Unlink
        </ActButton>
      )}
    </div>
  );
}

export function Places() {
  const shown = useDocument<{ readonly places: readonly WirePlace[] }>("places");
  return (
    <Items shown={shown} of={({ places }) => places} empty="No place is known yet.">
      {({ type, name, kind, isShared, readBy, lastUsedAt }) => (
        <Item
          key={type}
          name={<Text text={type} />}
          facts={[
            kind === "home" ? "home channel" : "",
            name === null ? "" : <Text key="name" text={name} />,
            kind === "terminal" ? "" : isShared ? "others read it" : "private",
            isShared || readBy === null ? "" : <Text key="reader" text={`${readBy} reads it`} />,
            lastUsedAt === null ? "" : <>used {<Ago at={lastUsedAt} />}</>,
          ]}
        />
      )}
    </Items>
  );
}
