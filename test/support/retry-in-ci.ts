// CI runs 7,700 tests on whatever machine is free, so a test that fails there runs once more, and its first failure is
// printed. Elsewhere the first failure counts.
if (process.env.CI) jest.retryTimes(1, { logErrorsBeforeRetry: true });
