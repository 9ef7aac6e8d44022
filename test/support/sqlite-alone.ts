// The suites that run on each database leave out PostgreSQL.
process.env.TEST_ENGINES = "SQLite";
