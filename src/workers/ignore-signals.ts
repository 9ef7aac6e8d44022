// A terminal sends signals to the whole process group; workers leave them to the supervisor. Import this first.
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => undefined);
