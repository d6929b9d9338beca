import { HermesError } from "../../base/errors.ts";
import { takePass } from "../../command/take-pass.ts";
import { readCode } from "../../model/code.ts";
import { chat } from "../chat/chat.ts";
import type { CliContext } from "../context.ts";
import { refuseJson } from "../usage-error.ts";

/** `hermes continue`: uses a pass, and goes on with its session here. */
export async function continueWithPass(context: CliContext, pass: string): Promise<number> {
  refuseJson(context, "hermes continue");
  const code = readCode(pass);
  if (code === null) throw new HermesError("CODE_INVALID", {});
  return context.withHost(async (host) => {
    const session = await takePass(host, code);
    context.output.line(context.output.colors.bold(session.title ?? session.id));
    return chat(context, host, { sessionId: session.id });
  });
}
