import type { FailureKind } from "@hermes/emulator";
import type { Button } from "./buttons.ts";
import type { Envelope, SocketHub } from "./socket-hub.ts";
import { APP, type Channel, type StoredMessage, type Workspace } from "./workspace.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Turns what happens in the workspace into the events that Slack sends to the app. */
export class EventFeed {
  readonly #workspace: Workspace;
  readonly #hub: SocketHub;
  #nextEvent = 1;
  /** What is to come after the next event. */
  #heldBack: Envelope[] = [];

  constructor(workspace: Workspace, hub: SocketHub) {
    this.#workspace = workspace;
    this.#hub = hub;
  }

  /** A new message: for one that mentions the bot there are two envelopes with ids of their own. */
  sendMessage(at: Channel, message: StoredMessage, failure: FailureKind | null = null): void {
    const workspace = this.#workspace;
    const subtype = message.files.length > 0 && message.botId === undefined ? { subtype: "file_share" } : {};
    const shown = { ...workspace.show(message, at), ...subtype, channel: at.id };
    const event = { ...shown, event_ts: message.ts, channel_type: at.type };
    const envelopes = [this.#event(event)];
    const mentions = message.text.includes(`<@${APP.userId}>`) && message.botId === undefined && at.type !== "im";
    if (mentions) envelopes.push(this.#event({ ...shown, type: "app_mention", event_ts: message.ts }));
    this.#deliver(at, envelopes, failure);
  }

  sendChange(at: Channel, message: StoredMessage, before: StoredMessage, failure: FailureKind | null = null): void {
    const ts = this.#workspace.newTs();
    const event = {
      type: "message",
      subtype: "message_changed",
      message: this.#workspace.show(message, at),
      previous_message: this.#workspace.show(before, at),
      channel: at.id,
      hidden: true,
      ts,
      event_ts: ts,
      channel_type: at.type,
    };
    this.#deliver(at, [this.#event(event)], failure);
  }

  sendDeletion(at: Channel, message: StoredMessage, failure: FailureKind | null = null): void {
    const ts = this.#workspace.newTs();
    const event = {
      type: "message",
      subtype: "message_deleted",
      previous_message: this.#workspace.show(message, at),
      deleted_ts: message.ts,
      channel: at.id,
      hidden: true,
      ts,
      event_ts: ts,
      channel_type: at.type,
    };
    this.#deliver(at, [this.#event(event)], failure);
  }

  /** Runs `/hermes <text>`; resolves with what the app answered. */
  sendCommand(at: Channel, command: string, text: string, userId: string): Promise<unknown> {
    const answered = Promise.withResolvers<unknown>();
    const payload = {
      command,
      text,
      team_id: this.#workspace.teamId,
      channel_id: at.id,
      channel_name: at.type === "im" ? "directmessage" : at.name,
      user_id: userId,
      user_name: this.#workspace.users.get(userId) ?? userId,
      api_app_id: APP.appId,
      trigger_id: `trigger-${this.#nextEvent++}`,
    };
    this.#hub.push({ type: "slash_commands", payload: () => payload, onAck: answered.resolve });
    return answered.promise;
  }

  /** Somebody presses a button below a message. */
  sendPress(
    at: Channel,
    message: StoredMessage,
    button: Button,
    { userId, failure }: { readonly userId: string; readonly failure: FailureKind | null },
  ): void {
    const workspace = this.#workspace;
    const { teamId } = workspace;
    const shown = workspace.show(message, at);
    const thread = message.threadTs === undefined ? {} : { thread_ts: message.threadTs };
    const name = workspace.users.get(userId) ?? userId;
    const payload = () => ({
      type: "block_actions",
      user: { id: userId, username: name.toLowerCase(), name: name.toLowerCase(), team_id: teamId },
      api_app_id: APP.appId,
      token: "emulated",
      container: { type: "message", message_ts: message.ts, channel_id: at.id, is_ephemeral: false, ...thread },
      trigger_id: `trigger-${this.#nextEvent++}`,
      team: { id: teamId, domain: teamId.toLowerCase() },
      enterprise: null,
      is_enterprise_install: false,
      channel: { id: at.id, name: at.type === "im" ? "directmessage" : at.name },
      message: shown,
      state: { values: {} },
      response_url: `https://hooks.slack.com/actions/${teamId}/${this.#nextEvent}/emulated`,
      actions: [{ ...button, action_ts: workspace.newTs() }],
    });
    this.#deliver(at, [{ type: "interactive", payload }], failure);
  }

  #deliver(at: Channel, envelopes: readonly Envelope[], failure: FailureKind | null): void {
    // Slack tells an app nothing about channels that it is not in.
    if (!at.isMember || failure?.is === "lose") return;
    if (failure?.is === "out-of-order") {
      this.#heldBack.push(...envelopes);
      return;
    }
    for (const envelope of envelopes) this.#hub.push(envelope);
    // The same message once more, under another event id and without a word of a retry.
    if (failure?.is === "redeliver") for (const envelope of envelopes) this.#hub.push(envelope);
    for (const envelope of this.#heldBack.splice(0)) this.#hub.push(envelope);
  }

  #event(event: Fields): Envelope {
    const { teamId } = this.#workspace;
    return {
      type: "events_api",
      payload: () => ({
        type: "event_callback",
        team_id: teamId,
        context_team_id: teamId,
        api_app_id: APP.appId,
        event_id: `Ev${this.#nextEvent++}`,
        event_time: Math.floor(Number(event.event_ts)),
        authorizations: [{ team_id: teamId, user_id: APP.userId, is_bot: true, is_enterprise_install: false }],
        is_ext_shared_channel: false,
        event,
      }),
    };
  }
}
