import {
  aesDecryptGCM,
  aesEncryptGCM,
  type BinaryNode,
  Curve,
  decodeBinaryNode,
  encodeBinaryNode,
  hkdf,
  type KeyPair,
  NOISE_MODE,
  NOISE_WA_HEADER,
  proto,
  sha256,
} from "@whiskeysockets/baileys";

const IV_LENGTH = 12;
const LENGTH_BYTES = 3;

/** What the client says of itself at the end of the handshake. */
export interface ClientHello {
  readonly payload: proto.ClientPayload;
  /** The key that stands for the device at every login. */
  readonly noiseKey: Uint8Array;
}

type Stage = "intro" | "hello" | "finish" | "transport";

/**
 * The server's side of WhatsApp's encrypted socket: Noise XX (25519, AES-GCM, SHA-256), frames with a length before
 * them, and in each a node in WhatsApp's binary form.
 */
export class NoiseResponder {
  readonly #ephemeral = Curve.generateKeyPair();
  readonly #static = Curve.generateKeyPair();
  readonly #root: KeyPair;
  readonly #write: (bytes: Uint8Array) => void;
  #stage: Stage = "intro";
  #buffered = Buffer.alloc(0);
  #hash: Uint8Array = Buffer.from(NOISE_MODE);
  #salt: Uint8Array = this.#hash;
  #key: Uint8Array = this.#hash;
  #counter = 0;
  #outgoing: { readonly key: Uint8Array; counter: number } | null = null;
  #incoming: { readonly key: Uint8Array; counter: number } | null = null;

  /** `root` signs the certificate that the client checks. */
  constructor(root: KeyPair, write: (bytes: Uint8Array) => void) {
    this.#root = root;
    this.#write = write;
    this.#authenticate(NOISE_WA_HEADER);
  }

  /** Takes bytes from the client. Throws when they are not WhatsApp's. */
  async take(bytes: Uint8Array, on: { hello(hello: ClientHello): void; node(node: BinaryNode): void }): Promise<void> {
    this.#buffered = Buffer.concat([this.#buffered, bytes]);
    if (this.#stage === "intro" && !this.#skipIntro()) return;
    for (let frame = this.#nextFrame(); frame !== null; frame = this.#nextFrame()) {
      if (this.#stage === "hello") this.#answerHello(frame);
      else if (this.#stage === "finish") on.hello(this.#finish(frame));
      else on.node(await decodeBinaryNode(this.#decryptFrame(frame)));
    }
  }

  /** Sends a node; the handshake has to be over. */
  send(node: BinaryNode): void {
    const channel = this.#outgoing;
    if (channel === null) throw new Error("the handshake is not over");
    this.#writeFrame(aesEncryptGCM(encodeBinaryNode(node), channel.key, ivOf(channel.counter++), Buffer.alloc(0)));
  }

  /** The connection begins with `WA` and a version; before that a client may say by which server it was routed. */
  #skipIntro(): boolean {
    const routing = this.#buffered.subarray(0, 2).toString() === "ED" ? 7 + this.#buffered.readUInt16BE(5) : 0;
    if (this.#buffered.length < routing + NOISE_WA_HEADER.length) return false;
    const header = this.#buffered.subarray(routing, routing + NOISE_WA_HEADER.length);
    if (!header.equals(NOISE_WA_HEADER)) throw new Error("the client does not speak WhatsApp's protocol");
    this.#buffered = this.#buffered.subarray(routing + NOISE_WA_HEADER.length);
    this.#stage = "hello";
    return true;
  }

  #nextFrame(): Buffer | null {
    if (this.#buffered.length < LENGTH_BYTES) return null;
    const end = LENGTH_BYTES + this.#buffered.readUIntBE(0, LENGTH_BYTES);
    if (this.#buffered.length < end) return null;
    const frame = this.#buffered.subarray(LENGTH_BYTES, end);
    this.#buffered = this.#buffered.subarray(end);
    return frame;
  }

  #answerHello(frame: Buffer): void {
    const ephemeral = proto.HandshakeMessage.decode(frame).clientHello?.ephemeral;
    if (!ephemeral) throw new Error("the client sent no key");
    this.#authenticate(ephemeral);
    this.#authenticate(this.#ephemeral.public);
    this.#mix(Curve.sharedKey(this.#ephemeral.private, ephemeral));
    const encryptedStatic = this.#encrypt(this.#static.public);
    this.#mix(Curve.sharedKey(this.#static.private, ephemeral));
    const payload = this.#encrypt(this.#certificate());
    const serverHello = { ephemeral: this.#ephemeral.public, static: encryptedStatic, payload };
    this.#writeFrame(proto.HandshakeMessage.encode({ serverHello }).finish());
    this.#stage = "finish";
  }

  #finish(frame: Buffer): ClientHello {
    const finish = proto.HandshakeMessage.decode(frame).clientFinish;
    if (!finish?.static || !finish.payload) throw new Error("the client did not finish the handshake");
    const noiseKey = this.#decrypt(finish.static);
    this.#mix(Curve.sharedKey(this.#ephemeral.private, noiseKey));
    const payload = proto.ClientPayload.decode(this.#decrypt(finish.payload));
    const [incoming, outgoing] = this.#derive(new Uint8Array());
    this.#incoming = { key: incoming, counter: 0 };
    this.#outgoing = { key: outgoing, counter: 0 };
    this.#stage = "transport";
    return { payload, noiseKey };
  }

  /** A certificate for the static key, by an intermediate one that the root has signed. */
  #certificate(): Uint8Array {
    const { Details } = proto.CertChain.NoiseCertificate;
    const between = Curve.generateKeyPair();
    const leaf = Details.encode({ serial: 2, issuerSerial: 1, key: this.#static.public }).finish();
    const intermediate = Details.encode({ serial: 1, issuerSerial: 0, key: between.public }).finish();
    return proto.CertChain.encode({
      leaf: { details: leaf, signature: Curve.sign(between.private, leaf) },
      intermediate: { details: intermediate, signature: Curve.sign(this.#root.private, intermediate) },
    }).finish();
  }

  #decryptFrame(frame: Uint8Array): Buffer {
    const channel = this.#incoming;
    if (channel === null) throw new Error("the handshake is not over");
    return aesDecryptGCM(frame, channel.key, ivOf(channel.counter++), Buffer.alloc(0));
  }

  #encrypt(plain: Uint8Array): Uint8Array {
    const encrypted = aesEncryptGCM(plain, this.#key, ivOf(this.#counter++), this.#hash);
    this.#authenticate(encrypted);
    return encrypted;
  }

  #decrypt(encrypted: Uint8Array): Uint8Array {
    const plain = aesDecryptGCM(encrypted, this.#key, ivOf(this.#counter++), this.#hash);
    this.#authenticate(encrypted);
    return plain;
  }

  #authenticate(bytes: Uint8Array): void {
    this.#hash = sha256(Buffer.concat([this.#hash, bytes]));
  }

  #mix(secret: Uint8Array): void {
    [this.#salt, this.#key] = this.#derive(secret);
    this.#counter = 0;
  }

  #derive(secret: Uint8Array): [Uint8Array, Uint8Array] {
    const keys = hkdf(Buffer.from(secret), 64, { salt: Buffer.from(this.#salt), info: "" });
    return [keys.subarray(0, 32), keys.subarray(32)];
  }

  #writeFrame(bytes: Uint8Array): void {
    const length = Buffer.alloc(LENGTH_BYTES);
    length.writeUIntBE(bytes.length, 0, LENGTH_BYTES);
    this.#write(Buffer.concat([length, bytes]));
  }
}

function ivOf(counter: number): Uint8Array {
  const iv = Buffer.alloc(IV_LENGTH);
  iv.writeUInt32BE(counter, 8);
  return iv;
}
