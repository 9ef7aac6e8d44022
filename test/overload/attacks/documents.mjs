// Anonymous callers send thousands of different documents, each often enough to be worth compiling. The long name of
// the root field is part of the path of all fields below it.
export const expect = {
  attackCpuMs: 30,
};

const MAX_REQUESTS = 5_000;
const USES = 5;
const FIELDS = Array.from({ length: 380 }, (_, i) => `x${i}:id`).join(" ");
const NAME = "a".repeat(6_000);

export async function run(traffic) {
  await traffic.closedLoop(
    8,
    (i) => {
      const query = `{ ${NAME}${Math.floor(i / USES)}: pets { nodes { ${FIELDS} } } }`;
      return traffic.send({ method: "POST", path: "/graphql", body: { query } });
    },
    MAX_REQUESTS,
  );
}
