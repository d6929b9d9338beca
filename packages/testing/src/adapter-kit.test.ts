import { loopbackUnderTest } from "./adapter-kit/loopback-under-test.ts";
import { describeAdapter } from "./adapter-kit.ts";
import { startLoopbackEmulator } from "./loopback-emulator.ts";

describeAdapter(loopbackUnderTest(() => startLoopbackEmulator()));
