import { HermesError } from "../../base/errors.ts";
import { letIn, turnAway } from "../../command/let-in.ts";
import { accountName } from "../../command/link-identity.ts";
import { sayAgo } from "../../command/words.ts";
import type { Host } from "../../host/host.ts";
import { type Code, type CodeSender, readCode } from "../../model/code.ts";
import { requireConfirmed } from "../confirm.ts";
import type { CliContext } from "../context.ts";

/** `hermes people requests` */
export async function listRequests({ output, withHost }: CliContext): Promise<undefined> {
  await withHost(
    async ({ store, clock }) => {
      const requests = await store.codes.list("pairing");
      output.document({ requests: requests.map(requestDocument) });
      if (requests.length === 0) output.line("Nobody waits to be let in.");
      for (const { number, who, createdAt } of requests) {
        output.line(`${String(number).padStart(3)}  ${describe(who)}  ${sayAgo(clock.now(), createdAt)}`);
      }
      if (requests.length > 0) output.line("`hermes people approve <number>` lets one in; `deny` does not.");
    },
    { needsConfig: false },
  );
}

interface ApproveOptions {
  readonly name?: string;
  readonly yes?: boolean;
}

/** `hermes people approve`: makes a person of whoever asked, with the role of a member, and tells them. */
export async function approveRequest(
  { output, withHost }: CliContext,
  reference: string,
  { name, yes = false }: ApproveOptions,
): Promise<number> {
  return withHost(
    async (host) => {
      const { store } = host;
      const { request, who } = await findRequest(host, reference);
      if (!yes) {
        output.line(describe(who));
        const isMeant = await requireConfirmed(
          output,
          "Let them talk to the agent? They see what they begin themselves.",
          {
            reason: "This needs your confirmation: pass `--yes`",
            command: "hermes people approve",
          },
        );
        if (!isMeant) {
          output.line("Nothing was changed; they still wait.");
          return 1;
        }
      }
      const person = await letIn(store, { ...request, who }, name);
      if (person === null) throw new HermesError("REQUEST_UNKNOWN", { reference });
      output.document({
        ...requestDocument({ ...request, state: "done" }),
        person: { id: person.id, name: person.name },
      });
      output.line(`${person.name} may talk to the agent from now on, and is told.`);
      return 0;
    },
    { needsConfig: false },
  );
}

/** `hermes people deny`: they are told nothing, and get no answer for 30 days. */
export async function denyRequest({ output, withHost }: CliContext, reference: string): Promise<undefined> {
  await withHost(
    async (host) => {
      const { request, who } = await findRequest(host, reference);
      if (!(await turnAway(host.store, { ...request, who }))) throw new HermesError("REQUEST_UNKNOWN", { reference });
      output.document(requestDocument({ ...request, state: "refused" }));
      output.line(`${describe(who)} was not let in. They are told nothing, and get no answer for 30 days.`);
    },
    { needsConfig: false },
  );
}

/** By its number, or by the code that the newcomer has told the operator. */
async function findRequest(
  { store }: Host,
  reference: string,
): Promise<{ readonly request: Code; readonly who: CodeSender }> {
  const code = readCode(reference);
  const isNumber = /^\d{1,9}$/.test(reference);
  const request =
    code !== null ? await store.codes.find(code) : isNumber ? await store.codes.get(Number(reference)) : null;
  const who = request?.kind === "pairing" && request.state === "open" ? request.who : null;
  if (request === null || who === null) throw new HermesError("REQUEST_UNKNOWN", { reference });
  return { request, who };
}

function describe(who: CodeSender | null): string {
  return who === null ? "" : `${who.name ?? "(no name)"} on ${accountName(who)} (${who.id})`;
}

function requestDocument({ number, state, who, createdAt, expiresAt }: Code) {
  const account = who && { platform: who.platform, account: who.account ?? null, id: who.id, name: who.name };
  return { number, state, ...account, createdAt, expiresAt };
}
