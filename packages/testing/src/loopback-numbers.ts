import type { InboundMessage } from "@hermes/core";
import { type Identities, senderOf } from "@hermes/core";

/** A message with all ids of who wrote it: those who have a number are known by that, too. */
export async function withPerson(
  message: InboundMessage,
  numbers: ReadonlyMap<string, string>,
  identities: Identities,
): Promise<InboundMessage> {
  const { sender } = message;
  const number = numbers.get(sender.id);
  if (number === undefined) return message;
  const person = await identities.note([
    { id: sender.id, strength: "strong" },
    { id: number, strength: "weak" },
  ]);
  return { ...message, sender: { ...sender, ...senderOf(person) } };
}
