import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import PostalMime, { type Email } from "postal-mime";
import { SMTPServer, type SMTPServerOptions, type SMTPServerSession } from "smtp-server";

/** An e-mail as received by a server. */
export interface ReceivedMail {
  from: string;
  to: string[];
  /** True if it came over TLS. */
  secure: boolean;
  user: unknown;
  raw: string;
  email: Email;
}

/** Returns a reply that rejects a command. */
export const rejection = (responseCode: number, text = "rejected") =>
  Object.assign(new Error(text), { responseCode });

/** An SMTP server that keeps received e-mails, and accepts everything by default. */
export class MailServer {
  readonly received: ReceivedMail[] = [];

  private constructor(private readonly server: SMTPServer) {}

  /** @param options of `smtp-server`; `onMail` is called with each e-mail, and an error rejects the e-mail */
  static async start({
    onMail = () => undefined,
    ...options
  }: SMTPServerOptions & { onMail?: (session: SMTPServerSession) => unknown } = {}): Promise<MailServer> {
    const server = new SMTPServer({
      authOptional: true,
      disabledCommands: options.cert === undefined ? ["STARTTLS"] : [],
      logger: false,
      closeTimeout: 1,
      ...options,
      onData: async (stream, session, callback) => {
        const chunks: Buffer[] = [];
        for await (const chunk of stream) chunks.push(chunk);
        const raw = Buffer.concat(chunks);
        const { mailFrom, rcptTo } = session.envelope;
        mails.received.push({
          from: mailFrom ? mailFrom.address : "",
          to: rcptTo.map(({ address }) => address),
          secure: session.secure,
          user: session.user,
          raw: raw.toString("utf8"),
          email: await PostalMime.parse(raw),
        });
        const answer = await onMail(session);
        if (answer instanceof Error) callback(answer);
        else callback(null, typeof answer === "string" ? answer : undefined);
      },
    });
    const mails = new MailServer(server);
    server.on("error", () => undefined);
    await once(server.listen(0, "127.0.0.1"), "listening");
    return mails;
  }

  get port(): number {
    return (this.server.server.address() as AddressInfo).port;
  }

  close(): Promise<void> {
    return new Promise((resolve) => this.server.close(resolve));
  }
}

/** The action of a scripted server at a step: a line to send, or a function that gets the connection. */
export type Step = string | ((socket: Socket) => void);

/** The steps of a session; `message` comes after the end of the text. */
export type Script = Partial<
  Record<"greeting" | "EHLO" | "STARTTLS" | "AUTH" | "MAIL" | "RCPT" | "DATA" | "message" | "QUIT", Step>
>;

const TAKES_EVERYTHING: Required<Script> = {
  greeting: "220 mail.test ESMTP",
  EHLO: "250-mail.test\r\n250 AUTH PLAIN",
  STARTTLS: "502 5.5.1 unknown command",
  AUTH: "235 2.7.0 welcome",
  MAIL: "250 2.1.0 sender fine",
  RCPT: "250 2.1.5 recipient fine",
  DATA: "354 go ahead",
  message: "250 2.0.0 queued",
  QUIT: "221 2.0.0 bye",
};

/** An SMTP server that follows its script, for behavior that no good server shows. */
export class ScriptedMailServer {
  readonly lines: string[] = [];
  private readonly sockets = new Set<Socket>();

  private constructor(private readonly server: Server) {}

  static async start(script: Script): Promise<ScriptedMailServer> {
    const steps = { ...TAKES_EVERYTHING, ...script };
    const server = createServer((socket) => {
      scripted.sockets.add(socket);
      socket.on("error", () => undefined);
      scripted.serve(socket, steps);
    });
    const scripted = new ScriptedMailServer(server);
    await once(server.listen(0, "127.0.0.1"), "listening");
    return scripted;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  close(): void {
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
  }

  private serve(socket: Socket, steps: Required<Script>): void {
    const take = (step: Step) => (typeof step === "string" ? socket.write(`${step}\r\n`) : step(socket));
    let isText = false;
    let rest = "";
    socket.on("data", (data) => {
      const lines = (rest + data.toString("utf8")).split("\r\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        this.lines.push(line);
        const command = line.split(" ", 1)[0] as keyof Script;
        if (isText && line !== ".") continue;
        take(isText ? steps.message : (steps[command] ?? "500 5.5.1 what?"));
        isText = !isText && command === "DATA" && String(steps.DATA).startsWith("354");
      }
    });
    take(steps.greeting);
  }
}
