import { createModelServer, gate, type ModelRequest, type ModelServer } from "@hermes/testing";
import { lastRequest } from "../e2e/support/model.ts";
import type { Ledger } from "./ledger/ledger.ts";
import { answerText, tokensIn } from "./marks.ts";
import type { Act, Shape } from "./plan/acts.ts";

/** How a handoff's request ends. */
const ASKED_BY_HERMES = /You have no tools for this one answer\.\]$/;

const PLAIN: Shape = { paragraphs: 1, holdMs: 0 };

/**
 * The model of every session: it answers the message that was asked last with that message's token, as the plan says how
 * long and how slowly. It lives in the run's own process, and remembers each request.
 */
export function startModel(acts: readonly Act[], ledger: Ledger): Promise<ModelServer> {
  const shapes = new Map<string, Shape>();
  for (const act of acts) if ("shape" in act) shapes.set(act.token, act.shape);
  let answers = 0;
  return createModelServer([], {
    remembers: 0,
    otherwise: (request) => {
      const token = tokenOf(request);
      if (token === null) return "There is nothing to say.";
      const shape = shapes.get(token) ?? PLAIN;
      const answer = ++answers;
      ledger.note(`the model is asked, and gives answer ${answer}`, { token });
      void request.hungUp.then((early) => early && ledger.note(`nobody waited for answer ${answer}`, { token }));
      const say = answerText(token, shape, answer);
      if (shape.holdMs === 0) return say;
      const hold = gate();
      setTimeout(hold.open, shape.holdMs).unref();
      return { say, hold };
    },
  });
}

/** Whom the model answers: the last message's token, or where Hermes asks for a handoff, the one of the session. */
function tokenOf(request: ModelRequest): string | null {
  const asked = lastRequest(request);
  const last = tokensIn(asked).at(-1);
  if (last !== undefined && !ASKED_BY_HERMES.test(asked)) return last;
  const session = request.messages
    .flatMap(({ content }) => (typeof content === "string" ? tokensIn(content) : []))
    .findLast((token) => token.startsWith("s-"));
  return session === undefined ? null : session.replace("s-", "h-");
}
