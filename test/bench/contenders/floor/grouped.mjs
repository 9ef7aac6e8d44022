/**
 * Joins what is asked for in one turn of the event loop.
 * @param runAll does several at once and gives their results in order
 */
export function grouped(runAll) {
  let waiting = [];
  const flush = () => {
    const group = waiting;
    waiting = [];
    try {
      const results = runAll(group.map(({ item }) => item));
      group.forEach(({ resolve }, i) => {
        resolve(results[i]);
      });
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
  };
  return (item) =>
    new Promise((resolve, reject) => {
      if (waiting.push({ item, resolve, reject }) === 1) setImmediate(flush);
    });
}
