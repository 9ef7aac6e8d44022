import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Deployment } from "kubernetes-types/apps/v1";
import type { NetworkPolicy } from "kubernetes-types/networking/v1";
import { parse, parseAllDocuments } from "yaml";
import { loadConfig } from "../../src/config";
import { InstanceKey } from "../../src/credentials/instance-key";

const FOLDER = "deploy/kubernetes";
/** A stopping gateway ends within this time after it has drained (s). */
const STOP_SECONDS = 11;

const read = (path: string) => readFileSync(path, "utf8");
const kustomization = parse(read(join(FOLDER, "kustomization.yaml")));
const manifests: { apiVersion: string; kind: string }[] = kustomization.resources.flatMap((file: string) =>
  parseAllDocuments(read(join(FOLDER, file))).map((document) => document.toJS()),
);
const manifestOf = (kind: string): unknown => manifests.find((each) => each.kind === kind);

const deployment = manifestOf("Deployment") as Deployment;
const pod = deployment.spec?.template.spec;
const container = pod?.containers[0];
const settings: Record<string, string> = Object.fromEntries(
  kustomization.configMapGenerator[0].literals.map((literal: string) => literal.split(/=(.*)/s)),
);
const portOf = (name: string) => container?.ports?.find((port) => port.name === name)?.containerPort;

describe("the Kubernetes manifests", () => {
  test("have only fields of the API, with values of their types", async () => {
    const folder = await mkdtemp(join(tmpdir(), "gateway-test-"));
    try {
      const lines = manifests.map(({ apiVersion, kind, ...fields }, i) => {
        const api = apiVersion === "v1" ? "core/v1" : apiVersion.replace(/\.k8s\.io/, "");
        const file = resolve("node_modules/kubernetes-types", api);
        const literal = JSON.stringify({ apiVersion, kind, ...fields });
        return `export const manifest${i}: import(${JSON.stringify(file)}).${kind} = ${literal};`;
      });
      await writeFile(join(folder, "manifests.ts"), lines.join("\n"));
      const options = ["--ignoreConfig", "--noEmit", "--strict", "--module", "nodenext"];
      const { stdout } = spawnSync(
        process.execPath,
        [resolve("node_modules/.bin/tsc"), ...options, join(folder, "manifests.ts")],
        { encoding: "utf8" },
      );
      expect(stdout).toBe("");
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  test("give the gateways existing settings with valid values, and no secret", () => {
    const secrets = { DATABASE_URL: "postgres://database/gateway", INSTANCE_KEY: InstanceKey.generate() };
    const config = loadConfig({ ...settings, ...secrets });
    expect(Object.keys(settings).filter((name) => !read("src/config.ts").includes(` ${name}: `))).toEqual([]);
    expect(Object.keys(settings).filter((name) => /PASSWORD|SECRET|TOKEN|KEY|DATABASE/.test(name))).toEqual(
      [],
    );
    expect(config).toMatchObject({ environment: "production", port: portOf("http") });
    expect(config.operationsPort).toBe(portOf("operations"));
    expect(pod?.terminationGracePeriodSeconds).toBeGreaterThan(config.drainMs / 1000 + STOP_SECONDS);
    const { readinessProbe } = container ?? {};
    // A pod drains until its readiness probe has failed and the nodes know about it.
    const noticed = (readinessProbe?.periodSeconds ?? 0) * (readinessProbe?.failureThreshold ?? 0);
    expect(config.drainMs / 1000).toBeGreaterThan(noticed);
  });

  test("ask the management port for paths that it serves", () => {
    const probes = [container?.startupProbe, container?.livenessProbe, container?.readinessProbe];
    expect(probes.map((probe) => probe?.httpGet)).toEqual(
      ["/healthz", "/healthz", "/readyz"].map((path) => ({ path, port: "operations" })),
    );
  });

  test("give a pod only what the restricted pod security standard allows and the pod needs", () => {
    expect(pod).toMatchObject({
      automountServiceAccountToken: false,
      securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
    });
    expect(container?.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    });
    const { egress } = (manifestOf("NetworkPolicy") as NetworkPolicy).spec ?? {};
    // The address where clouds serve credentials to any caller.
    expect(JSON.stringify(egress)).toContain("169.254.0.0/16");
    // Users choose the ports of webhooks and mail servers.
    expect(egress?.filter(({ to }) => to !== undefined).map(({ ports }) => ports)).toEqual([undefined]);
  });

  test("specify their version", () => {
    const { version } = JSON.parse(read("package.json"));
    expect(kustomization.images).toMatchObject([{ name: container?.image, newTag: version }]);
  });

  const hasKubectl = spawnSync("kubectl", ["version", "--client"]).error === undefined;

  (hasKubectl ? test : test.skip)("are rendered by kustomize, with the image and the settings", () => {
    const { stdout, stderr } = spawnSync("kubectl", ["kustomize", FOLDER], { encoding: "utf8" });
    expect(stderr).toBe("");
    const rendered = parseAllDocuments(stdout).map((document) => document.toJS());
    const configMap = rendered.find(({ kind }) => kind === "ConfigMap");
    expect(configMap.data).toEqual(settings);
    const [{ newName, newTag }] = kustomization.images;
    const [gateway] = rendered.find(({ kind }) => kind === "Deployment").spec.template.spec.containers;
    expect(gateway.image).toBe(`${newName}:${newTag}`);
    expect(gateway.envFrom).toContainEqual({ configMapRef: { name: configMap.metadata.name } });
    expect(rendered.map(({ kind }) => kind).sort()).toEqual(
      [...manifests.map(({ kind }) => kind), "ConfigMap"].sort(),
    );
  });
});

describe("the systemd unit", () => {
  const unit = read("deploy/systemd/gateway.service");
  const settingOf = (name: string) => new RegExp(`^${name}=(.*)$`, "m").exec(unit)?.[1] ?? "";

  test("starts a file of the package with valid settings", () => {
    const { name, files } = JSON.parse(read("package.json"));
    const [, file = ""] = settingOf("ExecStart").split(`/node_modules/${name}/`);
    expect(file).toBe("dist/src/main.js");
    expect(files).toContain("dist/src");
    const given = Object.fromEntries(
      settingOf("Environment")
        .split(" ")
        .map((each) => each.split("=")),
    );
    const config = loadConfig({ ...given, INSTANCE_KEY: InstanceKey.generate() });
    expect(config.databaseUrl).toMatch(new RegExp(`^sqlite:/var/lib/${settingOf("StateDirectory")}/`));
    expect(Number(settingOf("TimeoutStopSec"))).toBeGreaterThan(config.drainMs / 1000 + STOP_SECONDS);
  });

  test("has the same environment as the documented command line, whose keys it accepts", () => {
    const given = [...read("deploy/README.md").matchAll(/--setenv=(\S+)/g)].map(([, setting]) => setting);
    expect(given).toEqual(settingOf("Environment").split(" "));
  });

  test("allows the system calls that Node needs to start", () => {
    expect(settingOf("SystemCallFilter")).toContain("@pkey");
    expect(settingOf("SystemCallErrorNumber")).toBe("EPERM");
  });

  const hasSystemd = spawnSync("systemd-analyze", ["--version"]).error === undefined;

  (hasSystemd ? test : test.skip)("is strict by systemd's own measure", () => {
    const { stdout } = spawnSync(
      "systemd-analyze",
      ["security", "--offline=true", "--threshold=20", resolve("deploy/systemd/gateway.service")],
      { encoding: "utf8" },
    );
    expect(stdout).toMatch(/Overall exposure level for gateway\.service: [01]\.\d OK/);
  });
});
