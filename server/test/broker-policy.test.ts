import { createEngine } from "../src/broker/engine/engine.ts";
import { policySuite } from "./broker/policy-suite.ts";

policySuite("the engine", createEngine);
