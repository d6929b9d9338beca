import type { KitJudge, RecordedExchange } from "@hermes/testing";
import { type BlueBubblesEmulator, CHATS, PEOPLE } from "../emulator/index.ts";
import { listen } from "./bluebubbles-client.ts";

type Exchange = RecordedExchange<BlueBubblesEmulator>;

function exchange(
  name: string,
  call: string,
  response: Exchange["response"],
  more: Partial<Exchange> & { body?: object } = {},
): Exchange {
  const [method = "GET", path = ""] = call.split(" ");
  const { body, ...rest } = more;
  return {
    name,
    request: ({ url, options }) => {
      const address = new URL(`/api/v1/${path}`, url);
      address.searchParams.set("password", options.password);
      return { url: address.href, method, ...(body === undefined ? {} : { body }) };
    },
    response,
    ...rest,
  };
}

const ADA = { originalROWID: 12, address: "+15550001111", service: "iMessage" };
const CHAT = {
  ...{ originalROWID: 7, guid: "iMessage;-;+15550001111", style: 45, chatIdentifier: "+15550001111" },
  ...{ isArchived: false, displayName: "" },
};

/** What both a webhook and an answer have of a message. */
const SHORT = {
  originalROWID: 4711,
  guid: "5F5E9C1B-0000-4000-8000-000000000001",
  text: "Hello",
  attributedBody: null,
  handle: ADA,
  handleId: 12,
  otherHandle: 0,
  attachments: [],
  subject: null,
  error: 0,
  dateCreated: 1_764_500_000_000,
  dateRead: null,
  dateDelivered: null,
  isDelivered: false,
  isFromMe: false,
  hasDdResults: false,
  isArchived: false,
  itemType: 0,
  groupTitle: null,
  groupActionType: 0,
  balloonBundleId: null,
  associatedMessageGuid: null,
  associatedMessageType: null,
  expressiveSendStyleId: null,
  threadOriginatorGuid: null,
  hasPayloadData: false,
  messageSummaryInfo: null,
  payloadData: null,
  dateEdited: null,
  dateRetracted: null,
  partCount: 1,
};

/** What only answers and the socket have. */
const FULL = {
  ...SHORT,
  handle: { ...ADA, country: "us", uncanonicalizedId: null },
  ...{ country: null, isDelayed: false, isAutoReply: false, isSystemMessage: false, isServiceMessage: false },
  ...{ isForward: false, threadOriginatorPart: null, isCorrupt: false, datePlayed: null, cacheRoomnames: null },
  ...{ isSpam: false, isExpired: false, timeExpressiveSendStyleId: null, isAudioMessage: false, replyToGuid: null },
  ...{ shareStatus: 0, shareDirection: 0, wasDeliveredQuietly: false, didNotifyRecipient: false },
};
const FULL_CHAT = { ...CHAT, isFiltered: false, groupId: "chat1", properties: null, lastAddressedHandle: null };
const BODY = [{ string: "Hello", runs: [{ range: [0, 5], attributes: { __kIMMessagePartAttributeName: 0 } }] }];

const refused = (status: number, message: string, type: string, error: string) => {
  return { status, body: { status, message, error: { type, message: error } } };
};

/** The fields and types that the server's serializers make, and what it refuses in which words. */
export const documented: KitJudge<BlueBubblesEmulator> = {
  source: "https://github.com/BlueBubblesApp/bluebubbles-server, 1.9.9: serializers, validators, responses",
  exchanges: [
    exchange("a ping", "GET ping", { status: 200, body: { status: 200, message: "Ping received!", data: "pong" } }),
    exchange("what the server is", "GET server/info", {
      status: 200,
      body: {
        ...{ status: 200, message: "Success" },
        data: {
          ...{ computer_id: "me@mac", os_version: "15.6", server_version: "1.9.9", private_api: true },
          ...{ helper_connected: true, proxy_service: "lan-url", detected_icloud: "me@example.com" },
          ...{ detected_imessage: "me@example.com", macos_time_sync: 0.01, local_ipv4s: [""], local_ipv6s: [""] },
        },
      },
    }),
    exchange(
      "a message is sent by a script",
      "POST message/text",
      {
        status: 200,
        body: {
          ...{ status: 200, message: "Message sent!" },
          data: {
            ...FULL,
            isFromMe: true,
            tempGuid: "temp-1",
            attributedBody: BODY,
            chats: [FULL_CHAT],
            dateDelivered: 5,
          },
        },
      },
      { body: { chatGuid: CHATS.ada, message: "Hello", tempGuid: "temp-1", method: "apple-script" } },
    ),
    exchange(
      "a message is sent without a name for it",
      "POST message/text",
      refused(
        ...([400, "You've made a bad request! Please check your request params & body", "Validation Error"] as const),
        "A 'tempGuid' is required when sending via AppleScript",
      ),
      { body: { chatGuid: CHATS.ada, message: "Hello" } },
    ),
    exchange(
      "a chat is asked for that is not there",
      "GET chat/gone",
      refused(404, "The requested resource was not found", "Database Error", "Chat does not exist!"),
    ),
    exchange(
      "the chats",
      "POST chat/query",
      {
        status: 200,
        body: {
          ...{ status: 200, message: "Success", metadata: { count: 1, total: 6, offset: 0, limit: 1 } },
          data: [{ ...FULL_CHAT, participants: [{ ...ADA, country: "us", uncanonicalizedId: null }] }],
        },
      },
      { body: { limit: 1 } },
    ),
    exchange(
      "the history",
      "POST message/query",
      {
        status: 200,
        body: {
          ...{ status: 200, message: "Successfully fetched messages!" },
          ...{ data: [{ ...FULL, chats: [FULL_CHAT] }], metadata: { offset: 0, limit: 5, total: 1, count: 1 } },
        },
      },
      {
        prepare: async (emulator) => void (await emulator.receive({ chatId: CHATS.ada, text: "Hello" })),
        body: { with: ["chat", "attachment"], sort: "ASC", limit: 5 },
      },
    ),
    exchange(
      "a webhook is registered",
      "POST webhook",
      {
        status: 200,
        body: {
          ...{ status: 200, message: "Successfully created webhook!" },
          data: { id: 1, url: "http://127.0.0.1:1/", events: ["new-message"], created: "2026-11-30" },
        },
      },
      { body: { url: "http://127.0.0.1:1/", events: ["new-message"] } },
    ),
  ],
};

const SET_UP = "Please make sure you have completed the setup for the Private API, and your helper is connected!";

/** A server whose helper does not run inside Messages. */
export const withoutHelper: KitJudge<BlueBubblesEmulator> = {
  source: "recorded of a BlueBubbles server 1.9.9 on 2026-08-25",
  exchanges: ["POST chat/GUID/typing", "POST chat/GUID/read"].map((call) =>
    exchange(
      call,
      call.replace("GUID", encodeURIComponent(CHATS.ada)),
      refused(500, SET_UP, "iMessage Error", "iMessage Private API Helper is not connected!"),
      { prepare: (emulator) => emulator.setMac({ helperConnected: false }) },
    ),
  ),
};

/** Socket.IO as clients without a library speak it. */
export const socketIo: KitJudge<BlueBubblesEmulator> = {
  source: "https://socket.io/docs/v4/socket-io-protocol/, and mautrix/imessage, which speaks it by hand",
  async judge(emulator) {
    const { events, packets, socket } = await listen(emulator);
    const handshake = JSON.parse(packets[0]?.slice(1) ?? "{}") as Record<string, unknown>;
    const wanted = ["sid", "upgrades", "pingInterval", "pingTimeout", "maxPayload"];
    const missing = wanted.filter((name) => !(name in handshake));
    if (missing.length > 0) throw new Error(`the handshake has no ${missing.join(", ")}`);
    await emulator.receive({ chatId: CHATS.ada, text: "Hello" });
    const from = Date.now();
    while (events.length === 0 && Date.now() - from < 5_000) await new Promise((done) => setTimeout(done, 10));
    const [event] = events;
    const { address } = Object(event?.data.handle) as { address?: unknown };
    if (event?.type !== "new-message" || address !== PEOPLE.ada) throw new Error(`it told ${JSON.stringify(events)}`);
    socket.close();
  },
};
