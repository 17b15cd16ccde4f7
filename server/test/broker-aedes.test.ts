import { createAedesEngine } from "../src/broker/engines/aedes/engine.ts";
import { policySuite } from "./broker/policy-suite.ts";

policySuite("aedes", createAedesEngine);
