import { describeAdapter } from "@hermes/testing";
import { personal } from "./subject.ts";

describeAdapter(personal);
