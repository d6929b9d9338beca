import { PlatformError } from "@hermes/core";
import { type PlantedBug, replacing } from "./planted-bug.ts";

/** Bugs in sending files. */
export const fileBugs: readonly PlantedBug[] = [
  {
    bug: "takes the content of every file for text",
    caughtBy: ["files/bytes", /is as it was/],
    plant: replacing("send", (send) => (to, piece, { content, ...options }) => {
      const text = content && Buffer.from(Buffer.from(content).toString("utf8"));
      return send(to, piece, text === undefined ? options : { ...options, content: text });
    }),
  },
  {
    bug: "calls every file alike",
    caughtBy: ["files/bytes", /is called "file"/],
    plant: replacing("send", (send) => (to, { file, ...piece }, options) => {
      return send(to, file === undefined ? piece : { ...piece, file: { ...file, name: "file" } }, options);
    }),
  },
  {
    bug: "leaves out what stands below a file",
    caughtBy: ["files/caption", /what stands below the file/],
    plant: replacing("send", (send) => (to, piece, options) => {
      return send(to, piece.file === undefined ? piece : { ...piece, text: "" }, options);
    }),
  },
  {
    bug: "claims to take files of any size",
    caughtBy: ["files/too-large", /how often it is said/],
    plant: (adapter) => {
      const value = { ...adapter.capabilities, files: { largest: Number.POSITIVE_INFINITY } };
      Object.defineProperty(adapter, "capabilities", { value });
    },
  },
  {
    bug: "tells nothing of why a file was refused",
    caughtBy: ["files/refused", /why it was not delivered/],
    plant: replacing("send", (send) => (...args) => {
      return send(...args).catch(() => {
        throw new PlatformError("PLATFORM_REJECTED", { platform: "loopback", reason: "no", hint: "" });
      });
    }),
  },
  {
    bug: "gives up a file whose upload broke off",
    caughtBy: ["files/unreachable", /it threw/],
    plant: replacing("send", (send) => (...args) => {
      return send(...args).catch((error: unknown) => {
        throw new PlatformError("PLATFORM_REJECTED", { platform: "loopback", reason: String(error), hint: "" });
      });
    }),
  },
  {
    bug: "sends a file again under another key after a crash",
    caughtBy: ["files/killed", /how many further files there are/],
    plant: replacing(
      "send",
      (send) => (to, piece, options) => send(to, piece, { ...options, key: `${Math.random()}` }),
    ),
  },
];
