// Otherwise, PostGraphile warns on standard error that it assumes production.
process.env.GRAPHILE_ENV = "production";

// PostGraphile 5 targets Node 22; this is the only API that Node 20 lacks.
Promise.withResolvers ??= () => {
  const deferred = {};
  deferred.promise = new Promise((resolve, reject) => Object.assign(deferred, { resolve, reject }));
  return deferred;
};
