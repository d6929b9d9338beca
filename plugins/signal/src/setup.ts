import type { PluginSetup, SetupQuestion } from "@hermes/core";
import type { SignalOptions } from "./config.ts";

const RELEASES = "https://github.com/AsamK/signal-cli/releases";
const INSTALL = `Install signal-cli, 0.14.9 or newer, from ${RELEASES}`;
const START =
  "Start its daemon, and keep it running: signal-cli daemon --http 127.0.0.1:8080 --receive-mode on-connection";

function questions(steps: readonly string[], account: string): readonly SetupQuestion[] {
  return [
    {
      option: "url",
      label: "The address of signal-cli's daemon",
      steps: [INSTALL, ...steps, START],
      page: RELEASES,
      default: "http://127.0.0.1:8080",
    },
    {
      option: "account",
      label: account,
      steps: ["As +491511234567. It is needed only where the daemon serves several accounts."],
      isOptional: true,
    },
  ];
}

/** What `hermes init` asks for, and `hermes doctor` checks. */
export const setup: PluginSetup<SignalOptions> = {
  title: "Signal",
  summary: "private chats and groups, through signal-cli on a machine of yours; no threads",
  ways: [
    {
      name: "number",
      title: "a number of its own, which is registered with signal-cli",
      questions: questions(
        [
          "Solve the captcha at https://signalcaptchas.org/registration/generate.html, and copy the link of “Open Signal”",
          "Register the number: signal-cli -a +491511234567 register --captcha '<that link>'",
          "Confirm it with the code of the SMS: signal-cli -a +491511234567 verify 123456",
        ],
        "The number that Hermes writes as",
      ),
    },
    {
      name: "linked",
      title: "your own account, as a linked device: Hermes lives in your Note to Self",
      questions: questions(
        ["Run signal-cli link -n Hermes, and scan its code on the phone: Settings, Linked devices, Link a new device"],
        "The number of your account",
      ),
    },
  ],
  examine: async (options, context) => (await import("./examine.ts")).examine(options, context),
};
