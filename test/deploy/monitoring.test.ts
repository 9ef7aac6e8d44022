import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { parse } from "yaml";
import { describeGateway } from "../support/suite";

const FOLDER = "deploy/prometheus";

interface Alert {
  alert: string;
  expr: string;
  labels: { severity: string };
  annotations: { summary: string; docs: string };
}

const read = (path: string) => readFileSync(path, "utf8");
const alerts: Alert[] = parse(read(`${FOLDER}/alerts.yaml`)).groups.flatMap(
  ({ rules }: { rules: Alert[] }) => rules,
);
const cases: { promql_expr_test: { exp_samples: { labels: string }[] }[] }[] = parse(
  read(`${FOLDER}/alerts.test.yaml`),
).tests;

/** The queries of the alerts and of the Grafana dashboard's panels. */
const queries: { name: string; expr: string }[] = [
  ...alerts.map(({ alert, expr }) => ({ name: alert, expr })),
  ...JSON.parse(read("deploy/grafana/gateway.json")).panels.flatMap(
    ({ title, targets = [] }: { title: string; targets?: { expr: string }[] }) =>
      targets.map(({ expr }) => ({ name: title, expr })),
  ),
];

/** Returns GitHub's anchor for a heading. */
const anchorOf = (heading: string) =>
  heading
    .replace(/^#+ /, "")
    .toLowerCase()
    .replace(/[^\w -]/g, "")
    .replaceAll(" ", "-");

test("alerts and panels are about documented metrics", () => {
  const documented = new Set(
    [...read("docs/observability.md").matchAll(/^\| `(gateway_\w+)`/gm)].map(([, name]) => name),
  );
  const used = queries.flatMap(({ expr }) => expr.match(/gateway_\w+/g) ?? []);
  expect(used.map((name) => name.replace(/_bucket$/, "")).filter((name) => !documented.has(name))).toEqual(
    [],
  );
});

describe("the alerting rules", () => {
  test("name a section of the docs that helps, and their urgency", () => {
    for (const { alert, labels, annotations } of alerts) {
      const [path = "", anchor] = annotations.docs.split("#");
      const anchors = read(path)
        .split("\n")
        .filter((line) => line.startsWith("#"))
        .map(anchorOf);
      expect([alert, anchor === undefined || anchors.includes(anchor)]).toEqual([alert, true]);
      expect(["page", "ticket"]).toContain(labels.severity);
    }
  });

  test("are all fired by a test", () => {
    const fired = cases[0]?.promql_expr_test[0]?.exp_samples.map(({ labels }) => labels);
    expect(fired).toEqual(
      alerts
        .map(({ alert }) => alert)
        .sort()
        .map((alert) => `{alertname="${alert}"}`),
    );
  });

  const hasPromtool = spawnSync("promtool", ["--version"]).error === undefined;

  (hasPromtool ? test : test.skip)("fire when they should, and not on a quiet day", () => {
    execFileSync("promtool", ["test", "rules", "alerts.test.yaml"], { cwd: FOLDER });
  });
});

describeGateway({ engine: "any" }, (gateway) => {
  // Counters start at zero for all label values, except the counter of requests, which has none before the first
  // request.
  test("alerts and panels query existing label values", async () => {
    const { text } = await gateway.rest("GET", "/metrics", { token: null });
    const unknown = queries.flatMap(({ name: query, expr }) =>
      [...expr.matchAll(/(gateway_\w+)\{([^}]*)\}/g)].flatMap(([, name = "", matchers = ""]) => {
        const series = text.split("\n").filter((line) => line.startsWith(`${name}{`));
        if (series.length === 0 || name === "gateway_http_requests_total") return [];
        return [...matchers.matchAll(/(\w+)=~?"([^"]*)"/g)].flatMap(([, label, values = ""]) =>
          values
            .split("|")
            .filter((value) => !series.some((line) => line.includes(`${label}="${value}"`)))
            .map((value) => `${query}: ${name} ${label}="${value}"`),
        );
      }),
    );
    expect(unknown).toEqual([]);
  });
});
