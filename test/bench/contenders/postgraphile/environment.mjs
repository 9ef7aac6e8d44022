// Otherwise it says on standard error that it takes production for granted.
process.env.GRAPHILE_ENV = "production";

// PostGraphile 5 is made for Node 22; this is all that it misses on Node 20.
Promise.withResolvers ??= () => {
  const deferred = {};
  deferred.promise = new Promise((resolve, reject) => Object.assign(deferred, { resolve, reject }));
  return deferred;
};
