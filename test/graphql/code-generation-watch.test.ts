import { Script } from "node:vm";
import { watchCodeGeneration } from "../support/code-generation";

test("the watch that every suite stands under sees each way to make code of a text", () => {
  const { made, end } = watchCodeGeneration({ vm: true });
  new Function("return 1")();
  // biome-ignore lint/complexity/useArrowFunction: its constructor is what is called
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
