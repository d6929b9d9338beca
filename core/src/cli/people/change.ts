import { HermesError } from "../../base/errors.ts";
import type { PersonRole } from "../../model/person.ts";
import { addPerson as add, renamePerson as rename, setRole as set } from "../../overview/change-people.ts";
import type { Output } from "../../terminal/output.ts";
import type { CliContext } from "../context.ts";
import { findKept } from "./find-entry.ts";
import { isMeant } from "./is-meant.ts";
import { lostText } from "./lost-text.ts";

interface Asked {
  readonly yes?: boolean;
}

/** `hermes people add` */
export async function addPerson(
  { output, withHost }: CliContext,
  name: string,
  { role, yes = false }: Asked & { readonly role: PersonRole },
): Promise<number> {
  return withHost(
    async ({ store }) => {
      if (!yes && !(await isRoleMeant(output, name, role, "add"))) return 1;
      const person = await add(store, { name, role });
      output.document(person);
      output.line(`${person.name} is ${AS[role]} from now on, at each account that is linked to them.`);
      output.note(`\`hermes link --person ${JSON.stringify(person.name)}\` makes a code that links one.`);
      return 0;
    },
    { needsConfig: false },
  );
}

/** `hermes people role` */
export async function setRole(
  { output, withHost }: CliContext,
  reference: string,
  role: string,
  { yes = false }: Asked,
): Promise<number> {
  if (role !== "operator" && role !== "member") {
    throw new HermesError("USAGE", { reason: "A role is `operator` or `member`", command: "hermes people role" });
  }
  return withHost(
    async (host) => {
      const { person } = await findKept(host, reference);
      if (!yes && person.role !== role && !(await isRoleMeant(output, person.name, role, "role"))) return 1;
      const now = await set(host.store, person.id, role);
      output.document(now);
      output.line(`${now.name} is ${AS[now.role]} from now on.`);
      const lost = lostText(now.lost);
      if (lost !== "") output.line(lost);
      return 0;
    },
    { needsConfig: false },
  );
}

/** `hermes people rename` */
export async function renamePerson(
  { output, withHost }: CliContext,
  reference: string,
  name: string,
): Promise<undefined> {
  await withHost(
    async (host) => {
      const { person } = await findKept(host, reference);
      const now = await rename(host.store, person.id, name);
      output.document(now);
      output.line(`${person.name} is called ${now.name} from now on.`);
    },
    { needsConfig: false },
  );
}

const AS: Readonly<Record<PersonRole, string>> = { operator: "an operator", member: "a member" };

/** Asks before somebody may do everything that the person at the terminal may. */
async function isRoleMeant(output: Output, name: string, role: PersonRole, command: string): Promise<boolean> {
  if (role !== "operator") return true;
  return isMeant(output, `Make ${name} an operator? They see every session, and may do all that you may.`, command);
}
