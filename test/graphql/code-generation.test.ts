import { watchCodeGeneration } from "../support/code-generation";
import { callTool, rpc } from "../support/mcp";
import { describeGateway } from "../support/suite";
import { someOf } from "../support/tiers";

declare global {
  /** Set by code that an attack runs in the process. */
  var codeRan: string | undefined;
}

const PAYLOAD = "(globalThis.codeRan='yes')";
/** Strings that a code generator could mistake for something else. */
const ALL_TEXTS = [
  `__MAGIC_DATE__33a9e76d_02e0_4128_8e92_3530ad3da74d0)+${PAYLOAD}+(0`,
  `__MAGIC_DATE__33a9e76d_02e0_4128_8e92_3530ad3da74d${PAYLOAD}`,
  "__MAGIC_NAN__57f286b9_4c20_487f_b409_79804ddcb4f8",
  `\`+${PAYLOAD}+\``,
  `'+${PAYLOAD}+'`,
  `\\"+${PAYLOAD}+\\"`,
  `\u2028${PAYLOAD}\u2029`,
  `*/${PAYLOAD}/*`,
  `\${${PAYLOAD}}`,
];
const TEXTS = someOf(ALL_TEXTS);

const block = (text: string) => `"""${text.replaceAll('"""', '\\"""')}"""`;
/** The places in a document where a client can put text. */
const DOCUMENTS: readonly [place: string, document: (literal: string) => string][] = [
  ["an argument", (literal) => `{ pet(id: ${literal}) { id } }`],
  ["the default of a variable", (literal) => `query ($id: ID! = ${literal}) { pet(id: $id) { id } }`],
  ["an argument of a list", (literal) => `{ pets(after: ${literal}) { nodes { id } } }`],
  [
    "an input object",
    (literal) => `mutation { createPet(input: { name: ${literal}, categoryId: 1 }) { id } }`,
  ],
  ["an argument of a directive", (literal) => `{ whoami { agent { id @include(if: ${literal}) } } }`],
  ["an unknown argument", (literal) => `{ whoami(x: ${literal}) { agent { id } } }`],
];

describeGateway({ engine: "any" }, (gateway) => {
  let watch: ReturnType<typeof watchCodeGeneration>;
  beforeEach(() => {
    globalThis.codeRan = undefined;
    watch = watchCodeGeneration({ vm: true });
  });
  afterEach(() => watch.end());

  test.each(DOCUMENTS)(
    "a string in %s never becomes code, however often it is sent",
    async (_, documentWith) => {
      for (const text of TEXTS) {
        for (const [literal, token] of [
          [JSON.stringify(text), gateway.key],
          [block(text), null],
        ] as const) {
          for (let i = 0; i < 4; i++) await gateway.graphql(documentWith(literal), {}, { token });
        }
      }
      expect(watch.made).toEqual([]);
      expect(globalThis.codeRan).toBeUndefined();
    },
  );

  test("a string in a variable, an alias, an operation name, a REST body or a tool's argument never becomes code", async () => {
    for (const text of TEXTS) {
      for (let i = 0; i < 4; i++) {
        await gateway.graphql("query ($id: ID!) { pet(id: $id) { id } }", { id: text });
        await gateway.graphql(
          "query Q { whoami { agent { id } } }",
          {},
          {
            body: { query: "query Q { whoami { agent { id } } }", operationName: text },
          },
        );
        await gateway.rest("POST", "/v1/pets", { body: { name: text, categoryId: 1 } });
        await gateway.rest("POST", "/messages", { body: { message: text } });
        await callTool(gateway, "createPet", { name: text, categoryId: text, [text]: text });
        await callTool(gateway, text, { name: text });
        await rpc(gateway, text);
        await gateway.rest("GET", `/v1/pets?cursor=${encodeURIComponent(text)}`);
      }
    }
    for (const name of ["__proto__", "constructor", "toString", "hasOwnProperty"]) {
      for (let i = 0; i < 4; i++) {
        const { body, text } = await gateway.graphql(`{ whoami { ${name}: agent { ${name}: slug } } }`);
        expect(text).toBe(`{"data":{"whoami":{"${name}":{"${name}":"first-agent"}}}}`);
        expect(body.errors).toBeUndefined();
      }
    }
    expect(watch.made).toEqual([]);
    expect(globalThis.codeRan).toBeUndefined();
  });
});
