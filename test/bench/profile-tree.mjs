const IDLE = new Set(["(idle)", "(root)"]);
const CALLERS = 4;

/** Returns the package of a script: an npm package, Node, native code, or a folder of the product. */
function packageOf({ functionName, url }) {
  if (url === "") return functionName.startsWith("(") ? functionName : "(native)";
  if (url.startsWith("node:")) return "node";
  const inPackage = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url);
  if (inPackage) return inPackage[1];
  const inProduct = /\/dist\/src\/([^/]+)\//.exec(url);
  return inProduct ? `src/${inProduct[1]}` : "src";
}

const labelOf = ({ functionName, url, lineNumber }) => {
  const name = functionName || "(anonymous)";
  if (url === "") return name;
  const place = url
    .replace(/^.*\/node_modules\//, "")
    .replace(/^.*\/dist\//, "")
    .replace(/^file:\/\//, "");
  return `${name} ${place}:${lineNumber + 1}`;
};

/** Returns the functions by self time, longest first. Each has its most frequent call chain. */
export function byFunction({ nodes, samples, timeDeltas }) {
  const byId = new Map(nodes.map((node) => [node.id, { ...node, self: 0 }]));
  for (const node of nodes)
    for (const child of node.children ?? []) byId.get(child).parent = byId.get(node.id);
  // The time until the next sample counts for the function of this sample.
  samples.forEach((id, i) => {
    byId.get(id).self += timeDeltas[i + 1] ?? 0;
  });
  const functions = new Map();
  for (const node of byId.values()) {
    if (node.self === 0 || IDLE.has(node.callFrame.functionName)) continue;
    const name = labelOf(node.callFrame);
    if (!functions.has(name))
      functions.set(name, { name, package: packageOf(node.callFrame), self: 0, chains: new Map() });
    const found = functions.get(name);
    found.self += node.self;
    const chain = callersOf(node).join("\n");
    found.chains.set(chain, (found.chains.get(chain) ?? 0) + node.self);
  }
  return [...functions.values()]
    .map(({ chains, ...rest }) => ({ ...rest, callers: mostOf(chains).split("\n").filter(Boolean) }))
    .sort((a, b) => b.self - a.self);
}

function callersOf(node) {
  const callers = [];
  for (let at = node.parent; at && callers.length < CALLERS; at = at.parent)
    if (!IDLE.has(at.callFrame.functionName)) callers.push(labelOf(at.callFrame));
  return callers;
}

const mostOf = (chains) => [...chains].reduce((best, each) => (each[1] > best[1] ? each : best))[0];

/** Returns the self time by package, longest first. */
export function byPackage(functions) {
  const sums = new Map();
  for (const { package: name, self } of functions) sums.set(name, (sums.get(name) ?? 0) + self);
  return [...sums].map(([name, self]) => ({ name, self })).sort((a, b) => b.self - a.self);
}
