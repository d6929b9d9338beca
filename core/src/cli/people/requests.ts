import { sayAgo } from "../../command/words.ts";
import type { CodeSender } from "../../model/code.ts";
import { accountName } from "../../model/identity.ts";
import {
  approveRequest as approve,
  denyRequest as deny,
  findRequest,
  requestsDocument,
} from "../../overview/newcomers.ts";
import { requireConfirmed } from "../confirm.ts";
import type { CliContext } from "../context.ts";

/** `hermes people requests` */
export async function listRequests({ output, withHost }: CliContext): Promise<undefined> {
  await withHost(
    async ({ store, clock }) => {
      const document = await requestsDocument(store);
      output.document(document);
      if (output.json) return;
      const requests = await store.codes.list("pairing");
      if (requests.length === 0) output.line("Nobody waits to be let in.");
      for (const { number, who, createdAt } of requests) {
        output.line(`${String(number).padStart(3)}  ${describe(who)}  ${sayAgo(clock.now(), createdAt)}`);
      }
      if (requests.length > 0) output.line("`hermes people approve <number>` lets one in; `deny` does not.");
      for (const { account, person } of document.claims) {
        const sender =
          account === null ? "Somebody" : `${account.name ?? "(no name)"} on ${accountName(account)} (${account.id})`;
        output.line(`${sender} sent a link code of ${person.name}'s: \`hermes link\` asks whether that is them.`);
      }
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
      const waiting = await findRequest(store, reference);
      const { who } = waiting;
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
      const approved = await approve(store, waiting, name);
      output.document(approved);
      output.line(`${approved.person.name} may talk to the agent from now on, and is told.`);
      return 0;
    },
    { needsConfig: false },
  );
}

/** `hermes people deny`: they are told nothing, and get no answer for 30 days. */
export async function denyRequest({ output, withHost }: CliContext, reference: string): Promise<undefined> {
  await withHost(
    async (host) => {
      const waiting = await findRequest(host.store, reference);
      output.document(await deny(host.store, waiting));
      output.line(`${describe(waiting.who)} was not let in. They are told nothing, and get no answer for 30 days.`);
    },
    { needsConfig: false },
  );
}

function describe(who: CodeSender | null): string {
  return who === null ? "" : `${who.name ?? "(no name)"} on ${accountName(who)} (${who.id})`;
}
