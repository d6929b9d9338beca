import { HermesError } from "../../base/errors.ts";
import type { PersonRole } from "../../model/person.ts";
import { addPerson as add, renamePerson as rename, setRole as set } from "../../overview/change-people.ts";
import { requireConfirmed } from "../confirm.ts";
import type { CliContext } from "../context.ts";
import { findKept } from "./find-entry.ts";
import { lostText } from "./lost-text.ts";

interface Asked {
  readonly yes?: boolean;
}

/** `hermes people add` */
export async function addPerson(
  context: CliContext,
  name: string,
  { role, yes = false }: Asked & { readonly role: PersonRole },
): Promise<number> {
  const { output, withHost } = context;
  return withHost(
    async ({ store }) => {
      if (!(await isMeant(context, name, role, yes))) return 1;
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
  context: CliContext,
  reference: string,
  role: string,
  { yes = false }: Asked,
): Promise<number> {
  const { output, withHost } = context;
  if (role !== "operator" && role !== "member") {
    throw new HermesError("USAGE", { reason: "A role is `operator` or `member`", command: "hermes people role" });
  }
  return withHost(
    async (host) => {
      const { person } = await findKept(host, reference);
      if (person.role !== role && !(await isMeant(context, person.name, role, yes))) return 1;
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
async function isMeant({ output }: CliContext, name: string, role: PersonRole, yes: boolean): Promise<boolean> {
  if (yes || role !== "operator") return true;
  const question = `Make ${name} an operator? They see every session, and may do all that you may.`;
  const unasked = { reason: "This needs your confirmation: pass `--yes`", command: "hermes people" };
  if (await requireConfirmed(output, question, unasked)) return true;
  output.line("Nothing was changed.");
  return false;
}
