import { counter, type FeatureHistogram } from "../../src/telemetry/feature-metrics";
import { Metrics } from "../../src/telemetry/metrics";

const notes = counter("gateway_notes_total", "Notes.", { kind: ["long", "short"], by: ["agent", "member"] });
const sizes: FeatureHistogram = {
  type: "histogram",
  name: "gateway_note_size",
  help: "Size of notes.",
  bounds: [10],
};

/** Returns the samples of a scrape, by name and labels. */
const samplesOf = async (metrics: Metrics) =>
  Object.fromEntries(
    [...(await metrics.text()).matchAll(/^(gateway_\w+(?:\{.*\})?) (\S+)$/gm)].map(([, name, value]) => [
      name,
      Number(value),
    ]),
  );

test("a feature's metrics are shown before anything is counted, for each label", async () => {
  const metrics = new Metrics();
  metrics.register([notes, sizes]);
  expect(await samplesOf(metrics)).toMatchObject({
    'gateway_notes_total{kind="long",by="agent"}': 0,
    'gateway_notes_total{kind="long",by="member"}': 0,
    'gateway_notes_total{kind="short",by="agent"}': 0,
    'gateway_notes_total{kind="short",by="member"}': 0,
    gateway_note_size_count: 0,
  });
});

test("each process counts separately", async () => {
  const [metrics, others] = [new Metrics(), new Metrics()];
  for (const each of [metrics, others]) each.register([notes, sizes]);
  metrics.count(notes, ["long", "agent"], 3);
  metrics.count(notes, ["long", "agent"]);
  metrics.observe(sizes, () => [5, 50]);
  expect(await samplesOf(metrics)).toMatchObject({
    'gateway_notes_total{kind="long",by="agent"}': 4,
    'gateway_notes_total{kind="long",by="member"}': 0,
    'gateway_note_size_bucket{le="10"}': 1,
    gateway_note_size_count: 2,
    gateway_note_size_sum: 55,
  });
  expect(await samplesOf(others)).toMatchObject({ 'gateway_notes_total{kind="long",by="agent"}': 0 });
});

test("numbers are read at each scrape, and are omitted while there are none", async () => {
  const metrics = new Metrics();
  let [open, sent]: (number | undefined)[] = [undefined, 2];
  metrics.register([
    { type: "reading", name: "gateway_notes_open", help: "Open notes.", read: () => open },
    { type: "reading", name: "gateway_notes_sent_total", help: "Sent.", isCounter: true, read: () => sent },
  ]);
  expect(await samplesOf(metrics)).not.toHaveProperty("gateway_notes_open");
  [open, sent] = [1, 5];
  expect(await samplesOf(metrics)).toMatchObject({ gateway_notes_open: 1, gateway_notes_sent_total: 5 });
});
