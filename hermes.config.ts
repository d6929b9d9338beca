import { defineConfig } from "@hermes/core";
import { web } from "@hermes/plugin-web";
// import { discord } from "@hermes/plugin-discord";
// import { imessage } from "@hermes/plugin-imessage";
// import { matrix } from "@hermes/plugin-matrix";
// import { signal } from "@hermes/plugin-signal";
// import { slack } from "@hermes/plugin-slack";
// import { telegram } from "@hermes/plugin-telegram";
// import { whatsapp } from "@hermes/plugin-whatsapp";

// Runs as it stands: the page in the browser needs no account. `hermes config check` says what is wrong with a change.
export default defineConfig({
  // Without a model, a stand-in answers that none is set. The key comes from the environment: ANTHROPIC_API_KEY here.
  // model: "anthropic/claude-sonnet-4-5",

  // Servers that speak OpenAI's protocol, under names of your own; then `model: "local/<name of the model>"`.
  // providers: { local: { baseUrl: "http://127.0.0.1:11434/v1" } },

  plugins: [
    web(),

    // For each platform: install its package, take the comment signs away here and at its import, and set the
    // variables. The home channel is where `/handoff` goes; one that others can read needs `shared: true`.

    // telegram({ token: process.env.TELEGRAM_BOT_TOKEN, homeChannel: "123456789" }),

    // discord({
    //   token: process.env.DISCORD_BOT_TOKEN,
    //   homeChannel: { chatId: "112233445566778899", shared: true },
    //   allowedUsers: ["998877665544332211"],
    // }),

    // slack({
    //   botToken: process.env.SLACK_BOT_TOKEN,
    //   appToken: process.env.SLACK_APP_TOKEN,
    //   homeChannel: { chatId: "C0123456789", name: "#hermes", shared: true, requireThread: true },
    //   allowedUsers: ["U0123456789"],
    // }),

    // Meta's Cloud API; the plugin's README says where each of these comes from.
    // whatsapp({
    //   transport: "cloud",
    //   phoneNumberId: "106540352242922",
    //   accessToken: process.env.WHATSAPP_ACCESS_TOKEN,
    //   appSecret: process.env.WHATSAPP_APP_SECRET,
    //   verifyToken: process.env.WHATSAPP_VERIFY_TOKEN,
    //   homeChannel: "+49 170 1234567",
    // }),

    // Or a number of your own, as a linked device: install the library that the README names, then `hermes whatsapp link`.
    // whatsapp({ transport: "personal", homeChannel: "+49 170 1234567" }),

    // Needs `signal-cli daemon --http` with a number that is registered there.
    // signal({ url: "http://127.0.0.1:8080", account: process.env.SIGNAL_ACCOUNT, homeChannel: "+491701234567" }),

    // Needs a BlueBubbles server on a Mac.
    // imessage({
    //   url: "http://192.168.1.20:1234",
    //   password: process.env.BLUEBUBBLES_PASSWORD,
    //   homeChannel: "+491701234567",
    // }),

    // matrix({
    //   homeserverUrl: "https://matrix.example.org",
    //   accessToken: process.env.MATRIX_ACCESS_TOKEN,
    //   homeChannel: "!room:example.org",
    // }),
  ],
});
