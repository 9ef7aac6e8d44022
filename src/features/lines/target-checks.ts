import type { Targets } from "../../delivery/targets";
import { emailSettings } from "./given-settings";
import type { Line } from "./line.entity";
import type { CreateLineInput, UpdateLineInput } from "./line.inputs";
import { changedSettings } from "./line-changes";
import { isOtherServer, type LineEmail, SmtpSecurity } from "./line-settings";

/**
 * Validates lines' targets before they are saved. Must not run inside a transaction, because it resolves host names.
 */
export class TargetChecks {
  constructor(private readonly targets: Targets) {}

  /** Returns the input with its URL normalized, or throws InvalidInput. */
  async ofNew<Input extends Pick<CreateLineInput, "settings">>(input: Input): Promise<Input> {
    const { webhook, email } = input.settings ?? {};
    if (email != null) await this.checkHost(emailSettings(email), "input.settings.email.host");
    if (webhook == null) return input;
    return { ...input, settings: { webhook: await this.checked(webhook, "input.settings.webhook.url") } };
  }

  /** Returns the changes with their URL normalized, or throws InvalidInput. */
  async ofChanges<Input extends Pick<UpdateLineInput, "webhook" | "email">>(
    line: Line,
    input: Input,
  ): Promise<Input> {
    const { email } = changedSettings(line, input);
    if (line.email !== null && email !== null && isOtherServer(line.email, email)) {
      const field = input.email?.host === undefined ? "security" : "host";
      await this.checkHost(email, `input.email.${field}`);
    }
    const { webhook } = input;
    return webhook == null ? input : { ...input, webhook: await this.checked(webhook, "input.webhook.url") };
  }

  private async checked<T extends { url: string }>(webhook: T, path: string): Promise<T> {
    const { href } = await this.targets.assertAllowedUrl(webhook.url.trim(), path);
    return { ...webhook, url: href };
  }

  private checkHost({ host, security }: LineEmail, path: string): Promise<void> {
    return this.targets.assertAllowedHost(host, path, security === SmtpSecurity.none);
  }
}
