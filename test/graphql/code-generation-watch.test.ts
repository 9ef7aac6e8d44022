import { Script } from "node:vm";
import { watchCodeGeneration } from "../support/code-generation";

test("the watch that observes every suite sees each way to turn text into code", () => {
  const { made, end } = watchCodeGeneration({ vm: true });
  new Function("return 1")();
  // biome-ignore lint/complexity/useArrowFunction: the constructor is called
  (function () {}).constructor("return 2")();
  // biome-ignore lint/security/noGlobalEval: the watch is tested
  // biome-ignore lint/complexity/noCommaOperator: an indirect call
  (0, eval)("3");
  new Script("4").runInThisContext();
  end();
  new Function("return 5")();
  expect(made.map((each) => each.split("\n")[0])).toEqual([
    "Function(return 1)",
    "constructor(return 2)",
    "eval(3)",
    "Script(4)",
  ]);
});
