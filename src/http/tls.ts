import { constants } from "node:crypto";
import { readFileSync, unwatchFile, watchFile } from "node:fs";
import { createSecureContext, type SecureContextOptions, type Server } from "node:tls";
import type { FastifyInstance } from "fastify";
import type { Config } from "../config";
import { StartupError } from "../errors";

type Files = NonNullable<Config["tls"]>;

const LOOK_INTERVAL_MS = 10_000;

/** Only ciphers with forward secrecy and authenticated encryption, regardless of Node's defaults and NODE_OPTIONS. */
const CIPHERS = [
  "TLS_AES_128_GCM_SHA256",
  "TLS_AES_256_GCM_SHA384",
  "TLS_CHACHA20_POLY1305_SHA256",
  "ECDHE-ECDSA-AES128-GCM-SHA256",
  "ECDHE-RSA-AES128-GCM-SHA256",
  "ECDHE-ECDSA-AES256-GCM-SHA384",
  "ECDHE-RSA-AES256-GCM-SHA384",
  "ECDHE-ECDSA-CHACHA20-POLY1305",
  "ECDHE-RSA-CHACHA20-POLY1305",
].join(":");

/** Reads the certificate and key, or throws a StartupError if they cannot be read or do not match. */
export function readTls({ certFile, keyFile }: Files): SecureContextOptions {
  try {
    const options: SecureContextOptions = {
      cert: readFileSync(certFile),
      key: readFileSync(keyFile),
      minVersion: "TLSv1.2",
      ciphers: CIPHERS,
      secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
    };
    createSecureContext(options);
    return options;
  } catch (cause) {
    throw new StartupError("cannot use TLS_CERT_FILE and TLS_KEY_FILE", { cause });
  }
}

/** Reloads a changed certificate for new connections; the old one stays while certificate and key do not match. */
export function renewTls(app: FastifyInstance, files: Files, interval = LOOK_INTERVAL_MS): void {
  const renew = () => {
    try {
      (app.server as unknown as Server).setSecureContext(readTls(files));
      app.log.info("reloaded the certificate from TLS_CERT_FILE");
    } catch (err) {
      app.log.warn({ err }, "could not reload the certificate");
    }
  };
  const paths = [files.certFile, files.keyFile];
  for (const path of paths) watchFile(path, { interval, persistent: false }, renew);
  app.addHook("onClose", async () => {
    for (const path of paths) unwatchFile(path, renew);
  });
}
