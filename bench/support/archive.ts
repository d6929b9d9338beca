import { buildSessionKey } from "@hermes/core";
import type { Host, NewSession, UserId } from "@hermes/core/embed";
import { AT_TERMINAL, conversation, openTurn } from "./fill.ts";
import type { RunOptions } from "./measurement.ts";
import { seededRandom } from "./random.ts";
import type { Vocabulary } from "./vocabulary.ts";

/** Began one session in fifty, over the whole time. */
export const GUEST = "web:guest" as UserId;
/** Began ten sessions before everybody else, and nothing since. */
export const FORMER = "web:former" as UserId;
/** Began one of the first sessions and one of the last. */
export const VISITOR = "web:visitor" as UserId;
/** One session in fifty was begun here, by the operator. */
export const CHAT = buildSessionKey({ platform: "web", chatId: "team", kind: "group" });

const PER_SESSION = 200;
/** Sessions go on side by side: a transcript's messages lie apart in the file. */
const AT_ONCE = 50;

/** Years of use: sessions of 200 messages, written through the store a piece at a time. */
export async function fillArchive(
  host: Host,
  vocabulary: Vocabulary,
  { messages, progress }: { readonly messages: number; readonly progress: RunOptions["progress"] },
): Promise<void> {
  const random = seededRandom(4);
  const sessions = messages / PER_SESSION;
  for (let begun = 0; begun < sessions; begun += AT_ONCE) {
    if (begun % 500 === 0) progress(`${begun * PER_SESSION} of ${messages} messages are written`);
    const turns = await Promise.all(
      Array.from({ length: AT_ONCE }, (_, i) =>
        openTurn(host, sessionAt(begun + i, sessions), vocabulary.text(random, 12)),
      ),
    );
    for (let part = 0; part < 4; part++) {
      // The one message that began the turn counts too.
      const count = PER_SESSION / 4 - (part === 0 ? 1 : 0);
      for (const turn of turns) await turn.append(conversation(vocabulary, random, count));
    }
    for (const turn of turns) await turn.finish();
  }
}

function sessionAt(index: number, count: number): NewSession {
  const session = { ...AT_TERMINAL, title: `Session ${index}` };
  if (index < 10) return { ...session, user: FORMER };
  if (index === 11 || index === count - 1) return { ...session, user: VISITOR };
  if (index % 50 === 30) return { ...session, user: GUEST };
  if (index % 50 === 20) return { ...session, origin: CHAT, originChat: CHAT };
  return session;
}
