import type { DependencyContainer } from "tsyringe";
import { MODEL_CATALOGUE } from "../../agent/model-catalogue.ts";
import { MODEL_CHOICE } from "../../agent/model-choice.ts";
import type { CommandContext } from "../../command/command.ts";
import type { Host } from "../../host/host.ts";
import { AT_THE_TERMINAL } from "../../model/approval.ts";
import { EVERY_SESSION, OPERATOR } from "../../model/session.ts";
import { copyToClipboard } from "../../terminal/clipboard.ts";
import { KeptFiles } from "../../tools/files/kept-files.ts";
import { JOBS } from "../../tools/shell/jobs.ts";
import { TOOL_POLICY } from "../../turn/tool-policy.ts";
import { LIMITS } from "../../turn/turn-limits.ts";
import { canAsk, confirmBelow } from "../confirm.ts";
import { createAnswerPrinter, SUMMING_UP } from "./answer-printer.ts";
import { ChatHandoffs } from "./chat-handoffs.ts";
import { ChatSession } from "./chat-session.ts";
import { exportHere } from "./export-here.ts";
import { LinkClaims } from "./link-claims.ts";
import { News } from "./news.ts";
import { Running } from "./running.ts";
import { showDiff } from "./show-diff.ts";
import { FOLDER, HOST, OUTPUT, READER } from "./tokens.ts";
import { TypedAhead } from "./typed-ahead.ts";

/** The terminal as a place for commands. `ahead` has the line that is worked on, which may come again after a crash. */
export function terminalPlace(host: Host, session: ChatSession, ahead?: TypedAhead): CommandContext {
  const { store, clock, agent, container } = host;
  return {
    store,
    clock,
    surface: "terminal",
    here: host.holder.id,
    user: OPERATOR,
    isOperator: true,
    isGuest: false,
    visible: EVERY_SESSION,
    decider: AT_THE_TERMINAL,
    typed: (command) => `/${command}`,
    get nextMode() {
      return session.nextMode;
    },
    set nextMode(mode) {
      session.nextMode = mode;
    },
    get requestId() {
      return ahead?.line?.id;
    },
    session: () => session.find(),
    switchTo: (to) => session.switchTo(to),
    startSession: () => session.begin(),
    leaveSession: async () => session.leave(),
    whoami: async () => "You are the operator: the person at the terminal may do everything.",
    modelOf: (of) => agent.modelOf(of),
    models: container.resolve(MODEL_CHOICE),
    limits: container.resolve(LIMITS),
    windowOf: (model) => container.resolve(MODEL_CATALOGUE).factsOf(model).window,
    files: new KeptFiles(host.home),
    jobs: container.resolve(JOBS),
    rulesOf: (of) => container.resolve(TOOL_POLICY).rulesOf(of),
  };
}

/** A chat as a place for commands: they reach the person who sits there. */
export function chatPlace(chat: DependencyContainer): CommandContext {
  const host = chat.resolve(HOST);
  const output = chat.resolve(OUTPUT);
  const reader = chat.resolve(READER);
  const running = chat.resolve(Running);
  const news = chat.resolve(News);
  const { io } = output;
  const withPerson: Partial<CommandContext> = {
    handOff: (where, { stays = false } = {}) => chat.resolve(ChatHandoffs).handOff(where, stays),
    link: (code) => chat.resolve(LinkClaims).link(code),
    async compact(session, focus) {
      using printer = createAnswerPrinter(output, host.clock);
      return await running.run("command", (signal) =>
        host.runner.compact({
          ...{ sessionId: session.id, surface: "terminal", focus, signal },
          onEvent(event) {
            if (event.type === "started") news.own(event.turn.id);
            if (event.type === "compacting") printer.wait(SUMMING_UP);
          },
        }),
      );
    },
    copy: (text) => copyToClipboard(io, text),
    showDiff: (session) => showDiff(output, host, session),
    exportHere: (session, file) => exportHere(chat.resolve(FOLDER), host, session, file),
    ...(canAsk(output) && { confirm: confirmBelow(output, (question) => reader.ask(question)) }),
    ...(canAsk(output) && io.draws && { choose: async (what, items) => (await reader.choose?.(what, items)) ?? null }),
  };
  return Object.assign(terminalPlace(host, chat.resolve(ChatSession), chat.resolve(TypedAhead)), withPerson);
}
