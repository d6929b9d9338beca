import { useId, useState } from "preact/hooks";
import type { WireLost, WirePerson, WireRole } from "../../src/server/wire/overview.ts";
import { ActButton } from "./act-button.tsx";
import { countText } from "./text.tsx";

/** The person at the terminal, who is always there. */
const OPERATOR = "operator";

const AS: Readonly<Record<WireRole, string>> = { operator: "an operator", member: "a member" };
const MAY: Readonly<Record<WireRole, string>> = {
  operator: "They see every session, and may do all that you may.",
  member: "They may talk to the agent, and see what they begin themselves.",
};

/** What somebody lost, as a sentence; empty for nothing. */
export function lostText({ identities, passes, turns }: WireLost): string {
  const parts = [
    identities === 0 ? "" : `${identities} ${identities === 1 ? "identity" : "identities"} unlinked`,
    passes === 0 ? "" : `${passes} ${passes === 1 ? "pass" : "passes"} revoked`,
    turns === 0 ? "" : `${countText(turns, "turn")} asked to stop`,
  ].filter((part) => part !== "");
  return parts.length === 0 ? "" : `${parts.join(", ")}.`;
}

/** Renames a person, changes their role, makes a link code for them, and removes them; each is asked about first. */
export function ChangePerson({ person }: { person: WirePerson & { readonly id: string } }) {
  const { id, name, role } = person;
  const other = role === "operator" ? "member" : "operator";
  return (
    <details class="change">
      <summary aria-label={`Change ${name}`}>Change</summary>
      <Rename id={id} name={name} />
      <div class="actions">
        <ActButton
          action={{ do: "make-link-code", id }}
          done={({ code }: { code: string }) =>
            `Send \`${code}\` to the bot in a private chat, from the account to link, within 10 minutes. Then it is asked here whether that is ${name}.`
          }
          question={`Make a code that links an account to ${name}? It is shown once; whoever sends it is shown here before anything is linked.`}
          no="Not now"
        >
          Link code
        </ActButton>
        {id !== OPERATOR && (
          <>
            <ActButton
              action={{ do: "set-role", id, role: other }}
              done={({ lost }: { lost: WireLost }) => `${name} is ${AS[other]} from now on. ${lostText(lost)}`}
              question={`Make ${name} ${AS[other]}? ${MAY[other]}${other === "member" ? " The passes that they gave are revoked, and what runs for them is asked to stop." : ""}`}
              no="Not now"
              style={other === "member" ? "danger" : "plain"}
            >
              Make {AS[other]}
            </ActButton>
            <ActButton
              action={{ do: "remove-person", id }}
              done={({ lost }: { lost: WireLost }) => `${name} is removed. ${lostText(lost)}`}
              question={`Remove ${name}? ${takenText(person)}`}
              style="danger"
            >
              Remove
            </ActButton>
          </>
        )}
      </div>
    </details>
  );
}

/** What removing somebody takes away. */
function takenText({ identities, passes, sessions }: WirePerson): string {
  const linked = identities.filter(({ word }) => word !== null && word !== "home");
  return [
    linked.length === 0
      ? ""
      : `${linked.map(({ platform, key }) => `${platform} ${key}`).join(", ")} will be nobody's.`,
    passes === 0 ? "" : `${passes === 1 ? "A pass" : `${passes} passes`} of theirs will be revoked.`,
    sessions === 0 ? "" : `Their ${countText(sessions, "session")} will be yours alone to see.`,
    "What runs for them is asked to stop.",
  ]
    .filter((sentence) => sentence !== "")
    .join(" ");
}

function Rename({ id, name }: { id: string; name: string }) {
  const [typed, setTyped] = useState(name);
  const field = useId();
  const wanted = typed.trim();
  return (
    <div class="actions">
      <label for={field}>Name</label>
      <input id={field} value={typed} maxLength={200} onInput={(event) => setTyped(event.currentTarget.value)} />
      {wanted !== "" && wanted !== name && (
        <ActButton
          action={{ do: "rename-person", id, name: wanted }}
          done={({ name: now }: { name: string }) => `${name} is called ${now} from now on.`}
          question={`Call ${name} “${wanted}” from now on?`}
          no="Not now"
        >
          Rename
        </ActButton>
      )}
    </div>
  );
}

/** Adds a person, whose accounts can be linked then. */
export function AddPerson() {
  const [typed, setTyped] = useState("");
  const [role, setRole] = useState<WireRole>("member");
  const [nameField, roleField] = [useId(), useId()];
  const wanted = typed.trim();
  return (
    <section aria-label="Add a person">
      <h3>Add a person</h3>
      <div class="actions">
        <label for={nameField}>Name</label>
        <input id={nameField} value={typed} maxLength={200} onInput={(event) => setTyped(event.currentTarget.value)} />
        <label for={roleField}>Role</label>
        <select
          id={roleField}
          value={role}
          onChange={(event) => setRole(event.currentTarget.value === "operator" ? "operator" : "member")}
        >
          <option value="member">member</option>
          <option value="operator">operator</option>
        </select>
        {wanted !== "" && (
          <ActButton
            action={{ do: "add-person", name: wanted, role }}
            done={({ name }: { name: string }) =>
              `${name} is ${AS[role]} from now on, at each account that is linked to them.`
            }
            question={`Add ${wanted} as ${AS[role]}? ${MAY[role]}`}
            no="Not now"
            style="primary"
            onDone={() => setTyped("")}
          >
            Add
          </ActButton>
        )}
      </div>
    </section>
  );
}
