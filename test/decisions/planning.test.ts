import { Condition } from "../../src/features/configuration/document/conditions/condition";
import { decisionClient, publish } from "../support/decisions";
import { firstAgentId } from "../support/people";
import { describeGateway } from "../support/suite";

describeGateway({ engine: "any" }, (gateway) => {
  afterEach(() => jest.restoreAllMocks());

  test("a configuration that has not been parsed is parsed in several turns of the event loop", async () => {
    const clause = "situation.type != 'x'";
    const rules = Array.from({ length: 5 }, (_, i) => ({
      id: `rule-${i}`,
      on: "hello",
      when: Array.from({ length: 20 }, () => clause),
      do: [],
      continue: true,
    }));
    await publish(gateway, await firstAgentId(gateway), { situations: { hello: {} }, rules });
    // Each condition takes 5 ms, however fast the machine is.
    let ms = 0;
    jest.spyOn(performance, "now").mockImplementation(() => ms);
    let turn = 0;
    const parsedIn = new Map<number, number>();
    const parse = Condition.parse;
    jest.spyOn(Condition, "parse").mockImplementation((...args) => {
      ms += 5;
      parsedIn.set(turn, (parsedIn.get(turn) ?? 0) + 1);
      return parse(...args);
    });
    let isDecided = false;
    const countTurn = () => {
      turn += 1;
      if (!isDecided) setImmediate(countTurn);
    };
    setImmediate(countTurn);
    const { status } = await decisionClient(gateway).decide({ type: "hello" });
    isDecided = true;
    expect(status).toBe(201);
    expect([...parsedIn.values()].reduce((sum, count) => sum + count, 0)).toBe(100);
    expect(Math.max(...parsedIn.values())).toBe(2);
  });
});
