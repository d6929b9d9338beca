import type { DependencyContainer } from "tsyringe";
import { createLineReader, type LineReader } from "../../terminal/input/line-reader.ts";
import { CallPerson } from "./call-person.ts";
import { completeLine } from "./complete.ts";
import { MentionCompletion } from "./complete-mention.ts";
import { Ending } from "./ending.ts";
import { FoldedOutput } from "./folded-output.ts";
import { HistoryFile } from "./history-file.ts";
import { ImmediateCommands } from "./immediate-commands.ts";
import { Interruption } from "./interruption.ts";
import { LeaveAway } from "./leave-away.ts";
import { ModeSwitch } from "./mode-switch.ts";
import { OfferedElsewhere } from "./offered-elsewhere.ts";
import { OpenView } from "./open-view.ts";
import { HOST, OUTPUT, PLACE } from "./tokens.ts";
import { TypedAhead } from "./typed-ahead.ts";

/** The reader of a chat's lines. What its keys reach reads from it in turn, so that it is looked up only then. */
export function chatReader(chat: DependencyContainer): LineReader {
  const output = chat.resolve(OUTPUT);
  const configured = chat.resolve(HOST).config.plugins.map(({ descriptor }) => descriptor.platform);
  return createLineReader(output, {
    history: chat.resolve(HistoryFile).lines,
    ahead: chat.resolve(TypedAhead),
    complete: async (line) =>
      (await chat.resolve(MentionCompletion).complete(line)) ?? completeLine(line, chat.resolve(PLACE), configured),
    takeNow: (line) => chat.resolve(ImmediateCommands).take(line),
    interrupt: () => chat.resolve(Interruption).interrupt(),
    escape: () => chat.resolve(Interruption).escape(),
    typed() {
      chat.resolve(LeaveAway).typed();
      chat.resolve(OpenView).typed();
    },
    goOn: () => chat.resolve(OfferedElsewhere).take(),
    backTab: () => void chat.resolve(Ending).attempt(() => chat.resolve(ModeSwitch).next()),
    focus: (isFocused) => chat.resolve(CallPerson).focus(isFocused),
    unfold: () => chat.resolve(FoldedOutput).unfold(output),
  });
}
