import type { FailureKind, FailureScript, RequestLog } from "@hermes/emulator";
import type { BinaryNode, KeyPair } from "@whiskeysockets/baileys";
import type { WebSocket } from "ws";
import { ClientSession } from "./client-session.ts";
import { answerIq, nameOf } from "./iq-answers.ts";
import { Mailbox } from "./mailbox.ts";
import type { MediaStore } from "./media-store.ts";
import { childOf, childrenOf, node, SERVER } from "./nodes.ts";
import type { ClientHello } from "./noise-responder.ts";
import { offerCodes, pair, readPairingCode } from "./pairing.ts";
import { Refused, takeSent } from "./sent-message.ts";
import { type LinkedDevice, lidJid, type PersonalWorld } from "./world.ts";
import { stanzaFor, type Written } from "./written-message.ts";

export interface LinkedDeviceServerParts {
  readonly world: PersonalWorld;
  readonly script: FailureScript;
  readonly log: RequestLog;
  readonly media: MediaStore;
  /** Signs the server's certificate. */
  readonly root: KeyPair;
}

/** The server's side of linked devices: logins, queries, and messages to and fro, each device with a mailbox. */
export class LinkedDeviceServer {
  readonly #parts: LinkedDeviceServerParts;
  readonly #sessions = new Set<ClientSession>();
  readonly #mailboxes = new Map<number, Mailbox>();
  /** What people wrote, should a device not have been able to read it. */
  readonly #written = new Map<string, Written>();
  /** Devices that show a code, by its first part. */
  readonly #pairing = new Map<string, ClientSession>();
  /** One thing after the other: what people write is encrypted with counters, too. */
  #working: Promise<unknown> = Promise.resolve();
  #refs = 0;

  constructor(parts: LinkedDeviceServerParts) {
    this.#parts = parts;
  }

  get sessions(): readonly ClientSession[] {
    return [...this.#sessions];
  }

  /** A client has opened a socket. */
  accept(socket: WebSocket): void {
    this.#sessions.add(new ClientSession(socket, this.#parts.root, this.#handlers));
  }

  /** The account's phone scans a code. */
  scan(code: string): void {
    const { world } = this.#parts;
    const read = readPairingCode(code);
    const session = this.#pairing.get(read.ref);
    if (!session?.hello) throw new Error("the code is not one that is shown now");
    const { device, success } = pair(world, read, session.hello);
    world.devices.set(device.number, device);
    session.send(success);
  }

  /** Lets somebody write, once what went before is done. Resolves when it is on its way to each device. */
  deliver(write: () => Promise<Written>): Promise<Written> {
    return this.#inTurn(async () => {
      const written = await write();
      this.#written.set(written.messageId, written);
      for (const device of this.#parts.world.devices.values()) await this.#push(written, device);
      return written;
    });
  }

  readonly #handlers = {
    hello: (session: ClientSession, hello: ClientHello) => this.#logIn(session, hello),
    node: (session: ClientSession, received: BinaryNode) => void this.#inTurn(() => this.#take(session, received)),
    closed: (session: ClientSession) => {
      this.#sessions.delete(session);
      if (session.device !== null) this.#mailboxes.get(session.device)?.close(session);
    },
  };

  /** Clients with an older revision than this are not let in. */
  oldestRevision = 0;
  /** Whether WhatsApp has closed the account. */
  isBanned = false;

  #refusalOf({ userAgent }: ClientHello["payload"]): string | null {
    if (this.isBanned) return "403";
    return Number(userAgent?.appVersion?.tertiary ?? 0) < this.oldestRevision ? "405" : null;
  }

  #logIn(session: ClientSession, { payload, noiseKey }: ClientHello): void {
    const refusal = this.#refusalOf(payload);
    if (refusal !== null) {
      session.refuse(refusal);
      return;
    }
    if (payload.devicePairingData) {
      const refs = [1, 2, 3].map(() => `emulated-ref-${++this.#refs}`);
      for (const ref of refs) this.#pairing.set(ref, session);
      session.send(offerCodes(refs));
      return;
    }
    const device = this.#parts.world.devices.get(payload.device ?? 0);
    const { owner } = this.#parts.world;
    if (!device?.noiseKey.equals(noiseKey) || String(payload.username) !== owner.number) {
      session.refuse("401");
      return;
    }
    // Who was there with the same credentials is put out.
    for (const other of this.#sessions) {
      if (other.device === device.number) other.end("440", node("conflict", { type: "replaced" }));
    }
    session.device = device.number;
    session.send(node("success", { t: String(this.#parts.world.seconds()), lid: lidJid(owner, device.number) }));
  }

  async #take(session: ClientSession, received: BinaryNode): Promise<void> {
    const { tag, attrs } = received;
    if (tag === "iq" && childOf(received, "pair-device-sign")) {
      // A device that was linked has to connect anew.
      session.end("515");
      return;
    }
    const device = session.device === null ? undefined : this.#parts.world.devices.get(session.device);
    if (device === undefined) return;
    switch (tag) {
      case "iq":
        return this.#answer(session, device, received);
      case "message":
        return this.#takeMessage(session, device, received);
      case "receipt":
        this.#parts.log.add(["receipt", attrs.type].filter(Boolean).join(" "), attrs, 200);
        if (attrs.type === "retry") return this.#writeAgain(device, attrs.id ?? "");
        if (attrs.type !== "read") this.#mailboxOf(device).confirm(idsIn(received));
        return;
      case "ack":
        if (attrs.class === "message") this.#mailboxOf(device).confirm([attrs.id ?? ""]);
        return;
      case "chatstate":
        this.#parts.script.take("typing");
        this.#parts.log.add(
          "chatstate",
          { ...attrs, state: childOf(received, "composing") ? "composing" : "paused" },
          200,
        );
    }
  }

  #answer(session: ClientSession, device: LinkedDevice, iq: BinaryNode): void {
    const name = nameOf(iq);
    // The answer to a query of the server's.
    if (iq.attrs.type === "result") return;
    const isOfHome = iq.attrs.xmlns === "w:g2" || childOf(iq, "usync", "query", "contact") !== undefined;
    const failure = isOfHome ? this.#parts.script.take("home", name) : this.#parts.script.take(name);
    if (failure?.is === "disconnect") session.cut();
    if (failure?.is === "disconnect" || failure?.is === "hang") return;
    const { world, media } = this.#parts;
    const answer = codeOf(failure) ?? answerIq(iq, { world, device, media });
    const attrs = { id: iq.attrs.id ?? "", from: iq.attrs.to ?? SERVER };
    if ("code" in answer) {
      this.#parts.log.add(name, iq.attrs, Number(answer.code));
      session.send(node("iq", { ...attrs, type: "error" }, [node("error", answer)]));
      return;
    }
    this.#parts.log.add(name, iq.attrs, 200);
    session.send(node("iq", { ...attrs, type: "result" }, [...answer.content]));
    if (iq.attrs.xmlns === "passive") this.#mailboxOf(device).open(session);
    if (childOf(iq, "remove-companion-device")) {
      this.#parts.world.devices.delete(device.number);
      session.end("401", node("conflict", { type: "device_removed" }));
    }
  }

  async #takeMessage(session: ClientSession, device: LinkedDevice, stanza: BinaryNode): Promise<void> {
    const { id = "", to = "", edit } = stanza.attrs;
    const failure = this.#parts.script.take(edit === "1" ? "edit" : "send", "message");
    if (failure?.is === "disconnect") return session.cut();
    if (failure?.is === "hang") return;
    const ack = { class: "message", id, from: to, t: String(this.#parts.world.seconds()) };
    try {
      const refused = codeOf(failure);
      if (refused) throw new Refused(refused.code);
      await takeSent(stanza, { world: this.#parts.world, device, file: (path) => this.#parts.media.get(path) });
    } catch (error) {
      const code = error instanceof Refused ? error.code : "479";
      this.#parts.log.add("message", stanza.attrs, Number(code));
      session.send(node("ack", { ...ack, error: code }));
      return;
    }
    this.#parts.log.add("message", stanza.attrs, 200);
    if (failure?.is === "drop-answer") return session.cut();
    session.send(node("ack", failure?.is === "break-after" ? { ...ack, error: "500" } : ack));
  }

  /** A device could not read a message: its sender begins a new session with it, and sends it once more. */
  async #writeAgain(device: LinkedDevice, messageId: string): Promise<void> {
    const written = this.#written.get(messageId);
    if (written === undefined) return;
    written.sender.phone.forget(lidJid(this.#parts.world.owner, device.number));
    written.chat.keyedDevices.delete(`${written.sender.number} ${device.number}`);
    this.#mailboxOf(device).confirm([messageId]);
    await this.#push(written, device);
  }

  async #push(written: Written, device: LinkedDevice): Promise<void> {
    this.#mailboxOf(device).push(await stanzaFor(written, device, this.#parts.world));
  }

  #mailboxOf({ number }: LinkedDevice): Mailbox {
    const known = this.#mailboxes.get(number) ?? new Mailbox(this.#parts.script);
    this.#mailboxes.set(number, known);
    return known;
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#working.then(work);
    this.#working = result.catch(() => {});
    return result;
  }
}

/** The server's word for a failure; null where there is none. */
function codeOf(failure: FailureKind | null): { readonly code: string; readonly text: string } | null {
  if (failure?.is === "refuse") return { code: failure.code, text: "refused" };
  if (failure?.is === "break") return { code: "500", text: "internal-server-error" };
  return null;
}

function idsIn(receipt: BinaryNode): string[] {
  const others = childrenOf(childOf(receipt, "list"), "item").map(({ attrs }) => attrs.id ?? "");
  return [receipt.attrs.id ?? "", ...others];
}
