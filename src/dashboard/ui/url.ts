/** Returns the host and path of a URL, which tell two endpoints on one host apart: "example.com/hooks/orders". */
export function withoutScheme(url: string): string {
  const { host, pathname } = new URL(url);
  return pathname === "/" ? host : `${host}${pathname}`;
}
