type Opened = { close(): unknown } | { drop(): unknown };

/** Returns a function that keeps what a test opens, to close it after the test, the last one first. */
export function closedAfterEach(): <T extends Opened>(opening: T | Promise<T>) => Promise<T> {
  const opened: Opened[] = [];
  afterEach(async () => {
    for (const each of opened.splice(0).reverse()) await ("close" in each ? each.close() : each.drop());
  });
  return async (opening) => {
    const each = await opening;
    opened.push(each);
    return each;
  };
}
