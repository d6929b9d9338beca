import { checkEqual } from "../check.ts";
import { NotClaimed, proofsOfRule } from "../proof.ts";
import type { Stage } from "../stage.ts";
import { whileAnotherTurnRuns } from "./references.ts";

export const editProofs = proofsOfRule("What its writer takes out of a message is not answered", [
  {
    id: "edited/files",
    proof: "a file that is taken out of a message before its turn begins does not reach the model",
    async play(on) {
      const files = [{ name: "secret.txt", mediaType: "text/plain", content: "the secret plan" }];
      await whileAnotherTurnRuns(on, { files }, async (editOf) => {
        const hasFiles = on.running.tap.received.some(({ attachments = [] }) => attachments.length > 0);
        if (!hasFiles) throw new NotClaimed("The adapter hands over no files");
        await edit(on, "Do the second.", { editOf, files: [] });
      });
      const asked = askedFor(on, "the second");
      checkEqual(asked.length, 1, "how often the message was asked");
      checkEqual(asked.filter((text) => text.includes("secret")).length, 0, "how often the file was asked");
    },
  },
  {
    id: "edited/nothing-left",
    proof: "a message edited to a mention of the bot and nothing else, before its turn begins, is not carried out",
    async play(on) {
      await whileAnotherTurnRuns(on, { mentions: true }, (editOf) => edit(on, "", { editOf, mentions: true }));
      checkEqual(askedFor(on, "the second").length, 0, "how often what was taken out was asked");
      checkEqual(on.countSaid("The last is done."), 1, "how often the message behind it was answered");
    },
  },
]);

async function edit(on: Stage, text: string, more: Parameters<Stage["write"]>[2]): Promise<void> {
  await on.write(text, on.homePlace, more);
  const { received, retracted } = on.running.tap;
  await on.until("the edit is reported", () => retracted.length > 0 || received.some(({ isEdit }) => isEdit === true));
}

function askedFor({ model }: Stage, words: string): string[] {
  return model.requests.map(({ messages }) => messages.at(-1)?.text ?? "").filter((text) => text.includes(words));
}
