// A terminal sends signals to the whole process group, but only the supervisor handles them. Import this first.
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => undefined);
