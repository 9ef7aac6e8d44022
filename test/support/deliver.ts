import { startDeliverer } from "../../src/lifecycle";
import type { TestGateway } from "./gateway";

/** Makes a gateway without delivery workers deliver with two senders until the work is done. */
export async function whileDelivering<T>({ services }: TestGateway, work: () => Promise<T>): Promise<T> {
  const deliverer = startDeliverer(services, 2);
  try {
    return await work();
  } finally {
    await deliverer.close();
  }
}
