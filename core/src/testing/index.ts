/** For tests of Hermes, of plugins and of stores: conformance kits, a scripted model, a clock that one turns. */
export { createVirtualClock, type VirtualClock } from "./virtual-clock.ts";
