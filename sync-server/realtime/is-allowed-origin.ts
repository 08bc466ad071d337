/**
 * May a page of this origin open a socket? Our own pages may, and clients without an origin, which
 * are no browsers.
 * @param host the `Host` header: a browser sets it from the address, so a foreign page cannot
 * choose it
 */
export function isAllowedOrigin(asked: {
  origin: string | undefined
  host: string | undefined
  publicUrl: string | undefined
}): boolean {
  const { origin, host, publicUrl } = asked
  if (origin === undefined || origin === '') return true
  if (!URL.canParse(origin)) return false
  return origin === publicUrl || new URL(origin).host === host?.toLowerCase()
}
