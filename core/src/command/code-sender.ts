import { HermesError } from "../base/errors.ts";
import type { CodeSender } from "../model/code.ts";
import type { CommandContext } from "./command.ts";

/** Who writes in a private chat. Throws COMMAND_NOT_HERE elsewhere: nobody else is to read a code. */
export function senderAt({ sender }: CommandContext, name: string): CodeSender {
  if (sender === undefined) throw new HermesError("COMMAND_NOT_HERE", { name, where: "in a private chat" });
  return sender;
}
