import { inject, Lifecycle, scoped } from "tsyringe";
import type { PlatformAdapter } from "../../adapter/adapter.ts";
import { type Conversation, chatOf } from "../../adapter/conversation.ts";
import type { InboundMessage } from "../../adapter/message.ts";
import { buildSessionKey, type SessionKey } from "../../adapter/session-key.ts";
import { AGENT, type Agent } from "../../agent/agent.ts";
import { MODEL_CATALOGUE, type ModelCatalogue } from "../../agent/model-catalogue.ts";
import { MODEL_CHOICE } from "../../agent/model-choice.ts";
import type { Clock } from "../../base/clock.ts";
import { HermesError } from "../../base/errors.ts";
import { CLOCK, HOME } from "../../base/tokens.ts";
import type { CommandContext } from "../../command/command.ts";
import { escapeMarkdown } from "../../markdown/escape-markdown.ts";
import type { CodeSender } from "../../model/code.ts";
import type { InboxRow } from "../../model/inbox.ts";
import type { Limits } from "../../model/limit.ts";
import type { ModelChoice } from "../../model/model-choice.ts";
import type { Session } from "../../model/session.ts";
import { STORE, type Store } from "../../store/store.ts";
import { KeptFiles } from "../../tools/files/kept-files.ts";
import { JOBS, type Jobs } from "../../tools/shell/jobs.ts";
import { TOOL_POLICY, type ToolPolicy } from "../../turn/tool-policy.ts";
import { LIMITS } from "../../turn/turn-limits.ts";
import { TURN_RUNNER, type TurnRunner } from "../../turn/turn-runner.ts";
import { type Access, keyOf } from "../account/access.ts";
import { ACCOUNT, type Account, ADAPTER } from "../account/account.ts";
import { ChatReaders } from "../account/chat-readers.ts";
import { HomeWatch } from "../account/home-watch.ts";
import { setHome } from "../account/set-home.ts";
import { TurnPresenter } from "../outbound/turn-presenter.ts";
import { deciderOf } from "./may-decide.ts";

/** A message as far as a command needs to know it; without an `id`, nothing is run that has to happen once. */
export interface AskedAt {
  readonly id?: InboxRow["id"];
  readonly digest?: InboxRow["digest"];
  readonly key: SessionKey;
  readonly message: Pick<InboundMessage, "conversation" | "sender" | "chatName" | "beginsThread">;
}

/** The conversations of a platform account, as places for commands of whoever wrote there. */
@scoped(Lifecycle.ContainerScoped)
export class ConversationPlaces {
  constructor(
    @inject(STORE) readonly store: Store,
    @inject(CLOCK) readonly clock: Clock,
    @inject(AGENT) readonly agent: Agent,
    @inject(ADAPTER) readonly adapter: PlatformAdapter,
    @inject(ACCOUNT) readonly account: Account,
    @inject(HomeWatch) readonly homeWatch: HomeWatch,
    @inject(TOOL_POLICY) readonly policy: ToolPolicy,
    @inject(JOBS) readonly jobs: Jobs,
    @inject(HOME) readonly home: string,
    @inject(TURN_RUNNER) readonly runner: TurnRunner,
    @inject(ChatReaders) readonly readers: ChatReaders,
    @inject(MODEL_CATALOGUE) readonly catalogue: ModelCatalogue,
    @inject(LIMITS) readonly limits: Limits,
    @inject(MODEL_CHOICE) readonly models: ModelChoice,
    @inject(TurnPresenter) readonly presenter: TurnPresenter,
  ) {}

  /** The conversation that a message came from, as a place for commands of its sender. */
  of({ id, digest, key, message }: AskedAt, access: Access): CommandContext {
    const { store, clock, agent, adapter, homeWatch, jobs } = this;
    const { handOff } = this.account;
    const { conversation, sender, chatName } = message;
    const { user, isOperator, isGuest, visible } = access;
    const { mirrors } = adapter.capabilities;

    const session = async () => {
      const binding = await store.bindings.get(key);
      return binding === null ? null : store.sessions.get(binding.sessionId);
    };
    const switchTo = async (to: Session) => {
      await store.bindings.bind({ key, conversation, sessionId: to.id, mirrors });
    };

    return {
      store,
      clock,
      requestId: id,
      ...(id && digest !== undefined && { message: { inboxId: id, digest } }),
      surface: key,
      user,
      isOperator,
      isGuest,
      visible,
      ...(conversation.kind === "dm" && { sender: this.#codeSender(key, message) }),
      decider: deciderOf({ sender, conversation, access }),
      typed: (command) => adapter.typedCommand(command, conversation),
      session,
      switchTo,
      async startSession() {
        const originChat = buildSessionKey(chatOf(conversation));
        const started = await store.sessions.create({ user, origin: key, originChat });
        await switchTo(started);
        return started;
      },
      async whoami() {
        const role = isOperator ? "the operator" : isGuest ? "a guest of this session" : "an allowed user";
        const person = await store.people.get(user);
        return [
          `You are ${role}, known here as \`${sender.id}\`.`,
          ...(person === null ? [] : [`You are **${escapeMarkdown(person.name)}**: ${person.role} on every platform.`]),
          `This conversation is \`${key}\`.`,
        ].join("\n");
      },
      setHome: ({ wholeChat }) =>
        setHome(homeWatch, wholeChat ? chatOf(conversation) : homeAt(message), chatName, sender),
      modelOf: (of) => agent.modelOf(of),
      models: this.models,
      compact: async (of, focus) => {
        const shown = this.presenter.present({ key, conversation });
        try {
          return await this.runner.compact({ sessionId: of.id, surface: key, focus, onEvent: shown.onEvent });
        } finally {
          await shown.close();
        }
      },
      windowOf: (model) => this.catalogue.factsOf(model).window,
      limits: this.limits,
      rulesOf: (of) => this.policy.rulesOf(of),
      jobs,
      files: new KeptFiles(this.home),
      ...(handOff && isOperator
        ? {
            async handOff(where: string) {
              const current = await session();
              if (current === null) throw new HermesError("SESSION_UNKNOWN", { reference: "here" });
              const typed = (command: string) => adapter.typedCommand(command, conversation);
              return handOff({ session: current, from: key, by: user, at: conversation, where, typed });
            },
          }
        : {}),
    };
  }

  #codeSender(surface: SessionKey, { conversation, sender }: AskedAt["message"]): CodeSender {
    const { platform, account } = this.account;
    const { id, name = null } = sender;
    return { platform, account, key: keyOf(sender), id, name, conversation, surface };
  }

  /** Lets a thread that hangs on a message of the chat go on with the chat's session, unless it has had one of its own. */
  async branchOff(row: InboxRow, access: Access): Promise<void> {
    const { store, adapter } = this;
    const { conversation, isBranch } = row.message;
    if (!isBranch || (await store.bindings.get(row.key)) || (await store.handoffs.latestBoundAt(row.key))) return;
    const stem = await store.bindings.get(adapter.buildSessionKey(chatOf(conversation)));
    const session = stem && (await store.sessions.get(stem.sessionId));
    // A pass gives a session in the chat alone.
    if (session && (await this.readers.mayBeIn(session.id, conversation, access))) {
      await this.of(row, access).switchTo(session);
    }
  }
}

/** Where /sethome was written: the thread itself, unless the message only began one to be answered in. */
function homeAt({ conversation, beginsThread }: AskedAt["message"]): Conversation {
  const { threadId } = conversation;
  return threadId === undefined || threadId === beginsThread
    ? chatOf(conversation)
    : { ...chatOf(conversation), threadId };
}
